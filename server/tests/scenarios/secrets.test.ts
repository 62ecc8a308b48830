import { people } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { createApp } from '../../app/app.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { nodeKeys } from '../../replication/identity/keys.ts'
import { asSystem } from '../../store/tx.ts'
import { enrolled } from '../../testing/authenticator.ts'
import { browserOf } from '../../testing/browser.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { copiesIn } from './copies.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

const signsIn = async (node: School, code: string) =>
  (await browserOf(node.app).client.auth.verifyOtp.raw({ body: { email: people.okafor.email, token: code } })).status
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

describe('a parent that began anew', () => {
  const known = ({ services }: School) => services.store.read(asSystem(), async (tx) => (await parentsOf(tx))[0])
  const keysAt = ({ services }: School) => nodeKeys(services.config.sessionSecret, services.store.nodeId)

  test('says its new keys in a reply that the former ones sign, also where it lost the days in which it had those', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const image = await imageOf(centre)
    await centre.services.store.renewNode()
    await link.round()
    expect(await known(box)).toMatchObject({ public_key: keysAt(centre).publicKey, box_key: keysAt(centre).boxKey })
    const restored = await startedFrom(image, 'restored-centre')
    await restored.services.store.renewNode()
    await makeRound(box, carrierTo(restored))
    expect(await known(box)).toMatchObject({ public_key: keysAt(restored).publicKey, box_key: keysAt(restored).boxKey })
  })

  test('and whose secret was replaced is not accepted: nothing changes, and it is said what to do', async () => {
    const { centre, box } = await centreAndSchool(open)
    const before = await known(box)
    const { services } = centre
    const other = { ...services, config: { ...services.config, sessionSecret: 'the secret of somebody else on the same line' } }
    await expect(makeRound(box, carrierTo({ app: createApp(other) }))).rejects.toMatchObject({
      code: 'sync.not_authentic',
      message: expect.stringMatching(/not authentic.*join it again with a new code/),
    })
    expect(await known(box)).toEqual(before)
  })
})
