import { people, stBrigids } from '@markbook/shared/story/people'
import { invite } from '../../../server/replication/identity/enrolment.ts'
import { overNetwork } from '../../../server/replication/line/network.ts'
import { startReplication } from '../../../server/replication/replication.ts'
import { joinParent } from '../../../server/replication/upstream/join.ts'
import { asSystem } from '../../../server/store/tx.ts'
import { type BadLine, badLineTo } from '../../../server/testing/bad-line.ts'
import { openSite, type Site } from './site.ts'

/** Shorter waits for these tests: until a cut connection is used again, and until a server without news replies. */
const HURRIED = { firstMs: 200, maxMs: 1_000, maxUnsentMs: 1_000, afterWriteMs: 200, longPollSeconds: 2 }

/**
 * Joins a server to a parent over HTTP and a connection that can be cut, and waits for the first copy. `user`: the owner of the laptop;
 * null for a school.
 */
export async function joinedUnder(parent: Site, child: Site, user: string | null = null): Promise<BadLine> {
  const line = await badLineTo(() => parent.running().port)
  const kind = user ? 'laptop' : 'school'
  const asked = { kind, schoolId: stBrigids, userId: user, by: people.okafor.id } as const
  const { code } = await parent.running().node.services.store.write(asSystem(), (tx) => invite(tx, asked))
  const { services } = child.running().node
  await joinParent(services, { url: line.url, code, kind }, overNetwork(new AbortController().signal))
  await services.replication?.stop()
  services.replication = await startReplication(services, undefined, undefined, undefined, HURRIED)
  await inStep(child, user ? 'ada' : 'okafor')
  return line
}

export type Joined = { centre: Site; box: Site; line: BadLine; close(): Promise<void> }

/** A centre with the story, and the school's server below it after a first copy. */
export async function underTheMinistry(): Promise<Joined> {
  const [centre, box] = await Promise.all([
    openSite({ env: { NODE_NAME: 'The ministry', COOKIE_PREFIX: 'centre' } }),
    openSite({ story: false, env: { NODE_NAME: 'The office', COOKIE_PREFIX: 'box' } }),
  ])
  const line = await joinedUnder(centre, box)
  const close = async () => {
    await box.close()
    await line.close()
    await centre.close()
  }
  return { centre, box, line, close }
}

/** Waits until nothing is left to send or receive, by the status that `person` sees. */
export async function inStep(site: Site, person: 'ada' | 'okafor' = 'okafor'): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    // Before their row has arrived the person cannot sign in here.
    const asked = site.as(person).then((one) => one.replication.status())
    const status = await asked.catch(() => null)
    if (status?.state === 'up_to_date' && status.waiting === 0 && !status.copy) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('a server never came in step with the one above it')
}
