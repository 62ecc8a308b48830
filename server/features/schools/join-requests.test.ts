import { naturalId } from '@markbook/shared/ids'
import { hilltop, joinRequests, people, stBrigids } from '@markbook/shared/story/people'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { newcomers } from '../../testing/newcomers.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

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

const absent = '00000000-0000-7000-8000-999999999999'
const ofTomas = { requestId: joinRequests[0]?.id ?? '' }
const ask = (schoolId: string, body?: unknown) => st.as.nobody.schools.requestToJoin.raw({ params: { schoolId }, body })
const approve = (name: 'okafor' | 'marker', role = 'teacher', params = ofTomas) =>
  st.as[name].schools.approve.raw({ params, body: { role } })
const secondAdmin = () => st.as.okafor.schools.updateMember({ params: { userId: people.doyle.id }, body: { isActive: true } })

describe('POST /api/schools/:schoolId/join-requests', () => {
  test('answers the waiting request with its school', async () => {
    const { status, body } = await ask(stBrigids, { message: 'Hello' })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.any(String),
        user_id: people.nobody.id,
        school_id: stBrigids,
        status: 'pending',
        message: 'Hello',
        requested_at: expect.any(String),
        reviewed_at: null,
        reviewed_by: null,
        school: { id: stBrigids, name: 'St Brigid’s' },
      },
    })
    expect(await st.as.nobody.auth.me()).toMatchObject({ school_id: null, pending_join_request: { school: { id: stBrigids } } })
  })

  test('needs no body, and accepts a member of another school', async () => {
    expect((await ask(hilltop)).status).toBe(201)
    expect((await st.as.byrne.schools.requestToJoin.raw({ params: { schoolId: hilltop } })).status).toBe(201)
  })

  test('400 while any request waits, in whatever school', async () => {
    const again = () => st.as.tomas.schools.requestToJoin.raw({ params: { schoolId: hilltop } })
    expect(await refused(st, again)).toEqual({ status: 400, code: 'schools.pending_request' })
  })

  test('of ten at once to two schools, one waits and nine are 400', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => ask(at % 2 ? hilltop : stBrigids)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(9).fill(400)])
  })

  test('409 for a member of that school, suspended or not', async () => {
    for (const name of ['niamh', 'doyle'] as const) {
      const call = () => st.as[name].schools.requestToJoin.raw({ params: { schoolId: stBrigids } })
      expect(await refused(st, call)).toEqual({ status: 409, code: 'schools.already_member' })
    }
  })

  test('404 where the school does not exist, and the same where it is inactive', async () => {
    const gone = await ask(absent)
    await st.services.store.write(asSystem(), async (tx) => {
      const before = await tx.find('school', hilltop, hilltop)
      if (before) await tx.update('school', [{ before, patch: { is_active: false } }])
    })
    const inactive = await ask(hilltop)
    expect(gone.status).toBe(404)
    expect(inactive.body).toEqual(gone.body)
  })

  test('400 for a message of 501 characters, counted in code points', async () => {
    expect(await refused(st, () => ask(stBrigids, { message: '😀'.repeat(501) }))).toMatchObject({ status: 400 })
    expect((await ask(stBrigids, { message: '😀'.repeat(500) })).status).toBe(201)
  })
})

describe('GET /api/schools/join-requests', () => {
  test('the waiting requests of the own school, oldest first', async () => {
    const [one, two] = await newcomers(st, 2)
    for (const context of [two, one]) {
      st.clock.advance(1_000)
      await context?.as.schools.requestToJoin({ params: { schoolId: stBrigids } })
    }
    await st.as.nobody.schools.requestToJoin({ params: { schoolId: hilltop } })
    const queue = await st.as.okafor.schools.joinRequests()
    expect(queue.map((request) => request.user.email)).toEqual([people.tomas.email, two?.email, one?.email])
    expect(queue[0]).toEqual({
      id: ofTomas.requestId,
      status: 'pending',
      message: 'I start in September.',
      requested_at: '2026-01-10T09:00:00.000Z',
      user: { id: people.tomas.id, first_name: 'Tomás', last_name: 'Keane', email: people.tomas.email },
      school: { id: stBrigids, name: 'St Brigid’s' },
    })
  })

  test.each(['byrne', 'niamh', 'doyle', 'tomas'] as const)('403 for %s', async (name) => {
    await expect(st.as[name].schools.joinRequests()).rejects.toMatchObject({ status: 403 })
  })
})

describe('PATCH /api/schools/join-requests/:requestId/approve', () => {
  test('makes the requester a member with the role given, and this their school', async () => {
    expect(await st.as.tomas.auth.me()).toMatchObject({ school: null, pending_join_request: { status: 'pending' } })
    const request = await st.as.okafor.schools.approve({ params: ofTomas, body: { role: 'teacher' } })
    expect(request).toMatchObject({ status: 'approved', reviewed_by: people.okafor.id, reviewed_at: expect.any(String) })
    expect(await st.as.tomas.auth.me()).toMatchObject({ school: { id: stBrigids }, role: 'teacher', pending_join_request: null })
    expect((await st.as.tomas.students.list()).length).toBeGreaterThan(0)
  })

  test('makes this the active school of a member of another one, whose membership stays', async () => {
    const { id } = await st.as.markerTeacher.schools.requestToJoin({ params: { schoolId: stBrigids } })
    await approve('okafor', 'member', { requestId: id })
    expect(await st.as.markerTeacher.auth.me()).toMatchObject({ school: { id: stBrigids }, role: 'member' })
    expect(await st.as.marker.schools.members()).toContainEqual(
      expect.objectContaining({ user_id: people.markerTeacher.id, role: 'teacher' }),
    )
  })

  test('gives a suspended membership the new role and activates it', async () => {
    const membership = { school_id: stBrigids, user_id: people.tomas.id, role: 'admin' as const, is_active: false }
    await st.services.store.write(asSystem(), (tx) =>
      tx.insert('school_management', [{ id: naturalId('membership', people.tomas.id, stBrigids), ...membership }]),
    )
    expect((await approve('okafor', 'teacher')).status).toBe(200)
    const rows = (await st.rows('school_management')).filter((row) => row.user_id === people.tomas.id)
    expect(rows).toMatchObject([{ role: 'teacher', is_active: true }])
  })

  test('two administrators at once: one 200 and one 400', async () => {
    await secondAdmin()
    const answers = await Promise.all([approve('okafor'), st.as.doyle.schools.approve.raw({ params: ofTomas, body: { role: 'admin' } })])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
    expect((await st.rows('school_management')).filter((row) => row.user_id === people.tomas.id)).toHaveLength(1)
  })

  test('approving and withdrawing at once: either the member is in, or there is neither request nor member', async () => {
    const [approved, withdrawn] = await Promise.all([approve('okafor'), st.as.tomas.schools.withdraw.raw({ params: ofTomas })])
    const members = (await st.rows('school_management')).filter((row) => row.user_id === people.tomas.id)
    expect([`${approved.status} ${withdrawn.status} ${members.length}`]).toEqual([approved.status === 200 ? '200 400 1' : '404 200 0'])
  })

  test('400 when it was answered before', async () => {
    await st.as.okafor.schools.reject({ params: ofTomas })
    expect(await refused(st, () => approve('okafor'))).toEqual({ status: 400, code: 'schools.already_reviewed' })
  })

  test('403 for a request to another school, 404 for one that does not exist', async () => {
    expect(await refused(st, () => approve('marker'))).toEqual({ status: 403, code: 'schools.foreign_request' })
    expect(await refused(st, () => approve('marker', 'teacher', { requestId: absent }))).toMatchObject({ status: 404 })
  })

  test('400 without a role or with an unknown one', async () => {
    expect(await refused(st, () => approve('okafor', 'headteacher'))).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(await refused(st, () => st.as.okafor.schools.approve.raw({ params: ofTomas }))).toMatchObject({ status: 400 })
  })

  test.each(['byrne', 'niamh', 'doyle', 'tomas'] as const)('403 for %s, and nothing changes', async (name) => {
    const call = () => st.as[name].schools.approve.raw({ params: ofTomas, body: { role: 'admin' } })
    expect(await refused(st, call)).toMatchObject({ status: 403 })
  })
})

describe('PATCH /api/schools/join-requests/:requestId/reject', () => {
  test('leaves the profile alone, and the requester may ask again', async () => {
    expect(await st.as.okafor.schools.reject({ params: ofTomas })).toMatchObject({ status: 'rejected', reviewed_by: people.okafor.id })
    expect(await st.as.tomas.auth.me()).toMatchObject({ school: null, role: null, pending_join_request: null })
    expect((await st.as.tomas.schools.requestToJoin.raw({ params: { schoolId: stBrigids } })).status).toBe(201)
  })

  test('400 when it was answered before, 403 for another school’s, 404 for none', async () => {
    const reject = (name: 'okafor' | 'marker', params = ofTomas) => st.as[name].schools.reject.raw({ params })
    expect(await refused(st, () => reject('marker'))).toEqual({ status: 403, code: 'schools.foreign_request' })
    expect(await refused(st, () => reject('okafor', { requestId: absent }))).toMatchObject({ status: 404 })
    await reject('okafor')
    expect(await refused(st, () => reject('okafor'))).toEqual({ status: 400, code: 'schools.already_reviewed' })
  })

  test('403 for a teacher', async () => {
    await expect(st.as.byrne.schools.reject({ params: ofTomas })).rejects.toMatchObject({ status: 403 })
  })
})

describe('DELETE /api/schools/join-requests/:requestId', () => {
  test('the requester withdraws it, and nobody sees it any more', async () => {
    expect(await st.as.tomas.schools.withdraw({ params: ofTomas })).toEqual({ message: 'Your request was withdrawn.' })
    expect(await st.as.okafor.schools.joinRequests()).toEqual([])
    expect(await st.as.tomas.auth.me()).toMatchObject({ pending_join_request: null })
  })

  test('400 once it was answered', async () => {
    await st.as.okafor.schools.reject({ params: ofTomas })
    expect(await refused(st, () => st.as.tomas.schools.withdraw.raw({ params: ofTomas }))).toEqual({
      status: 400,
      code: 'schools.already_reviewed',
    })
  })

  test('somebody else’s is answered like one that does not exist', async () => {
    const others = await Promise.all(
      (['nobody', 'okafor', 'marker'] as const).map((name) => st.as[name].schools.withdraw.raw({ params: ofTomas })),
    )
    const gone = await st.as.nobody.schools.withdraw.raw({ params: { requestId: absent } })
    expect(others.map((answer) => answer.status)).toEqual([404, 404, 404])
    expect(others[0]?.body).toEqual(gone.body)
  })
})
