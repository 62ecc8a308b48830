import { naturalId } from '@markbook/shared/ids'
import { people, stBrigids } from '@markbook/shared/story/people'
import {
  class3A,
  class3B,
  hilltopClass,
  hilltopMaths,
  hilltopYear,
  irish,
  lastYear,
  lastYears2B,
  maths,
  science,
  thisYear,
} from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { meanwhile } from '../../testing/meanwhile.ts'
import { newcomer } from '../../testing/newcomers.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const params = { classId: class3B.id }
const named = (name: string) => ({ name, academicYearId: thisYear.id })
const staff = ['okafor', 'byrne', 'ada', 'quinn'] as const

describe('GET /api/classes', () => {
  test('every class of the school for an administrator, newest year first, then by name', async () => {
    const byrne = { id: people.byrne.id, first_name: 'Cathal', last_name: 'Byrne' }
    const quinn = { id: people.quinn.id, first_name: 'Síle', last_name: 'Quinn' }
    expect(await st.as.okafor.classes.list()).toEqual([
      { id: class3A.id, name: '3A', academicYearId: thisYear.id, isClassTeacher: false, class_teacher: quinn },
      { id: class3B.id, name: '3B', academicYearId: thisYear.id, isClassTeacher: false, class_teacher: byrne },
      { id: lastYears2B.id, name: '2B', academicYearId: lastYear.id, isClassTeacher: false, class_teacher: byrne },
    ])
  })

  test('the class teacher’s name for a teacher of the class; null without one', async () => {
    expect(await st.as.ada.classes.list()).toMatchObject([{ class_teacher: { id: people.byrne.id, last_name: 'Byrne' } }])
    const { id: classId } = await st.as.okafor.classes.create({ body: named('1A') })
    await st.services.store.write(asSystem(), async (tx) => {
      const leader = await tx.find('class_teacher', stBrigids, classId)
      await tx.remove('class_teacher', leader ? [leader] : [])
    })
    const listed = await st.as.okafor.classes.list()
    expect(listed.find(({ id }) => id === classId)).toMatchObject({ isClassTeacher: false, class_teacher: null })
    await st.as.okafor.classes.remove({ params: { classId } })
  })

  test('the classes where a teacher is assigned, and whose class teacher they are', async () => {
    const listed = async (who: 'byrne' | 'ada') => (await st.as[who].classes.list()).map((one) => [one.name, one.isClassTeacher])
    expect(await listed('byrne')).toEqual([
      ['3B', true],
      ['2B', true],
    ])
    expect(await listed('ada')).toEqual([['3B', false]])
  })

  test('academicYearId chooses one year', async () => {
    const listed = await st.as.byrne.classes.list({ query: { academicYearId: lastYear.id } })
    expect(listed.map((one) => one.name)).toEqual(['2B'])
  })

  test('404 for another school’s year, as for one that does not exist', async () => {
    const foreign = await st.as.byrne.classes.list.raw({ query: { academicYearId: hilltopYear.id } })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual((await st.as.byrne.classes.list.raw({ query: { academicYearId: absent } })).body)
    expect(await st.as.okafor.classes.list.raw({ query: { academicYearId: 'x' } })).toMatchObject({ status: 400 })
  })

  test('403 for a member and for an account that is switched off', async () => {
    expect(await st.as.niamh.classes.list.raw()).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await st.as.doyle.classes.list.raw()).toMatchObject({ status: 403, body: { code: 'inactive' } })
  })

  test('the neighbour sees only its own', async () => {
    expect((await st.as.marker.classes.list()).map((one) => one.id)).toEqual([hilltopClass.id])
  })
})

describe('GET /api/classes/:classId', () => {
  test('one class, and whether the caller is its class teacher', async () => {
    const detail = { id: class3B.id, name: '3B', academic_year_id: thisYear.id, created_by: people.byrne.id }
    expect(await st.as.byrne.classes.get({ params })).toEqual({ ...detail, is_class_teacher: true })
    expect(await st.as.ada.classes.get({ params })).toEqual({ ...detail, is_class_teacher: false })
    expect(await st.as.okafor.classes.get({ params })).toEqual({ ...detail, is_class_teacher: false })
  })

  test('403 for a teacher of other classes, and the same for a class that is foreign or absent', async () => {
    const replies = await Promise.all(
      [class3B.id, hilltopClass.id, absent].map((classId) => st.as.quinn.classes.get.raw({ params: { classId } })),
    )
    expect(replies.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  })

  test('404 for an administrator where the class is foreign or absent', async () => {
    for (const classId of [hilltopClass.id, absent]) {
      expect(await st.as.okafor.classes.get.raw({ params: { classId } })).toMatchObject({ status: 404 })
    }
    expect(await st.as.marker.classes.get.raw({ params })).toMatchObject({ status: 404 })
  })

  test('403 for a member, 400 for an id that is none', async () => {
    expect(await st.as.niamh.classes.get.raw({ params })).toMatchObject({ status: 403 })
    expect(await st.as.okafor.classes.get.raw({ params: { classId: '3B' } })).toMatchObject({ status: 400, body: { code: 'malformed_id' } })
  })
})

describe('POST /api/classes', () => {
  test('a teacher creates a class, becomes its class teacher and teaches the subjects named', async () => {
    const created = await st.as.ada.classes.create({ body: { ...named('1C'), subjectIds: [science.id, maths.id] } })
    expect(created).toEqual({ id: created.id, name: '1C', academic_year_id: thisYear.id, created_by: people.ada.id })
    expect(await st.as.ada.classes.get({ params: { classId: created.id } })).toMatchObject({ is_class_teacher: true })
    const [teacher, ...others] = await st.as.ada.classes.teachers({ params: { classId: created.id } })
    expect(others).toEqual([])
    expect(teacher).toMatchObject({ teacherId: people.ada.id, isClassTeacher: true, subjects: [{ code: 'MA' }, { code: 'SC' }] })
    const ids = (await st.rows('teacher_group_assignment')).map(({ id }) => id)
    expect(ids).toContain(naturalId('teacher_group_assignment', people.ada.id, created.id))
    await st.as.ada.classes.remove({ params: { classId: created.id } })
  })

  test('an administrator becomes class teacher too, and subjects may be left out', async () => {
    const { id: classId } = await st.as.okafor.classes.create({ body: named('1D') })
    expect(await st.as.okafor.classes.get({ params: { classId } })).toMatchObject({ is_class_teacher: true })
    await st.as.okafor.classes.remove({ params: { classId } })
  })

  test('an administrator names the class teacher, whose subjects these are, and is not assigned', async () => {
    const body = { ...named('1F'), classTeacherId: people.ada.id, subjectIds: [maths.id] }
    const { id: classId, created_by } = await st.as.okafor.classes.create({ body })
    expect(created_by).toBe(people.okafor.id)
    expect(await st.as.okafor.classes.teachers({ params: { classId } })).toMatchObject([
      { teacherId: people.ada.id, isClassTeacher: true, subjects: [{ code: 'MA' }] },
    ])
    expect(await st.as.ada.classes.get({ params: { classId } })).toMatchObject({ is_class_teacher: true })
    await st.as.okafor.classes.remove({ params: { classId } })
  })

  test.each([
    ['a teacher names somebody else', 'ada', people.byrne.id, 403],
    ['the class teacher would be a member', 'okafor', people.niamh.id, 404],
    ['the class teacher would be switched off', 'okafor', people.doyle.id, 404],
    ['the class teacher would be the neighbour’s', 'okafor', people.marker.id, 404],
    ['the class teacher would be nobody', 'okafor', absent, 404],
    ['the id is none', 'okafor', 'ada', 400],
  ] as const)('where %s: %s gets a refusal and nothing changes', async (_what, who, classTeacherId, status) => {
    const reply = await refused(st, () => st.as[who].classes.create.raw({ body: { ...named('1F'), classTeacherId } }))
    expect(reply).toMatchObject({ status })
  })

  test('a teacher may name themselves', async () => {
    const { id: classId } = await st.as.ada.classes.create({ body: { ...named('1F'), classTeacherId: people.ada.id } })
    expect(await st.as.ada.classes.get({ params: { classId } })).toMatchObject({ is_class_teacher: true })
    await st.as.ada.classes.remove({ params: { classId } })
  })

  test('409 for a name that its year has, but not in another year', async () => {
    const reply = await refused(st, () => st.as.ada.classes.create.raw({ body: named('3B') }))
    expect(reply).toEqual({ status: 409, code: 'classes.duplicate_name' })
    const { id: classId } = await st.as.ada.classes.create({ body: { name: '3B', academicYearId: lastYear.id } })
    await st.as.ada.classes.remove({ params: { classId } })
  })

  test('403 for whoever is removed from the school meanwhile', async () => {
    const leaving = await newcomer(st, 'leaving')
    const place = { id: naturalId('membership', leaving.id, stBrigids), school_id: stBrigids, user_id: leaving.id }
    await st.services.store.write(asSystem(), async (tx) => {
      await tx.insert('school_management', [{ ...place, role: 'teacher', is_active: true }])
      const profile = await tx.find('user_profile', '', leaving.id)
      await tx.update('user_profile', profile ? [{ before: profile, patch: { school_id: stBrigids } }] : [])
    })
    const leave = async (tx: WriteTx) => {
      const membership = await tx.find('school_management', stBrigids, place.id)
      await tx.remove('school_management', membership ? [membership] : [])
    }
    expect(await meanwhile(st, leave, () => leaving.as.classes.create.raw({ body: named('1E') }))).toMatchObject({ status: 403 })
  })

  test('of equal requests at once one creates the class', async () => {
    const replies = await Promise.all(
      staff.map((who) => st.as[who].classes.create.raw({ body: { ...named('At once'), subjectIds: [irish.id] } })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    for (const { status, body } of replies) if (status === 409) expect(body).toMatchObject({ code: 'classes.duplicate_name' })
    const created = replies.find(({ status }) => status === 201)
    const { id: classId } = created!.body as { id: string }
    expect(await st.as.okafor.classes.teachers({ params: { classId } })).toHaveLength(1)
    await st.as.okafor.classes.remove({ params: { classId } })
  })

  test('404 for a year of another school, before the body is checked, and for one that does not exist', async () => {
    for (const academicYearId of [hilltopYear.id, absent]) {
      expect(await refused(st, () => st.as.byrne.classes.create.raw({ body: { name: 3, academicYearId } }))).toEqual({
        status: 404,
        code: 'not_found',
      })
    }
  })

  test('404 where a subject is deleted by somebody else meanwhile', async () => {
    const going = { id: absent, school_id: maths.school_id, name: 'Going', code: 'GO', sort_order: 9, is_active: true }
    const [subject] = await st.services.store.write(asSystem(), (tx) => tx.insert('subject', [going]))
    const create = () => st.as.byrne.classes.create.raw({ body: { ...named('1G'), subjectIds: [absent] } })
    expect(await meanwhile(st, (tx) => tx.remove('subject', [subject!]), create)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect((await st.as.okafor.classes.list()).map((one) => one.name)).not.toContain('1G')
  })

  test('404 for a subject of another school, as for one that does not exist, and nothing is created', async () => {
    for (const subjectId of [hilltopMaths.id, absent]) {
      const body = { ...named('1E'), subjectIds: [maths.id, subjectId] }
      expect(await refused(st, () => st.as.byrne.classes.create.raw({ body }))).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test.each([
    { name: '' },
    { name: 'x'.repeat(201) },
    { name: undefined },
    { subjectIds: 'all' },
    { subjectIds: [maths.id, maths.id] },
    { created_by: 'me' },
  ])('400 for %j', async (wrong) => {
    const reply = await refused(st, () => st.as.okafor.classes.create.raw({ body: { ...named('1F'), ...wrong } }))
    expect(reply).toEqual({ status: 400, code: 'validation_failed' })
  })

  test('400 without a year, and for a year that is no id', async () => {
    expect(await refused(st, () => st.as.byrne.classes.create.raw({ body: { name: '1F' } }))).toMatchObject({ status: 400 })
    const reply = await refused(st, () => st.as.byrne.classes.create.raw({ body: { name: '1F', academicYearId: 7 } }))
    expect(reply).toEqual({ status: 400, code: 'malformed_id' })
  })

  test('403 for a member', async () => {
    expect(await refused(st, () => st.as.niamh.classes.create.raw({ body: named('1F') }))).toEqual({ status: 403, code: 'forbidden' })
  })
})

describe('PATCH /api/classes/:classId', () => {
  test('the class teacher and an administrator rename a class', async () => {
    expect(await st.as.byrne.classes.update({ params, body: { name: '3B Élan' } })).toMatchObject({ id: class3B.id, name: '3B Élan' })
    expect(await st.as.okafor.classes.update({ params, body: { name: '3B' } })).toMatchObject({ name: '3B' })
  })

  test('the same name, or nothing at all, changes nothing', async () => {
    const before = await st.digest()
    await st.as.byrne.classes.update({ params, body: { name: '3B' } })
    await st.as.byrne.classes.update({ params, body: {} })
    expect(await st.digest()).toBe(before)
  })

  test('409 for a name that its year has', async () => {
    const reply = await refused(st, () => st.as.byrne.classes.update.raw({ params, body: { name: '3A' } }))
    expect(reply).toEqual({ status: 409, code: 'classes.duplicate_name' })
  })

  test('two classes given one name at once: one has it', async () => {
    const at = [class3A.id, class3B.id]
    const replies = await Promise.all(at.map((classId) => st.as.okafor.classes.update.raw({ params: { classId }, body: { name: 'Both' } })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    for (const [classId, name] of [
      [class3A.id, '3A'],
      [class3B.id, '3B'],
    ] as const)
      await st.as.okafor.classes.update({ params: { classId }, body: { name } })
  })

  test('403 for a subject teacher, a teacher of other classes and a member, whatever the body', async () => {
    for (const who of ['ada', 'quinn', 'niamh', 'markerTeacher'] as const) {
      expect(await refused(st, () => st.as[who].classes.update.raw({ params, body: { name: 7 } }))).toEqual({
        status: 403,
        code: 'forbidden',
      })
    }
  })

  test('404 for the neighbour’s administrator', async () => {
    expect(await refused(st, () => st.as.marker.classes.update.raw({ params, body: { name: 'X' } }))).toMatchObject({ status: 404 })
  })

  test('400 for an empty name and for another year', async () => {
    for (const body of [{ name: ' ' }, { academicYearId: lastYear.id }]) {
      expect(await refused(st, () => st.as.byrne.classes.update.raw({ params, body }))).toEqual({ status: 400, code: 'validation_failed' })
    }
  })
})

describe('GET /api/classes/:classId/my-subjects', () => {
  const codes = async (who: 'okafor' | 'byrne' | 'ada') => (await st.as[who].classes.mySubjects({ params })).map(({ code }) => code)

  test('every subject of the school for the class teacher and an administrator, in order', async () => {
    expect(await codes('byrne')).toEqual(['MA', 'EN', 'GA', 'SC'])
    expect(await codes('okafor')).toEqual(['MA', 'EN', 'GA', 'SC'])
  })

  test('only the assigned ones for a subject teacher', async () => {
    expect(await codes('ada')).toEqual(['MA'])
    expect((await st.as.quinn.classes.mySubjects({ params: { classId: class3A.id } })).map(({ code }) => code)).toHaveLength(4)
  })

  test('a subject that was made inactive stays, and says so', async () => {
    const row = (await st.rows('subject')).find(({ id }) => id === irish.id)!
    const set = (is_active: boolean) =>
      st.services.store.write(asSystem(), (tx) =>
        tx.update('subject', [{ before: { ...row, is_active: !is_active }, patch: { is_active } }]),
      )
    await set(false)
    expect(await st.as.byrne.classes.mySubjects({ params })).toContainEqual(expect.objectContaining({ code: 'GA', is_active: false }))
    await set(true)
  })

  test('403 for a teacher of other classes and a member', async () => {
    expect(await st.as.quinn.classes.mySubjects.raw({ params })).toMatchObject({ status: 403 })
    expect(await st.as.niamh.classes.mySubjects.raw({ params })).toMatchObject({ status: 403 })
  })
})
