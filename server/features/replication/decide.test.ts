import { limits } from '@markbook/shared/limits'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { centreAndSchool } from '../../testing/joined.ts'
import { signedIn, type UnderParent } from '../../testing/nodes.ts'
import { refused } from '../../testing/refused.ts'
import type { School } from '../../testing/school.ts'

type Client = Awaited<ReturnType<typeof signedIn>>
let centre: School
let box: School
let link: UnderParent
beforeEach(async () => {
  ;({ centre, box, link } = await centreAndSchool())
})
afterEach(async () => {
  await box.close()
  await centre.close()
})

describe('POST /api/sync/conflicts/:id/resolve of what only administrators write', () => {
  /** Writes the same part of a row at both ends, at the centre a second later; returns the conflict as the head sees it at the centre. */
  async function twoWrites(entity: string, here: (at: Client) => Promise<unknown>, there: (at: Client) => Promise<unknown>) {
    await here(await signedIn(box, 'okafor'))
    centre.clock.advance(1_000)
    await there(centre.as.okafor)
    await link.round()
    await link.round()
    const found = (await centre.as.okafor.replication.conflicts()).find((conflict) => conflict.entity === entity)
    if (!found) throw new Error('there is no conflict')
    await link.round()
    return found
  }
  const decide = (id: string, choice: 'kept' | 'typed', value?: Record<string, unknown>) =>
    centre.as.okafor.replication.resolve({ params: { id }, body: { choice, ...(value && { value }) } })
  const toMember = { params: { userId: people.ada.id } }
  const roleAt = async (at: School) => (await at.rows('school_management')).find(({ user_id }) => user_id === people.ada.id)?.role

  test('the role of a member: kept, at both ends, and not by a teacher', async () => {
    const role = (wanted: 'admin' | 'member') => (at: Client) => at.schools.updateMember({ ...toMember, body: { role: wanted } })
    const { id, kept } = await twoWrites('school_management', role('admin'), role('member'))
    expect(kept).toEqual({ role: 'admin' })
    const asTeacher = () => centre.as.byrne.replication.resolve.raw({ params: { id }, body: { choice: 'kept' } })
    expect(await refused(centre, asTeacher)).toEqual({ status: 403, code: 'admin_only' })
    expect(await decide(id, 'kept')).toMatchObject({ status: 'resolved' })
    await link.round()
    expect([await roleAt(centre), await roleAt(box)]).toEqual(['admin', 'admin'])
  })

  test('the role of a member: only with a fresh proof, as at the endpoint itself', async () => {
    const role = (wanted: 'admin' | 'member') => (at: Client) => at.schools.updateMember({ ...toMember, body: { role: wanted } })
    const { id } = await twoWrites('school_management', role('admin'), role('member'))
    centre.clock.advance(limits.proof.validMs)
    const asked = () => centre.as.okafor.replication.resolve.raw({ params: { id }, body: { choice: 'kept' } })
    expect(await refused(centre, asked)).toEqual({ status: 403, code: 'auth.fresh_proof_needed' })
    expect((await centre.as.okafor.replication.conflicts()).map((conflict) => conflict.id)).toContain(id)
  })

  test('the role of a member: typed, as if it were entered', async () => {
    const role = (wanted: 'admin' | 'member') => (at: Client) => at.schools.updateMember({ ...toMember, body: { role: wanted } })
    const { id } = await twoWrites('school_management', role('admin'), role('member'))
    const typed = (value: unknown) =>
      centre.as.okafor.replication.resolve.raw({ params: { id }, body: { choice: 'typed', value: { role: value } } })
    expect(await refused(centre, () => typed('head'))).toEqual({ status: 400, code: 'validation_failed' })
    await decide(id, 'typed', { role: 'teacher' })
    expect(await roleAt(centre)).toBe('teacher')
  })

  test('the active year: kept or typed, as by activating it; one that is none cannot be', async () => {
    const next = await centre.as.okafor.academicYears.create({
      body: { name: '2026/27', startDate: '2026-09-01', endDate: '2027-07-01', gradingModel: 'term_based' },
    })
    await link.round()
    const lastActive = (await centre.rows('active_year'))[0]?.academic_year_id as string
    const { id, kept } = await twoWrites(
      'active_year',
      (at) => at.academicYears.activate({ params: { id: next.id } }),
      (at) => at.academicYears.deactivate({ params: { id: lastActive } }),
    )
    expect(kept).toEqual({ academic_year_id: next.id })
    const typed = (value: unknown) =>
      centre.as.okafor.replication.resolve.raw({ params: { id }, body: { choice: 'typed', value: { academic_year_id: value } } })
    for (const value of ['1', null]) expect(await refused(centre, () => typed(value))).toEqual({ status: 400, code: 'validation_failed' })
    expect(await refused(centre, () => typed(people.ada.id))).toEqual({ status: 409, code: 'sync.cannot_resolve' })
    await decide(id, 'kept')
    await link.round()
    for (const at of [centre, box])
      expect((await at.rows('active_year')).find(({ school_id }) => school_id === stBrigids)?.academic_year_id).toBe(next.id)
  })

  test('the name of the school: kept and typed', async () => {
    const name = (wanted: string) => (at: Client) => at.schools.updateMine({ body: { name: wanted } })
    const first = await twoWrites('school', name('St Brigid’s College'), name('St Brigid’s School'))
    await decide(first.id, 'kept')
    const nameAt = async (at: School) => (await at.rows('school')).find(({ id }) => id === stBrigids)?.name
    await link.round()
    expect([await nameAt(centre), await nameAt(box)]).toEqual(['St Brigid’s College', 'St Brigid’s College'])
  })
})
