import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, schoolAndLaptop } from '../../testing/joined.ts'
import { asModifiedProgram } from '../../testing/modified-program.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const minute = 60_000
const memberAt = async (node: School, user: string) => {
  const found = (await node.rows('school_management')).find(({ school_id, user_id }) => school_id === stBrigids && user_id === user)
  return found && { role: found.role, is_active: found.is_active }
}

/** A second administrator, Doyle; somebody new has asked at the centre for a place; the school has heard of it, and then its line is cut. */
async function askedAndCut() {
  const { centre, box, link } = await centreAndSchool(open)
  await centre.as.okafor.schools.updateMember({ params: { userId: people.doyle.id }, body: { isActive: true } })
  await centre.as.nobody.auth.updateProfile({ body: { firstName: 'Maeve', lastName: 'Lynch' } })
  const { id } = await centre.as.nobody.schools.requestToJoin({ params: { schoolId: stBrigids }, body: { message: 'From September.' } })
  await settle(link)
  link.line.cut = true
  const requestAt = async (node: School) => (await node.rows('school_join_request')).find((each) => each.id === id)
  return { centre, box, link, request: { requestId: id }, requestAt }
}

describe('the admin’s offline approval', () => {
  test.each([
    ['approved at the school and then rejected at the centre', 'school', 'centre', 'approval first'],
    ['rejected at the centre and then approved at the school', 'school', 'centre', 'rejection first'],
    ['approved at the centre and then rejected at the school', 'centre', 'school', 'approval first'],
    ['rejected at the school and then approved at the centre', 'centre', 'school', 'rejection first'],
  ] as const)('%s: approved stands, with the role that was given', async (_, approving, __, order) => {
    const { centre, box, link, request, requestAt } = await askedAndCut()
    const [yes, no] = approving === 'school' ? [box, centre] : [centre, box]
    const approve = async () => {
      expect((await (await signedIn(yes, 'okafor')).schools.joinRequests()).map(({ id }) => id)).toContain(request.requestId)
      await (await signedIn(yes, 'okafor')).schools.approve({ params: request, body: { role: 'teacher' } })
    }
    const reject = async () => void (await (await signedIn(no, 'doyle')).schools.reject({ params: request }))
    for (const act of order === 'approval first' ? [approve, reject] : [reject, approve]) {
      await act()
      for (const { clock } of [centre, box]) clock.advance(minute)
    }
    await expect(link.round()).rejects.toThrow('the line is cut')
    expect([(await requestAt(yes))?.status, (await requestAt(no))?.status]).toEqual(['approved', 'rejected'])
    expect(await memberAt(no, people.nobody.id)).toBeUndefined()

    link.line.cut = false
    await settle(link)
    for (const node of [centre, box]) {
      expect(await requestAt(node)).toMatchObject({ status: 'approved', reviewed_by: people.okafor.id })
      expect(await memberAt(node, people.nobody.id)).toEqual({ role: 'teacher', is_active: true })
      expect(await (await signedIn(node, 'nobody')).auth.me()).toMatchObject({ role: 'teacher', school: { id: stBrigids } })
      // What lost is told, and nobody has to decide.
      expect(await conflictsAt(node)).toMatchObject([
        { entity: 'school_join_request', unit: 'status', status: 'noticed', actor_id: people.doyle.id, value: { status: 'rejected' } },
      ])
    }
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
  })

  test('approved at both ends with different roles: one membership, of the later; the other role waits for a decision', async () => {
    const { centre, box, link, request } = await askedAndCut()
    await (await signedIn(centre, 'doyle')).schools.approve({ params: request, body: { role: 'member' } })
    box.clock.advance(minute)
    await (await signedIn(box, 'okafor')).schools.approve({ params: request, body: { role: 'teacher' } })
    link.line.cut = false
    await settle(link)
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
    expect(await memberAt(centre, people.nobody.id)).toEqual({ role: 'teacher', is_active: true })
    expect((await conflictsAt(box)).filter(({ status }) => status === 'open')).toMatchObject([
      { entity: 'school_management', unit: 'role', value: { role: 'member' }, actor_id: people.doyle.id },
    ])
  })

  test('by an administrator whom the centre demoted meanwhile: the school judged him when he wrote, and it stands', async () => {
    const { centre, box, link, request, requestAt } = await askedAndCut()
    await centre.as.okafor.schools.updateMember({ params: { userId: people.doyle.id }, body: { role: 'teacher' } })
    box.clock.advance(minute)
    await (await signedIn(box, 'doyle')).schools.approve({ params: request, body: { role: 'teacher' } })
    link.line.cut = false
    await settle(link)
    for (const node of [centre, box]) {
      expect(await memberAt(node, people.doyle.id)).toEqual({ role: 'teacher', is_active: true })
      expect(await requestAt(node)).toMatchObject({ status: 'approved', reviewed_by: people.doyle.id })
      expect(await memberAt(node, people.nobody.id)).toEqual({ role: 'teacher', is_active: true })
    }
    expect([await refusedAt(box), await conflictsAt(box)]).toEqual([[], []])
    // From the moment when the school has heard of it, he approves nobody.
    const tomas = (await box.rows('school_join_request')).find(({ user_id }) => user_id === people.tomas.id)
    const late = (await signedIn(box, 'doyle')).schools.approve({ params: { requestId: tomas?.id ?? '' }, body: { role: 'teacher' } })
    await expect(late).rejects.toMatchObject({ status: 403 })
  })

  test('by an administrator who was made one while the line was cut, and who makes another', async () => {
    const { centre, box, link, request } = await askedAndCut()
    await (await signedIn(box, 'okafor')).schools.updateMember({ params: { userId: people.quinn.id }, body: { role: 'admin' } })
    await (await signedIn(box, 'quinn')).schools.approve({ params: request, body: { role: 'admin' } })
    await (await signedIn(box, 'okafor')).schools.updateMember({ params: { userId: people.quinn.id }, body: { role: 'teacher' } })
    link.line.cut = false
    await settle(link)
    expect(await refusedAt(box)).toEqual([])
    for (const node of [centre, box]) {
      expect(await memberAt(node, people.nobody.id)).toEqual({ role: 'admin', is_active: true })
      expect(await memberAt(node, people.quinn.id)).toEqual({ role: 'teacher', is_active: true })
    }
  })

  test('with the role of an administrator, by somebody who never was one at the centre: the centre does not take the role', async () => {
    const { centre, box, link, request } = await askedAndCut()
    // Past the program, at the school's own disk.
    await box.services.store.write(asSystem(people.quinn.id), async (tx) => {
      const own = (await tx.db.select().from(tx.t.school_management)).find(({ user_id }) => user_id === people.quinn.id)
      if (own) await tx.update('school_management', [{ before: own, patch: { role: 'admin' } }])
    })
    await (await signedIn(box, 'quinn')).schools.approve({ params: request, body: { role: 'admin' } })
    link.line.cut = false
    await settle(link)
    for (const node of [centre, box]) {
      expect((await memberAt(node, people.nobody.id))?.role).not.toBe('admin')
      expect(await memberAt(node, people.quinn.id)).toEqual({ role: 'teacher', is_active: true })
    }
    const refused = (await refusedAt(box)).filter(({ unit }) => unit === 'role')
    expect(refused).toMatchObject([0, 1].map(() => ({ table_name: 'school_management', actor_id: people.quinn.id, code: 'forbidden' })))
  })
})

test('a laptop that is no administrator’s makes nobody an administrator: what only the school and the centre write is refused', async () => {
  const { box, laptop, laptopLink: link } = await schoolAndLaptop(open)
  await laptop.services.store.write(asSystem(people.ada.id), async (tx) => {
    const before = (await tx.db.select().from(tx.t.school_management)).find(({ user_id }) => user_id === people.ada.id)
    if (before) await asModifiedProgram(tx, () => tx.update('school_management', [{ before, patch: { role: 'admin' } }]))
  })
  await settle(link)
  for (const node of [box, laptop]) expect(await memberAt(node, people.ada.id)).toEqual({ role: 'teacher', is_active: true })
  expect(await refusedAt(laptop)).toMatchObject([{ table_name: 'school_management', code: 'forbidden' }])
})
