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

const stBrigidsRef = { id: stBrigids, name: 'St Brigid’s' }
const hilltopRef = { id: hilltop, name: 'Hilltop-Marker School' }

describe('GET /api/auth/schools', () => {
  test('the caller’s membership in their school', async () => {
    expect(await st.as.byrne.auth.schools()).toEqual([{ school: stBrigidsRef, role: 'teacher', is_active: true }])
  })

  test('all memberships, by name of the school, and the caller can switch between them', async () => {
    const user_id = people.byrne.id
    await st.services.store.write(asSystem(), (tx) =>
      tx.insert('school_management', [
        { id: naturalId('membership', user_id, hilltop), school_id: hilltop, user_id, role: 'admin', is_active: true },
      ]),
    )
    expect(await st.as.byrne.auth.schools()).toEqual([
      { school: hilltopRef, role: 'admin', is_active: true },
      { school: stBrigidsRef, role: 'teacher', is_active: true },
    ])
    const profile = await st.as.byrne.auth.updateProfile({ body: { schoolId: hilltop } })
    expect(profile).toMatchObject({ school: hilltopRef, role: 'admin' })
    expect((await st.as.marker.auth.schools()).map(({ school }) => school.id)).toEqual([hilltop])
  })

  test('a suspended membership is marked', async () => {
    expect(await st.as.doyle.auth.schools()).toEqual([{ school: stBrigidsRef, role: 'admin', is_active: false }])
  })

  test('a school that was closed is left out', async () => {
    await st.services.store.write(asSystem(), async (tx) => {
      const before = await tx.find('school', '', hilltop)
      if (before) await tx.update('school', [{ before, patch: { is_active: false } }])
    })
    expect(await st.as.marker.auth.schools()).toEqual([])
  })

  test('empty without a membership; 401 without a session', async () => {
    expect(await st.as.nobody.auth.schools()).toEqual([])
    expect(await st.anonymous.auth.schools.raw()).toMatchObject({ status: 401 })
  })
})
