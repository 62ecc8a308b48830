import { networkInterfaces } from 'node:os'
import { limits } from '@markbook/shared/limits'
import type { Notice } from '@markbook/sync/machine'
import type { Services } from '../http/services.ts'
import type { Peer } from '../store/peer-row.ts'
import { asSystem } from '../store/tx.ts'
import { keepTransferring, type TransferLoop } from './files/transfer-loop.ts'
import { parentsOf } from './identity/enrolment.ts'
import { trustedAuthority } from './identity/trust.ts'
import { beginUnderNumber, keysOfEnrolment } from './incarnation/incarnation.ts'
import { overNetwork } from './line/network.ts'
import { type Carrier, ParentLine } from './line/parent-line.ts'
import { ParentDriver, type Rhythm, usualRhythm } from './parent-driver.ts'
import { carryOutWipe, type Session } from './upstream/carry-out-wipe.ts'
import type { Child } from './upstream/child.ts'
import { type CompareBounds, Comparison } from './upstream/comparison.ts'
import { meetOthers } from './upstream/other-parents.ts'
import { type ChoiceTimes, ParentChoice } from './upstream/parent-choice.ts'
import type { Copy, Obstacle, Replication, UpstreamStatus } from './upstream/upstream-status.ts'

/**
 * Replicates with this node's parent, while it has one, for as long as the server runs. A parent that another process joined or left
 * (`markbook join`) is noticed within seconds. Of several parents it speaks with one at a time: with the first, and while that is away with
 * the next.
 */
export async function startReplication(
  services: Services,
  given?: Carrier,
  patience: ChoiceTimes = limits.sync.parents,
  bounds: CompareBounds = limits.sync.compare,
  rhythm: Rhythm = usualRhythm,
): Promise<Replication> {
  const { store, clock } = services
  const stopping = new AbortController()
  const carry = given ?? overNetwork(stopping.signal, () => trustedAuthority(services.config.dataDir))
  let course: UpstreamStatus = { parent: null, notice: 'alone', reason: null, since: clock.now() }
  let driver: ParentDriver | null = null
  let files: TransferLoop | null = null
  const whose = new ParentChoice(patience)
  const wiping = wipingOf(services)
  const comparison = new Comparison(services, bounds, async (signal) => {
    const place = await meetOthers(services, whose.place, carry, signal)
    if (place !== null) turns.soon(place)
  })
  const note = (news: Partial<UpstreamStatus>) => {
    course = { ...course, ...news }
  }

  const begin = async (wanted: number) => {
    await files?.stop()
    await driver?.stop()
    driver = null
    if (stopping.signal.aborted) return
    const parents = await store.read(asSystem(), parentsOf)
    const parent = parents[whose.begin(idsOf(parents), wanted)] ?? null
    course = { parent, notice: parent ? 'offline' : 'alone', reason: null, since: clock.now() }
    if (!parent) return
    await beginUnderNumber(store, parent.id)
    const tell = (notice: Notice, reason: string | null, obstacle: Obstacle | null) => {
      if (notice !== course.notice) services.log.info({ parent: parent.name, notice, reason }, 'replication')
      note({ notice, reason, obstacle, since: notice === course.notice ? course.since : clock.now() })
      const next = turns.isOver ? whose.after(notice, clock.now()) : null
      if (next !== null) turns.soon(next)
    }
    const line = new ParentLine(parent, keysOfEnrolment(services, parent), carry)
    files = keepTransferring(services, parent.id, line)
    const again = () => turns.soon(whose.place)
    const wipe = (askedAt: string, child: Child) => wiping.carryOut(parent, askedAt, { child, line, carry }, files)
    const heard = { copying: (copy: Copy | null) => note({ copy }), reached: (above: number | null) => note({ above }) }
    comparison.beginWithAnother()
    // Two parents of a laptop compare with each other themselves.
    const compared = whose.place === 0 ? comparison : null
    driver = new ParentDriver(services, parent, line, { tell, ...heard, again, carryFiles: files.wake, wipe }, compared, rhythm)
    driver.start()
  }
  const turns = turnsOf(begin, (error) => services.log.error({ err: error }, 'replication could not begin'))
  let addresses = addressesHere()
  const look = async () => {
    const now = addressesHere()
    // A cable that was put in again, another network: where there was no line there may be one.
    if (now !== addresses) driver?.call()
    addresses = now
    const parents = await store.read(asSystem(), parentsOf)
    const isFirstBack = async () => whose.isTimeToLook(clock.now()) && (await answers(parents[0]?.url ?? '', carry, patience.timeoutMs))
    if (!whose.isOf(idsOf(parents)) || (await isFirstBack())) await turns.to(0)
  }

  const forget = store.onAdvance((_, sources) => {
    // What the parent sent itself is no news for it: a round for each of its pages would hold up the next write.
    if ([...sources].some((source) => source !== course.parent?.node_id)) driver?.wrote()
    // Without a line files enter their queue at once, and are counted.
    if (course.notice === 'offline') files?.wake()
  })
  await turns.to(0)
  const looking = setInterval(() => void look().catch(() => {}), limits.sync.checkEveryMs).unref()
  return {
    course: () => course,
    refresh: () => turns.to(0),
    carryFiles: () => files?.wake(),
    wiped: wiping.done,
    stop: async () => {
      clearInterval(looking)
      forget()
      stopping.abort()
      await turns.end()
      await files?.stop()
      await driver?.stop()
    },
  }
}

/**
 * `carryOut`: carries out the order of this laptop's school; it may break off, and is ordered again. `done`: resolves once the order is
 * carried out as far as a running server can.
 */
function wipingOf(services: Services) {
  let end = () => {}
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  const carryOut = async ({ id, name }: Peer, askedAt: string, session: Session, files: TransferLoop | null): Promise<void> => {
    services.log.warn({ parent: name, askedAt }, 'the school asks that this laptop be erased: what is unsent goes there first')
    await files?.stop()
    await carryOutWipe(services, id, askedAt, session)
    end()
  }
  return { done, carryOut }
}

/**
 * Begins loops one after the other: two drivers of one parent would end each other's sessions, and no page of one parent may come between
 * those of another.
 */
function turnsOf(begin: (place: number) => Promise<void>, failed: (error: unknown) => void) {
  let last: Promise<void> = Promise.resolve()
  let open = 0
  const to = (place: number): Promise<void> => {
    open += 1
    last = last
      .catch(() => {})
      .then(() => begin(place))
      .finally(() => {
        open -= 1
      })
    return last
  }
  return {
    to,
    soon: (place: number) => void to(place).catch(failed),
    /** Whether no begin is under way. */
    get isOver() {
      return open === 0
    },
    end: () => last.catch(() => {}),
  }
}

const idsOf = (parents: readonly Peer[]) => parents.map(({ id }) => id)

function answers(url: string, carry: Carrier, patience: number): Promise<boolean> {
  const request = new Request(new URL('/healthz', url), { signal: AbortSignal.timeout(patience) })
  return carry(request).then(
    ({ ok }) => ok,
    () => false,
  )
}
const addressesHere = () => JSON.stringify(Object.values(networkInterfaces()).map((each) => each?.map(({ address }) => address)))
