import { naturalId } from '@markbook/shared/ids'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const ABSENT = '00000000-0000-7000-8000-999999999999'

const setActive = (id: string, is_active: boolean) =>
  st.services.store.write(asSystem(), async (tx) => {
    const before = await tx.find('school', '', id)
    if (before) await tx.update('school', [{ before, patch: { is_active } }])
  })

describe('PATCH /api/auth/onboard', () => {
  const names = { firstName: 'Nóra', lastName: 'Ní  Bhriain 🌻' }

  test('a person with a school saves only the names, whatever school is named', async () => {
    const reply = await st.as.doyle.auth.onboard({ body: { firstName: 'Máirtín', lastName: 'Doyle', schoolId: hilltop } })
    expect(reply).toEqual({
      id: people.doyle.id,
      first_name: 'Máirtín',
      last_name: 'Doyle',
      school_id: stBrigids,
      school: { id: stBrigids, name: 'St Brigid’s' },
    })
    expect((await st.rows('school_join_request')).filter(({ user_id }) => user_id === people.doyle.id)).toEqual([])
  })

  test('404 for a school that is absent or not active, and the names are not saved', async () => {
    await setActive(hilltop, false)
    const before = await st.digest()
    for (const schoolId of [ABSENT, hilltop])
      expect(await st.as.nobody.auth.onboard.raw({ body: { ...names, schoolId } })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    expect(await st.digest()).toBe(before)
    await setActive(hilltop, true)
  })

  test.each([
    [{ firstName: 'A\r\nB', lastName: 'C' }, 'firstName'],
    [{ firstName: 'A', lastName: 'C\nX-Evil: 1' }, 'lastName'],
    [{ firstName: '', lastName: 'C' }, 'firstName'],
    [{ firstName: 'A' }, 'lastName'],
    [{ firstName: 'A', lastName: 'x'.repeat(201) }, 'lastName'],
    [{ firstName: 7, lastName: 'C' }, 'firstName'],
    [{ ...names, role: 'admin' }, ''],
  ])('400 for %j, and nothing changes', async (body, path) => {
    const before = await st.digest()
    expect(await st.as.nobody.auth.onboard.raw({ body })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', issues: [{ path }] },
    })
    expect(await st.digest()).toBe(before)
  })

  test('400 for a malformed school id', async () => {
    expect(await st.as.nobody.auth.onboard.raw({ body: { ...names, schoolId: 'HILLTOP' } })).toMatchObject({
      status: 400,
      body: { code: 'malformed_id' },
    })
  })

  test('without a school only the names are saved, as they were typed', async () => {
    const reply = await st.as.nobody.auth.onboard({ body: { ...names, schoolId: null } })
    expect(reply).toEqual({ id: people.nobody.id, first_name: names.firstName, last_name: names.lastName, school_id: null, school: null })
    expect(await st.as.nobody.auth.me()).toMatchObject({ is_onboarded: true })
  })

  test('with a school, names and a pending request are saved together; of two at once one passes', async () => {
    const bodies = [hilltop, stBrigids].map((schoolId) => ({ firstName: 'Nora', lastName: 'Breen', schoolId }))
    const replies = await Promise.all(bodies.map((body) => st.as.nobody.auth.onboard.raw({ body })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    const requests = (await st.rows('school_join_request')).filter(({ user_id }) => user_id === people.nobody.id)
    expect(requests).toMatchObject([{ status: 'pending', message: null, reviewed_at: null }])
    const [request] = requests
    expect(replies.find(({ status }) => status === 200)?.body).toEqual({
      id: people.nobody.id,
      first_name: 'Nora',
      last_name: 'Breen',
      school_id: null,
      school: null,
      joinRequest: { id: request?.id, school_id: request?.school_id, status: 'pending' },
    })
    expect(await st.as.nobody.auth.me()).toMatchObject({ school_id: null, pending_join_request: { id: request?.id } })
  })

  test('400 while any request is pending, and the names are not saved', async () => {
    const before = await st.digest()
    const reply = await st.as.tomas.auth.onboard.raw({ body: { ...names, schoolId: hilltop } })
    expect(reply).toMatchObject({ status: 400, body: { code: 'schools.pending_request' } })
    expect(await st.digest()).toBe(before)
  })

  test('401 for nobody', async () => {
    expect(await st.anonymous.auth.onboard.raw({ body: names })).toMatchObject({ status: 401 })
  })
})

describe('PATCH /api/auth/profile', () => {
  test('changes a name and answers the profile', async () => {
    expect(await st.as.niamh.auth.updateProfile({ body: { firstName: 'Niamh Áine' } })).toMatchObject({
      id: people.niamh.id,
      first_name: 'Niamh Áine',
      last_name: 'Walsh',
      role: 'member',
      school: { id: stBrigids },
      pending_join_request: null,
    })
    expect(await st.as.niamh.auth.me()).toMatchObject({ first_name: 'Niamh Áine' })
  })

  test('an empty change changes nothing', async () => {
    const before = await st.digest()
    await st.as.niamh.auth.updateProfile({ body: {} })
    expect(await st.digest()).toBe(before)
  })

  test('403 for a school without a membership there, absent or not, whatever else is wrong; and nothing changes', async () => {
    const before = await st.digest()
    for (const who of ['byrne', 'okafor', 'tomas', 'marker'] as const) {
      const foreign = await st.as[who].auth.updateProfile.raw({
        body: { firstName: 'X', schoolId: who === 'marker' ? stBrigids : hilltop },
      })
      const absent = await st.as[who].auth.updateProfile.raw({ body: { firstName: 7, schoolId: ABSENT } })
      expect(foreign).toMatchObject({ status: 403, body: { code: 'auth.not_a_member' } })
      expect(absent.body).toEqual(foreign.body)
    }
    expect(await st.digest()).toBe(before)
  })

  test('403 for a school where the membership is not active', async () => {
    expect(await st.as.doyle.auth.updateProfile.raw({ body: { schoolId: stBrigids } })).toMatchObject({ status: 403 })
  })

  test('with a second membership its school can become the active one, with its role', async () => {
    await st.services.store.write(asSystem(), (tx) =>
      tx.insert('school_management', [
        { id: naturalId('membership', people.ada.id, hilltop), school_id: hilltop, user_id: people.ada.id, role: 'admin', is_active: true },
      ]),
    )
    expect(await st.as.ada.auth.updateProfile({ body: { schoolId: hilltop } })).toMatchObject({
      role: 'admin',
      school_id: hilltop,
      school: { id: hilltop, name: 'Hilltop-Marker School' },
    })
    expect(await st.as.ada.auth.me()).toMatchObject({ role: 'admin', school_id: hilltop })
    expect(await st.as.ada.auth.updateProfile({ body: { schoolId: stBrigids } })).toMatchObject({ role: 'teacher', school_id: stBrigids })
  })

  test.each([[{ firstName: 'A\u0000' }], [{ lastName: 'A\rB' }], [{ firstName: null }], [{ role: 'admin' }], [{ email: 'b@x.org' }], [[]]])(
    '400 for %j',
    async (body) => {
      expect(await st.as.niamh.auth.updateProfile.raw({ body })).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    },
  )
})
