import { hilltop, type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { issueConsoleCode } from '../../features/auth/issued-codes.ts'
import { differencesOf, digestsOf } from '../../replication/scope/verify.ts'
import { asSystem } from '../../store/tx.ts'
import { enrolled } from '../../testing/authenticator.ts'
import { browserOf } from '../../testing/browser.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { refusedAt, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** Whoever runs a server can print a code for anybody and sign in there as them. */
async function atTheConsole({ services, app }: School, name: PersonName) {
  const { code } = await issueConsoleCode(services.store, people[name].email, services.keys)
  const { client } = browserOf(app)
  await client.auth.verifyOtp({ body: { email: people[name].email, token: code } })
  return client
}
async function signsIn(node: School, name: PersonName, code: string): Promise<boolean> {
  const { status } = await browserOf(node.app).client.auth.verifyOtp.raw({ body: { email: people[name].email, token: code } })
  return status === 200
}
function later(...nodes: School[]): void {
  for (const { clock } of nodes) clock.advance(60_000)
}
const asksToJoin = (client: Awaited<ReturnType<typeof signedIn>>) =>
  client.schools.requestToJoin({ params: { schoolId: stBrigids }, body: {} })
/** The school's head takes in, at the school or at the centre, whoever has asked. */
async function isTakenIn(at: School, name: PersonName) {
  const { schools } = await signedIn(at, 'okafor')
  const asked = (await schools.joinRequests()).find(({ user }) => user.email === people[name].email)
  if (!asked) throw new Error(`${name} has not asked`)
  await schools.approve({ params: { requestId: asked.id }, body: { role: 'teacher' } })
}
/** Where what the school's server holds and what the centre holds of it are not the same. */
const differences = async (box: School, centre: School) => {
  const whose = { kind: 'school' as const, school_id: stBrigids, user_id: null }
  return differencesOf(await digestsOf(box.services.store, whose), await digestsOf(centre.services.store, whose))
}
const nameOf = async (node: School, name: PersonName) => {
  const found = (await node.rows('user_profile')).find(({ id }) => id === people[name].id)
  return found && `${found.first_name} ${found.last_name}`
}

describe('the neighbour’s rows: the neighbour’s people', () => {
  test('who runs the server of one school cannot become the head of another, even with a place at the first', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const asMarker = await atTheConsole(box, 'marker')
    const app = await enrolled(asMarker, box.clock)
    await asMarker.outage.newRecoveryCodes()
    await asMarker.auth.updateProfile({ body: { firstName: 'Evil', lastName: 'Twin' } })
    await asksToJoin(asMarker)
    await settle(link)
    later(centre, box)
    expect(await signsIn(centre, 'marker', app.code())).toBe(false)

    await isTakenIn(box, 'marker')
    await settle(link)
    later(centre, box)
    expect(await signsIn(centre, 'marker', app.code())).toBe(false)
    expect(await centre.rows('user_totp')).toEqual([])
    expect(await centre.rows('recovery_code')).toEqual([])
    expect(await nameOf(centre, 'marker')).toBe('Hilltop-Marker Hilltop-Head')
    expect(await nameOf(box, 'marker')).toBe('Evil Twin')
  })

  test('who runs it gets nothing with which they sign in', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const app = await enrolled(centre.as.marker, centre.clock)
    await centre.as.marker.outage.newRecoveryCodes()
    await asksToJoin(centre.as.marker)
    await settle(link)
    await isTakenIn(centre, 'marker')
    await settle(link)
    later(centre, box)
    expect((await box.rows('school_management')).some(({ user_id }) => user_id === people.marker.id)).toBe(true)
    expect(await box.rows('user_totp')).toEqual([])
    expect(await box.rows('recovery_code')).toEqual([])
    expect(await signsIn(box, 'marker', app.code())).toBe(false)
    expect(await signsIn(centre, 'marker', app.code())).toBe(true)
  })

  test('somebody of another school is not removed by it', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await asksToJoin(await atTheConsole(box, 'marker'))
    await settle(link)
    await box.services.store.write(asSystem(), async (tx) => {
      const profile = await tx.find('user_profile', '', people.marker.id)
      await tx.remove('school_join_request', await tx.db.select().from(tx.t.school_join_request))
      if (profile) await tx.remove('user_profile', [profile])
    })
    await settle(link)
    expect(await nameOf(centre, 'marker')).toBe('Hilltop-Marker Hilltop-Head')
  })

  test('an app that was set up at a school’s server opens that school alone: with a place at another, it is set up anew', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const app = await enrolled(await signedIn(box, 'ada'), box.clock)
    await settle(link)
    later(centre, box)
    expect(await signsIn(centre, 'ada', app.code())).toBe(true)

    await centre.as.ada.schools.requestToJoin({ params: { schoolId: hilltop }, body: {} })
    later(centre, box)
    expect(await signsIn(centre, 'ada', app.code())).toBe(false)
    expect(await (await signedIn(centre, 'ada')).outage.ownWays()).toEqual({ confirmed_at: null, recovery_codes: 0, second_since: null })
    expect(await signsIn(box, 'ada', app.code())).toBe(true)

    const anew = await enrolled(await signedIn(centre, 'ada'), centre.clock)
    await settle(link)
    later(centre, box)
    expect(await signsIn(centre, 'ada', anew.code())).toBe(true)
    expect(await signsIn(box, 'ada', anew.code())).toBe(false)
    expect(await signsIn(box, 'ada', app.code(1))).toBe(true)
  })

  test('an app that a school’s server was given opens no more where its owner has a place at another since', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const app = await enrolled(centre.as.ada, centre.clock)
    await settle(link)
    later(centre, box)
    expect(await signsIn(box, 'ada', app.code())).toBe(true)
    const { id } = await centre.as.ada.schools.requestToJoin({ params: { schoolId: hilltop }, body: {} })
    await centre.as.marker.schools.approve({ params: { requestId: id }, body: { role: 'teacher' } })
    later(centre, box)
    expect(await signsIn(centre, 'ada', app.code())).toBe(false)
    const anew = await enrolled(await signedIn(centre, 'ada'), centre.clock)
    await settle(link)
    later(centre, box)
    expect(await signsIn(centre, 'ada', anew.code())).toBe(true)
    expect(await signsIn(box, 'ada', anew.code())).toBe(false)
    // Each has its own, and nothing is wrong.
    const own = await enrolled(await signedIn(box, 'ada'), box.clock)
    await settle(link)
    later(centre, box)
    expect([await signsIn(box, 'ada', own.code()), await signsIn(centre, 'ada', own.code())]).toEqual([true, false])
    expect(await signsIn(centre, 'ada', anew.code())).toBe(true)
    expect(await refusedAt(box)).toEqual([])
    expect(await differences(box, centre)).toEqual([])
  })

  test.each(['centre', 'school'] as const)(
    'an app that somebody has before they are taken in opens both ends after it; at the %s',
    async (where) => {
      const { centre, box, link } = await centreAndSchool(open)
      const there = where === 'centre'
      const client = there ? centre.as.nobody : await atTheConsole(box, 'nobody')
      const app = await enrolled(client, there ? centre.clock : box.clock)
      await client.auth.updateProfile({ body: { firstName: 'New', lastName: 'Person' } })
      await asksToJoin(client)
      await settle(link)
      if (!there) await asksToJoin(centre.as.nobody)
      await settle(link)
      await isTakenIn(there ? box : centre, 'nobody')
      await settle(link)
      later(centre, box)
      expect(await signsIn(centre, 'nobody', app.code())).toBe(true)
      expect(await signsIn(box, 'nobody', app.code())).toBe(true)
    },
  )
})
