import { randomInt } from 'node:crypto'
import { toInstant } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import {
  begun,
  type Chance,
  type Comparing,
  type ComparingBounds,
  type ComparisonResult,
  compared,
  failed,
  mayMergeAgain,
  merged,
  putOff,
} from '@markbook/sync/comparing'
import { textToCursor } from '@markbook/sync/protocol/cursor'
import type { Verified } from '@markbook/sync/protocol/messages'
import type { Services } from '../../http/services.ts'
import { type Peer, setPeer } from '../../store/peer-row.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { peerById } from '../identity/enrolment.ts'
import { LineFailure, type ParentLine } from '../line/parent-line.ts'
import { type Difference, differencesOf, digestsOf, placesOf } from '../scope/verify.ts'
import { type Child, MERGE_START, type MergePlace } from './child.ts'

export type CompareBounds = ComparingBounds & { mergeAfterMs: number; repairReportedMs: number }

/** A child and the line on which it has greeted. */
export type Session = { child: Child; line: ParentLine }

const chance: Chance = () => randomInt(1_000_000) / 1_000_000

/**
 * Compares what this node holds with what its first parent holds, step by step in quiet moments, and has everything merged again where they
 * differ. Nothing is ever taken from a digest (M7). What was found stands in `sync_peer`, so that it survives a restart.
 */
export class Comparison {
  private state: Comparing
  private place: MergePlace = MERGE_START
  private othersDue = 0

  /** `meetOthers`: meets the other parents of a laptop; called once a day in such a moment. */
  constructor(
    private readonly services: Services,
    private readonly bounds: CompareBounds = limits.sync.compare,
    private readonly meetOthers: (signal?: AbortSignal) => Promise<void> = async () => {},
  ) {
    this.state = begun(services.clock.now(), chance, bounds)
  }

  /** How many ms until there is something to do. */
  wait(): number {
    return Math.max(0, this.state.due - this.services.clock.now())
  }

  /** Call when the parent changes: what was found of one says nothing of another. */
  beginWithAnother(): void {
    this.place = MERGE_START
    if (this.state.kind !== 'resting') this.state = { kind: 'resting', due: this.state.due }
  }

  /**
   * Does the next step: one comparison, or one page of a merge. If the line breaks, the step is done again. Throws failures of the line.
   */
  async step(peerId: string, session: Session, signal?: AbortSignal): Promise<void> {
    const { clock, log } = this.services
    try {
      if (clock.now() >= this.othersDue) {
        await this.meetOthers(signal)
        this.othersDue = clock.now() + this.bounds.everyMs
      }
      // Also counts rows that came from the parent itself as sent.
      while ((await session.child.push()).more) signal?.throwIfAborted()
      if (this.state.kind === 'merging') await this.merge(peerId, session, signal)
      else await this.compare(peerId, session, signal)
    } catch (error) {
      if (signal?.aborted) throw error
      const isLine = error instanceof LineFailure && error.means !== 'request'
      const isLater = error instanceof LineFailure && error.code === 'sync.later'
      if (isLater) this.state = putOff(this.state, clock.now(), chance, this.bounds.retryMs)
      else this.state = failed(this.state, isLine, clock.now(), chance, this.bounds)
      if (isLine) throw error
      if (!isLater) log.error({ err: error }, 'replication: what is here and at the parent could not be compared')
    }
  }

  private async compare(peerId: string, session: Session, signal?: AbortSignal): Promise<void> {
    const { store, clock, log } = this.services
    const { seen, differences } = await look(this.services, peerId, session.line, signal)
    const peer = await store.read(asSystem(), (tx) => peerById(tx, peerId))
    if (!peer) return
    const now = clock.now()
    const open = peer.difference?.healed_at === null ? peer.difference : null
    const mayMerge = mayMergeAgain(now, open?.merged_at ? Date.parse(open.merged_at) : null, open?.merges ?? 0, this.bounds)
    const { state, verdict } = compared(this.state, seen, { now, chance, mayMerge }, this.bounds)
    this.state = state
    this.place = MERGE_START
    if (verdict === 'same') await store.write(asSystem(), (tx) => keepSame(tx, peerId, this.bounds.repairReportedMs))
    if (verdict !== 'found') return
    const found = { found_at: toInstant(now), healed_at: null, merged_at: null, merges: 0, ...open, tables: differences }
    log.warn({ parent: peer.name, tables: differences, merges: found.merges }, 'replication: the parent does not hold the same')
    await this.keep(peerId, { difference: found })
  }

  private async merge(peerId: string, { child }: Session, signal?: AbortSignal): Promise<void> {
    const { store, clock } = this.services
    // Counted when it begins, so that a merge that never ends is not begun anew all day.
    if (this.place === MERGE_START) {
      const peer = await store.read(asSystem(), (tx) => peerById(tx, peerId))
      const difference = peer?.difference
      const tried = difference && { ...difference, merged_at: toInstant(clock.now()), merges: difference.merges + 1 }
      if (tried) await this.keep(peerId, { difference: tried })
    }
    const next = await child.mergeOn(this.place, signal)
    this.place = next ?? MERGE_START
    if (!next) this.state = merged(clock.now(), this.bounds)
  }

  private keep(peerId: string, set: Pick<Partial<Peer>, 'compared_at' | 'difference'>): Promise<unknown> {
    return this.services.store.write(asSystem(), (tx) => setPeer(tx, peerId, set))
  }
}

/** Notes that both hold the same: an open difference is healed, and one that healed longer than `shown` ms ago is removed. */
export async function keepSame(tx: WriteTx, peerId: string, shown: number = limits.sync.compare.repairReportedMs): Promise<void> {
  const { difference = null } = (await peerById(tx, peerId)) ?? {}
  const healed_at = difference?.healed_at ?? tx.now
  const isOver = tx.nowMs - Date.parse(healed_at) > shown
  await setPeer(tx, peerId, { compared_at: tx.now, difference: difference && !isOver ? { ...difference, healed_at } : null })
}

/** Compares once. `unclear` where either has something that the other has not read. */
export async function look(
  { store }: Pick<Services, 'store'>,
  peerId: string,
  line: Pick<ParentLine, 'verify'>,
  signal?: AbortSignal,
): Promise<{ seen: ComparisonResult; differences: Difference[] }> {
  const nothing = { seen: 'unclear' as const, differences: [] }
  const before = await store.read(asSystem(), (tx) => peerById(tx, peerId))
  if (!before || !(await isAllSent(store, before))) return nothing
  const there = await line.verify(signal)
  const here = await digestsOf(store, comparedScope(before), signal)
  const peer = await store.read(asSystem(), (tx) => peerById(tx, peerId))
  if (!peer || here.moving || there.moving || !(await isAllSent(store, peer)) || !isAllRead(peer, there)) return nothing
  const differences = differencesOf(here, there)
  return { seen: differences.length === 0 ? 'same' : 'different', differences }
}

/** From the row of a parent: for whom this node's rows are compared. */
export const comparedScope = ({ school_id, user_id }: Pick<Peer, 'school_id' | 'user_id'>) => ({
  kind: user_id === null ? ('school' as const) : ('laptop' as const),
  school_id,
  user_id,
})

async function isAllSent(store: Services['store'], { school_id, own_seq, own_people }: Peer): Promise<boolean> {
  const { seq, people } = await placesOf(store, { school_id })
  return own_seq === seq && own_people === people
}

function isAllRead({ their_cursor }: Peer, { epoch, seq, people }: Verified): boolean {
  const cursor = textToCursor(their_cursor)
  return cursor?.kind === 'feed' && cursor.epoch === epoch && cursor.seq === seq && (people === undefined || cursor.people === people)
}
