import { naturalId } from '@markbook/shared/ids'
import { hilltop, type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { issueConsoleCode } from '../../features/auth/issued-codes.ts'
import { differencesOf, digestsOf } from '../../replication/scope/verify.ts'
import { asSystem } from '../../store/tx.ts'
import { browserOf } from '../../testing/browser.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt, refusedBelow, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** Whoever runs a server can print a code for any address and sign in there with it. */
async function atTheConsole({ services, app }: School, email: string) {
  const { code } = await issueConsoleCode(services.store, email, services.keys)
  const { client } = browserOf(app)
  await client.auth.verifyOtp({ body: { email, token: code } })
  return client
}
const ask = { params: { schoolId: stBrigids }, body: {} }
async function takeIn(at: School, email: string, role: 'admin' | 'teacher' = 'teacher') {
  const { schools } = await signedIn(at, 'okafor')
  const asked = (await schools.joinRequests()).find(({ user }) => user.email === email)
  if (!asked) throw new Error(`${email} has not asked`)
  await schools.approve({ params: { requestId: asked.id }, body: { role } })
}
const profileAt = async (node: School, name: PersonName) => {
  const found = (await node.rows('user_profile')).find(({ id }) => id === people[name].id)
  return found && [found.first_name, found.last_name]
}
const placeAt = async (node: School, name: PersonName) =>
  (await node.rows('school_management')).find(({ school_id, user_id }) => school_id === stBrigids && user_id === people[name].id)
const requestsAt = async (node: School, name: PersonName) =>
  (await node.rows('school_join_request')).filter(({ school_id, user_id }) => school_id === stBrigids && user_id === people[name].id)
const offersTo = async (centre: School, name: PersonName) => (await signedIn(centre, name)).schools.offers()
const differences = async (box: School, centre: School) => {
  const whose = { kind: 'school' as const, school_id: stBrigids, user_id: null }
  return differencesOf(await digestsOf(box.services.store, whose), await digestsOf(centre.services.store, whose))
}
/** The school's console takes in a person whose account is at the centre. */
async function drawnIn(name: PersonName, role: 'admin' | 'teacher' = 'teacher') {
  const { centre, box, link } = await centreAndSchool(open)
  const client = await atTheConsole(box, people[name].email)
  await client.schools.requestToJoin(ask)
  await settle(link)
  await takeIn(box, people[name].email, role)
  await settle(link)
  return { centre, box, link }
}

describe('a school’s server cannot draw in who has an account at the centre', () => {
  test.each(['marker', 'nobody'] as const)('%s: no name comes down, and nobody is a member at the centre', async (name) => {
    const { centre, box } = await drawnIn(name)
    expect(await profileAt(box, name)).toEqual([null, null])
    expect([await placeAt(centre, name), await requestsAt(centre, name)]).toEqual([undefined, []])
    expect(await (await signedIn(centre, name)).auth.schools()).toHaveLength(name === 'marker' ? 1 : 0)
    expect(await placeAt(box, name)).toMatchObject({ role: 'teacher', is_active: true })
    // Both lists tell it, and neither end counts it as a difference.
    expect((await refusedAt(box)).map(({ code }) => code)).toContain('awaits_person')
    expect(new Set((await refusedAt(box)).map(({ table_name }) => table_name))).toEqual(
      new Set(['school_join_request', 'school_management']),
    )
    expect((await refusedBelow(centre)).every(({ code }) => code === 'awaits_person')).toBe(true)
    expect(await differences(box, centre)).toEqual([])
    const told = await centre.as.okafor.replication.refused()
    expect(told.map(({ code }) => code)).toContain('awaits_person')
    if (name === 'marker') expect(JSON.stringify(told)).not.toContain('Hilltop-')
  })

  test('she sees the offer where her account is; when she agrees, she is a teacher at both ends, with her name', async () => {
    const { centre, box, link } = await drawnIn('marker')
    expect(await offersTo(centre, 'marker')).toEqual([
      { school: { id: stBrigids, name: 'St Brigid’s' }, role: 'teacher', offered_at: expect.any(String) },
    ])
    expect(await offersTo(centre, 'ada')).toEqual([])
    await centre.as.marker.schools.requestToJoin(ask)
    expect(await offersTo(centre, 'marker')).toEqual([])
    await settle(link)
    for (const node of [centre, box]) {
      expect(await placeAt(node, 'marker')).toMatchObject({ role: 'teacher', is_active: true })
      const approved = { status: 'approved', reviewed_by: people.okafor.id }
      expect(await requestsAt(node, 'marker')).toMatchObject([approved, approved])
      expect(await profileAt(node, 'marker')).toEqual([people.marker.first_name, people.marker.last_name])
      expect(await conflictsAt(node)).toEqual([])
    }
    expect(await refusedAt(box)).toEqual([])
    expect(await differences(box, centre)).toEqual([])
  })

  test('she agrees before the school has approved her request: it is one request, and the school approves it', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await (await atTheConsole(box, people.marker.email)).schools.requestToJoin(ask)
    await settle(link)
    expect(await offersTo(centre, 'marker')).toMatchObject([{ role: null }])
    await centre.as.marker.schools.requestToJoin(ask)
    await settle(link)
    await takeIn(box, people.marker.email)
    await settle(link)
    expect(await requestsAt(centre, 'marker')).toMatchObject([{ status: 'approved' }])
    expect(await placeAt(centre, 'marker')).toMatchObject({ role: 'teacher' })
    expect([await refusedAt(box), await conflictsAt(box), await differences(box, centre)]).toEqual([[], [], []])
  })

  test('a place without a request, as a school that joins brings it: her agreement asks, and is approved by who gave the place', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await atTheConsole(box, people.marker.email)
    await box.services.store.write(asSystem(people.okafor.id), (tx) =>
      tx.insert('school_management', [
        {
          id: naturalId('membership', people.marker.id, stBrigids),
          school_id: stBrigids,
          user_id: people.marker.id,
          role: 'teacher',
          is_active: true,
        },
      ]),
    )
    await settle(link)
    expect(await placeAt(centre, 'marker')).toBeUndefined()
    await centre.as.marker.schools.requestToJoin(ask)
    await settle(link)
    expect(await requestsAt(centre, 'marker')).toMatchObject([{ status: 'approved', reviewed_by: people.okafor.id }])
    expect(await placeAt(centre, 'marker')).toMatchObject({ role: 'teacher' })
  })

  test('she declines: the offer goes, and she is in the school no more than before', async () => {
    const { centre, box, link } = await drawnIn('marker')
    await expect(centre.as.ada.schools.declineOffer({ params: { schoolId: stBrigids } })).rejects.toMatchObject({ status: 404 })
    await centre.as.marker.schools.declineOffer({ params: { schoolId: stBrigids } })
    await settle(link)
    expect(await offersTo(centre, 'marker')).toEqual([])
    expect([await placeAt(centre, 'marker'), await profileAt(box, 'marker')]).toEqual([undefined, [null, null]])
    await expect(centre.as.marker.schools.declineOffer({ params: { schoolId: stBrigids } })).rejects.toMatchObject({ status: 404 })
  })

  test('classes that were given her wait with her, and come when she agrees', async () => {
    const { centre, box, link } = await drawnIn('marker')
    const [group] = await box.rows('student_group')
    const [subject] = await box.rows('subject')
    const { id: student_group_id = '', academic_year_id = '' } = group ?? {}
    const place = { school_id: stBrigids, user_profile_id: people.marker.id, student_group_id, academic_year_id }
    await box.services.store.write(asSystem(people.okafor.id), async (tx) => {
      await tx.insert('teacher_group_assignment', [place])
      await tx.insert('teacher_subject_assignment', [{ ...place, subject_id: subject?.id ?? '' }])
    })
    await settle(link)
    const taughtAt = async (node: School) =>
      [...(await node.rows('teacher_group_assignment')), ...(await node.rows('teacher_subject_assignment'))].filter(
        ({ user_profile_id }) => user_profile_id === people.marker.id,
      ).length
    expect([await taughtAt(centre), await taughtAt(box)]).toEqual([0, 2])
    expect(await profileAt(box, 'marker')).toEqual([null, null])
    await centre.as.marker.schools.requestToJoin(ask)
    await settle(link)
    expect([await taughtAt(centre), await taughtAt(box)]).toEqual([2, 2])
    expect(await differences(box, centre)).toEqual([])
  })

  test('an administrator who waits makes others administrators, and does so after she agrees', async () => {
    const { centre, box, link } = await drawnIn('marker', 'admin')
    await (await signedIn(box, 'marker')).schools.updateMember({ params: { userId: people.quinn.id }, body: { role: 'admin' } })
    await settle(link)
    expect(await placeAt(centre, 'quinn')).toMatchObject({ role: 'admin' })
    await centre.as.marker.schools.requestToJoin(ask)
    await settle(link)
    expect(await placeAt(centre, 'marker')).toMatchObject({ role: 'admin' })
  })

  test('a mark that she enters at the school counts, and names her to nobody at the centre until she agrees', async () => {
    const { centre, box, link } = await drawnIn('marker', 'admin')
    const [grade] = await box.rows('grade')
    const { assessment_id = '', student_id = '', id = '' } = grade ?? {}
    const marking = (await signedIn(box, 'marker')).grades
    await marking.bulk({ body: { assessmentId: assessment_id, grades: [{ studentId: student_id, score: 1 }] } })
    await settle(link)
    const writer = async () => (await centre.as.okafor.history.list({ query: { entity: 'grade', id } }))[0]?.actor
    expect((await centre.rows('grade')).find((each) => each.id === id)).toMatchObject({ score: 1 })
    expect(await writer()).toEqual({ id: people.marker.id, first_name: null, last_name: null })
    await centre.as.marker.schools.requestToJoin(ask)
    await settle(link)
    expect(await writer()).toMatchObject({ last_name: people.marker.last_name })
  })

  test('again and again, nothing is told twice', async () => {
    const { centre, box, link } = await drawnIn('marker')
    const before = [(await refusedAt(box)).length, (await refusedBelow(centre)).length]
    await (await signedIn(box, 'okafor')).schools.updateMember({ params: { userId: people.marker.id }, body: { role: 'member' } })
    await settle(link)
    expect((await offersTo(centre, 'marker')).map(({ role }) => role)).toEqual(['member'])
    expect((await refusedAt(box)).length - (before[0] ?? 0)).toBeLessThanOrEqual(2)
    await settle(link)
    expect([(await refusedAt(box)).length, (await refusedBelow(centre)).length].map((each, at) => each - (before[at] ?? 0))).toEqual([1, 1])
  })
})

describe('what needs nobody’s agreement at the centre', () => {
  test('whoever the centre does not know is taken in at the school, and is a teacher at both ends', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const client = await atTheConsole(box, 'newcomer@st-brigids.example')
    await client.auth.updateProfile({ body: { firstName: 'New', lastName: 'Comer' } })
    await client.schools.requestToJoin(ask)
    await settle(link)
    await takeIn(box, 'newcomer@st-brigids.example')
    await settle(link)
    const id = naturalId('user', 'newcomer@st-brigids.example')
    for (const node of [centre, box])
      expect((await node.rows('school_management')).find(({ user_id }) => user_id === id)).toMatchObject({ role: 'teacher' })
    expect((await centre.rows('user_profile')).find((row) => row.id === id)).toMatchObject({ last_name: 'Comer' })
    expect(await refusedAt(box)).toEqual([])
  })

  test('one whom the school’s own server brought comes back to it without the centre', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const client = await atTheConsole(box, 'newcomer@st-brigids.example')
    const { id } = await client.schools.requestToJoin(ask)
    await settle(link)
    await client.schools.withdraw({ params: { requestId: id } })
    await settle(link)
    await client.schools.requestToJoin(ask)
    await settle(link)
    const user_id = naturalId('user', 'newcomer@st-brigids.example')
    expect((await centre.rows('school_join_request')).filter((row) => row.user_id === user_id)).toMatchObject([{ status: 'pending' }])
    expect(await refusedAt(box)).toEqual([])
  })

  test('whoever asked at the centre is taken in at the school, also where the name is another school’s', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await centre.as.markerTeacher.schools.requestToJoin(ask)
    await settle(link)
    await takeIn(box, people.markerTeacher.email)
    await settle(link)
    expect(await placeAt(centre, 'markerTeacher')).toMatchObject({ role: 'teacher' })
    expect(
      (await centre.rows('school_management'))
        .filter(({ user_id }) => user_id === people.markerTeacher.id)
        .map(({ school_id }) => school_id)
        .sort(),
    ).toEqual([hilltop, stBrigids].sort())
    expect(await refusedAt(box)).toEqual([])
  })
})
