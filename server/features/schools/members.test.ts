import type { RawReply } from '@markbook/shared/contract/client'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B } from '@markbook/shared/story/school-year'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { WriteTx } from '../../store/tx.ts'
import { meanwhile } from '../../testing/meanwhile.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'
import { membershipOf } from './schools.policy.ts'

let st: School
let untouched = ''
/** The test before may have changed the school. */
beforeEach(async () => {
  if (untouched && (await st.digest()) === untouched) return
  await st?.close()
  st = await school()
  untouched = await st.digest()
})
afterAll(() => st.close())

type Admin = 'okafor' | 'doyle' | 'marker'
const update = (userId: string, body: unknown, as: Admin = 'okafor') => st.as[as].schools.updateMember.raw({ params: { userId }, body })
const remove = (userId: string, as: Admin = 'okafor') => st.as[as].schools.removeMember.raw({ params: { userId } })
const lastAdmin = { status: 409, code: 'schools.last_admin' }

/** As another request does, with the school's row locked. */
async function demote(tx: WriteTx, userId: string) {
  await tx.find('school', stBrigids, stBrigids)
  const [before] = await membershipOf(tx, { school: stBrigids, user: userId })
  if (before) await tx.update('school_management', [{ before, patch: { role: 'member' } }])
}

/** The later one is refused: 409, or 403 where the earlier one had already ended their rights when they were read. */
async function oneOfTwo(...calls: Promise<RawReply>[]) {
  const statuses = (await Promise.all(calls)).map((answer) => answer.status).sort()
  expect([
    [200, 409],
    [200, 403],
  ]).toContainEqual(statuses)
  const admins = (await st.rows('school_management')).filter((row) => row.school_id === stBrigids && row.role === 'admin' && row.is_active)
  expect(admins).toHaveLength(1)
}

describe('GET /api/schools/members', () => {
  test('everybody of the school by name, suspended people too', async () => {
    const members = await st.as.okafor.schools.members()
    expect(members.map((member) => member.last_name)).toEqual(['Byrne', 'Doyle', 'Nowak', 'Okafor', 'Quinn', 'Walsh'])
    expect(members[1]).toEqual({
      user_id: people.doyle.id,
      email: people.doyle.email,
      first_name: 'Martin',
      last_name: 'Doyle',
      role: 'admin',
      is_active: false,
      joined_at: expect.stringMatching(/Z$/),
    })
  })

  test('who has not given a name comes last', async () => {
    const { id } = await st.as.nobody.schools.requestToJoin({ params: { schoolId: stBrigids } })
    await st.as.okafor.schools.approve({ params: { requestId: id }, body: { role: 'member' } })
    expect((await st.as.okafor.schools.members()).at(-1)).toMatchObject({ user_id: people.nobody.id, first_name: null })
  })

  test.each(['byrne', 'niamh', 'doyle', 'nobody'] as const)('403 for %s', async (name) => {
    await expect(st.as[name].schools.members()).rejects.toMatchObject({ status: 403 })
  })
})

describe('PATCH /api/schools/members/:userId', () => {
  test('a new role applies from the next request', async () => {
    expect(await st.as.okafor.schools.updateMember({ params: { userId: people.byrne.id }, body: { role: 'admin' } })).toMatchObject({
      user_id: people.byrne.id,
      role: 'admin',
      is_active: true,
    })
    expect(await st.as.byrne.schools.members()).toHaveLength(6)
    await update(people.byrne.id, { role: 'member' })
    await expect(st.as.byrne.students.list()).rejects.toMatchObject({ status: 403 })
    expect(await st.as.byrne.auth.me()).toMatchObject({ role: 'member' })
  })

  test('a suspended member has no rights from the next request, and has them again when reactivated', async () => {
    await update(people.byrne.id, { isActive: false })
    await expect(st.as.byrne.subjects.list()).rejects.toMatchObject({ status: 403, code: 'inactive' })
    await update(people.byrne.id, { isActive: true })
    expect((await st.as.byrne.subjects.list()).length).toBeGreaterThan(0)
  })

  test('409 for demoting or suspending the last active administrator, and nothing changes', async () => {
    for (const body of [{ role: 'teacher' }, { isActive: false }, { role: 'admin', isActive: false }]) {
      expect(await refused(st, () => update(people.okafor.id, body))).toEqual(lastAdmin)
    }
    expect((await update(people.okafor.id, { role: 'admin', isActive: true })).status).toBe(200)
  })

  test('a suspended administrator can be demoted', async () => {
    expect((await update(people.doyle.id, { role: 'member' })).status).toBe(200)
  })

  test('an administrator who was demoted while they asked to demote the last other one: 409', async () => {
    await update(people.doyle.id, { isActive: true })
    const reply = await meanwhile(
      st,
      (tx) => demote(tx, people.doyle.id),
      () => update(people.okafor.id, { role: 'member' }, 'doyle'),
    )
    expect(reply).toMatchObject({ status: 409, body: { code: 'schools.last_admin' } })
  })

  test.each([
    ['demote', { role: 'member' }],
    ['suspend', { isActive: false }],
  ])('of two administrators who %s each other at once, one stays', async (_what, body) => {
    await update(people.doyle.id, { isActive: true })
    await oneOfTwo(update(people.doyle.id, body, 'okafor'), update(people.okafor.id, body, 'doyle'))
  })

  test('of two administrators who resign at once, one stays', async () => {
    await update(people.doyle.id, { isActive: true })
    const answers = await Promise.all([update(people.okafor.id, { role: 'teacher' }, 'okafor'), remove(people.doyle.id, 'doyle')])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
  })

  test('404 for somebody of another school, or of none, whatever the body', async () => {
    const foreign = await update(people.marker.id, { nonsense: 1 })
    expect(foreign.status).toBe(404)
    expect((await update(people.nobody.id, { role: 'admin' })).body).toEqual(foreign.body)
    expect(await refused(st, () => update(people.niamh.id, { role: 'admin' }, 'marker'))).toMatchObject({ status: 404 })
  })

  test.each([
    ['an unknown role', { role: 'head' }],
    ['null', { role: null }],
    ['text for a flag', { isActive: 'false' }],
    ['a field that it does not take', { email: 'a@b.example' }],
  ])('400 for %s', async (_what, body) => {
    expect(await refused(st, () => update(people.niamh.id, body))).toEqual({ status: 400, code: 'validation_failed' })
  })

  test.each(['byrne', 'niamh', 'doyle', 'nobody'] as const)('403 for %s, also about themselves', async (name) => {
    const call = () =>
      st.as[name].schools.updateMember.raw({ params: { userId: people[name].id }, body: { role: 'admin', isActive: true } })
    expect(await refused(st, call)).toMatchObject({ status: 403 })
  })
})

describe('DELETE /api/schools/members/:userId', () => {
  test('ends their rights with the next request, and their teaching with it', async () => {
    expect((await remove(people.ada.id)).body).toEqual({ message: 'The member was removed from the school.' })
    await expect(st.as.ada.subjects.list()).rejects.toMatchObject({ status: 403, code: 'no_school' })
    expect(await st.as.ada.auth.me()).toMatchObject({ school_id: null, school: null, role: null })
    const teaching = [...(await st.rows('teacher_group_assignment')), ...(await st.rows('teacher_subject_assignment'))]
    expect(teaching.filter((row) => row.user_profile_id === people.ada.id)).toEqual([])
    expect((await remove(people.ada.id)).status).toBe(404)
  })

  test('who was removed may ask again and come back', async () => {
    await remove(people.niamh.id)
    const { id } = await st.as.niamh.schools.requestToJoin({ params: { schoolId: stBrigids } })
    await st.as.okafor.schools.approve({ params: { requestId: id }, body: { role: 'teacher' } })
    expect(await st.as.niamh.auth.me()).toMatchObject({ school: { id: stBrigids }, role: 'teacher' })
  })

  test('somebody whose active school is another one keeps it', async () => {
    const { id } = await st.as.markerTeacher.schools.requestToJoin({ params: { schoolId: stBrigids } })
    await st.as.okafor.schools.approve({ params: { requestId: id }, body: { role: 'member' } })
    await st.as.marker.schools.updateMember({ params: { userId: people.markerTeacher.id }, body: { role: 'member' } })
    expect((await remove(people.markerTeacher.id, 'marker')).status).toBe(409)
    await st.as.marker.classes.handOver({
      params: { classId: (await st.as.marker.classes.list())[0]?.id ?? '' },
      body: { teacherId: people.marker.id },
    })
    expect((await remove(people.markerTeacher.id, 'marker')).status).toBe(200)
    expect(await st.as.markerTeacher.auth.me()).toMatchObject({ school: { id: stBrigids }, role: 'member' })
  })

  test('409 for a class teacher, naming the classes, and nothing changes', async () => {
    const before = await st.digest()
    const { status, body } = await remove(people.byrne.id)
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { code: 'schools.leads_classes', message: expect.stringContaining('2B (2024/25), 3B (2025/26)') },
    })
    expect(await st.digest()).toBe(before)
    expect((await st.rows('class_teacher')).find((row) => row.id === class3B.id)).toMatchObject({ user_profile_id: people.byrne.id })
  })

  test('409 for the last active administrator', async () => {
    expect(await refused(st, () => remove(people.okafor.id))).toEqual(lastAdmin)
  })

  test('an administrator who was demoted while they asked to remove the last other one: 409', async () => {
    await update(people.doyle.id, { isActive: true })
    const reply = await meanwhile(
      st,
      (tx) => demote(tx, people.doyle.id),
      () => remove(people.okafor.id, 'doyle'),
    )
    expect(reply).toMatchObject({ status: 409, body: { code: 'schools.last_admin' } })
  })

  test('of two administrators who remove each other at once, one stays', async () => {
    await update(people.doyle.id, { isActive: true })
    await oneOfTwo(remove(people.doyle.id, 'okafor'), remove(people.okafor.id, 'doyle'))
  })

  test('404 for the neighbour’s, 403 for a teacher', async () => {
    expect(await refused(st, () => remove(people.niamh.id, 'marker'))).toMatchObject({ status: 404 })
    expect(await refused(st, () => st.as.byrne.schools.removeMember.raw({ params: { userId: people.ada.id } }))).toMatchObject({
      status: 403,
    })
  })
})
