import { people } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../../peers/enrolment.ts'
import { nodeKeys } from '../../peers/keys.ts'
import { heardKeys, vouchedKeys } from '../../peers/new-keys.ts'
import { asSystem } from '../../store/tx.ts'
import { enrolled } from '../../testing/authenticator.ts'
import { browserOf } from '../../testing/browser.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { centreAndSchool } from './scenes.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const signsIn = async (node: School, code: string) =>
  (await browserOf(node.app).client.auth.verifyOtp.raw({ body: { email: people.okafor.email, token: code } })).status
/** What a node of `secret` says of its keys to a child that knows the one of `known`. */
const vouched = ({ services }: School, secret: string, known: string) =>
  services.store.read(asSystem(), (tx) =>
    vouchedKeys(tx, { secret, node: services.store.nodeId, knows: nodeKeys(secret, known).publicKey }),
  )

describe('the app of somebody who signs in without mail', () => {
  test('set up at the centre opens the school too', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const app = await enrolled(centre.as.okafor, centre.clock)
    centre.clock.advance(30_000)
    box.clock.advance(30_000)
    await link.round()
    expect(await signsIn(box, app.code())).toBe(200)
  })

  test.each(['centre', 'school'] as const)('after the centre has begun anew, set up at the %s', async (where) => {
    const { centre, box, link } = await centreAndSchool(open)
    await centre.services.store.renewNode()
    await link.round()
    const [here, there] = where === 'centre' ? [centre, box] : [box, centre]
    const app = await enrolled(await signedIn(here, 'okafor'), here.clock)
    centre.clock.advance(30_000)
    box.clock.advance(30_000)
    await link.round()
    expect(await signsIn(there, app.code())).toBe(200)
    expect(await signsIn(here, app.code())).toBe(200)
  })
})

test('new keys of a parent are believed where the one that is known vouches for them, and nobody else', async () => {
  const { centre, box } = await centreAndSchool(open)
  const { store, config } = centre.services
  const before = store.nodeId
  expect(await vouched(centre, config.sessionSecret, before)).toEqual({})
  await store.renewNode()
  const [parent] = await box.services.store.read(asSystem(), parentsOf)
  if (!parent) throw new Error('the school has no parent')
  const { keys } = await vouched(centre, config.sessionSecret, before)
  const { publicKey, boxKey } = nodeKeys(config.sessionSecret, store.nodeId)
  expect(heardKeys(parent, keys)).toEqual({ public_key: publicKey, box_key: boxKey })
  // Another who knows the numbers, and not the secret.
  const { keys: theirs } = await vouched(centre, 'the secret of somebody else on the same line', before)
  expect(theirs).toBeDefined()
  expect(heardKeys(parent, theirs)).toEqual({})
  expect(heardKeys(parent, keys && { ...keys, box_key: theirs?.box_key ?? '' })).toEqual({})
  expect(heardKeys(parent, undefined)).toEqual({})
})
