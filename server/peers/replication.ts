import { randomInt } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { Driver } from '@markbook/sync/driver'
import type { Barred, Notice } from '@markbook/sync/machine'
import type { Services } from '../http/services.ts'
import { asSystem } from '../store/tx.ts'
import { AboveParent } from './above.ts'
import { Child } from './child.ts'
import type { Copy, Course, Replication } from './course.ts'
import { parentsOf } from './enrolment.ts'
import { type Carriage, carryOn } from './files/carry-on.ts'
import { Courier } from './files/courier.ts'
import { beginAnew, keysOfEnrolment } from './incarnation.ts'
import { overNetwork } from './network.ts'
import { type Carrier, LineFailure, ParentLine } from './parent-line.ts'
import { trustedAuthority } from './trust.ts'

/**
 * Replicates with this node's parent while it has one, by itself, for as long as the server runs. A parent that another process joined
 * or left (`markbook join`) is seen within seconds.
 */
export async function startReplication(services: Services, given?: Carrier): Promise<Replication> {
  const { store, clock } = services
  const stopping = new AbortController()
  const carry = given ?? overNetwork(stopping.signal, () => trustedAuthority(services.config.dataDir))
  let course: Course = { parent: null, notice: 'alone', reason: null, since: clock.now() }
  let driver: Driver | null = null
  let files: Carriage | null = null

  const begin = async () => {
    await files?.stop()
    await driver?.stop()
    driver = null
    if (stopping.signal.aborted) return
    const [parent = null] = await store.read(asSystem(), parentsOf)
    course = { parent, notice: parent ? 'offline' : 'alone', reason: null, since: clock.now() }
    if (!parent) return
    const tell = (notice: Notice, reason: string | null) => {
      if (notice !== course.notice) services.log.info({ parent: parent.name, notice, reason }, 'replication')
      course = { ...course, notice, reason, since: notice === course.notice ? course.since : clock.now() }
    }
    const copying = (copy: Copy | null) => {
      course = { ...course, copy }
    }
    const reached = (above: number | null) => {
      course = { ...course, above }
    }
    const line = new ParentLine(parent, keysOfEnrolment(services, parent), carry)
    files = carryOn(services, parent.id, new Courier(services, parent.id, line))
    driver = driverFor(services, parent, line, { tell, copying, reached, again: () => void refresh(), carryFiles: files.wake })
    driver.start()
  }
  let turn: Promise<void> = Promise.resolve()
  /** One after the other: two drivers of one parent would take each other's sessions. */
  const refresh = () => {
    const next = turn.catch(() => {}).then(begin)
    turn = next
    return next
  }
  let addresses = addressesHere()
  const look = async () => {
    const now = addressesHere()
    // A cable that was put in again, another network: where there was no line there may be one.
    if (now !== addresses) driver?.call()
    addresses = now
    const [parent = null] = await store.read(asSystem(), parentsOf)
    if (parent?.id !== course.parent?.id) await refresh()
  }

  const forget = store.onAdvance((_, sources) => {
    // What the parent sent itself is no news for it: a round for each of its pages would hold up the next write.
    if ([...sources].some((source) => source !== course.parent?.node_id)) driver?.wrote()
    // What is stored without a line waits in the queue of files at once, and is counted.
    if (course.notice === 'offline') files?.wake()
  })
  await refresh()
  const looking = setInterval(() => void look().catch(() => {}), limits.sync.look).unref()
  return {
    course: () => course,
    refresh,
    carryFiles: () => files?.wake(),
    stop: async () => {
      clearInterval(looking)
      forget()
      stopping.abort()
      await turn.catch(() => {})
      await files?.stop()
      await driver?.stop()
    },
  }
}

const addressesHere = () => JSON.stringify(Object.values(networkInterfaces()).map((each) => each?.map(({ address }) => address)))

type Told = {
  tell(notice: Notice, reason: string | null): void
  copying(copy: Copy | null): void
  reached(above: number | null): void
  again(): void
  carryFiles(): void
}

function driverFor(services: Services, parent: Row<'sync_peer'>, line: ParentLine, told: Told): Driver {
  const { tell, copying, reached, again, carryFiles } = told
  const child = new Child(services, parent.id, line)
  const above = parent.user_id === null ? null : new AboveParent()
  return new Driver(
    {
      greet: () => child.greet(),
      renew: async () => {
        await beginAnew(services, parent.id, line)
        again()
      },
      push: async () => {
        const pushed = await child.push()
        // Files follow their rows.
        if (!pushed.more) carryFiles()
        return pushed
      },
      pull: async (wait, signal) => {
        const heard = await child.pull(wait, signal)
        const { copied, total } = heard.page
        copying(copied === null || total === null ? null : { copied, total })
        if (above) reached(above.heard(heard.page, heard.sent))
        if (!heard.more) carryFiles()
        return heard
      },
      later: (ms, then) => {
        const timer = setTimeout(then, ms).unref()
        return () => clearTimeout(timer)
      },
      random: () => randomInt(1_000_000) / 1_000_000,
      tell,
      meaningOf,
    },
    { ...limits.sync.backOff, wait: limits.sync.wait },
  )
}

const BARRED: Readonly<Record<string, Barred>> = {
  'sync.revoked': 'revoked',
  'sync.unknown_node': 'revoked',
  'sync.upgrade_needed': 'upgrade',
}

export function meaningOf(error: unknown): 'line' | 'session' | Barred {
  if (!(error instanceof LineFailure)) return 'line'
  return BARRED[error.code] ?? (error.code === 'sync.stale_session' ? 'session' : 'line')
}
