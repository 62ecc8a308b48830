import type { Replicated } from '@markbook/shared/tables/tables'
import type { Kept } from '@markbook/sync/merge/conflict'
import type { Settled } from '@markbook/sync/merge/settle'
import type { RowState } from '@markbook/sync/merge/state'
import type { WriteTx } from '../tx.ts'
import type { KnownRow } from './states.ts'

/** `isPart`: who sent it has more of the row, or something else, than is taken, and is told what stands. */
export type Incoming = { table: Replicated; state: RowState; isPart?: boolean }
export type Outcome = 'applied' | 'merged' | 'unchanged' | 'held'
export type Answer = { table: Replicated; id: string; outcome: Outcome; reason?: string }

/** A row that this page changes: as it was known, as it is now, and what stands. */
export type Change = {
  known: KnownRow | null
  state: RowState
  settled: readonly Settled[]
  source: string | null
  /** An entry of a book that was sent stands, or does not, as it was sent, whatever became of it. */
  asSent?: 'there' | 'absent'
}
/**
 * A page being applied. `kept` collects what did not stand. `fromParent`: it came down, so that a deletion under which something lives here
 * is no news: either the parent keeps it already, or it will once it is told of what lives here.
 */
export type Application = {
  fromParent?: boolean
  tx: WriteTx
  schoolId: string
  changes: Map<Replicated, Map<string, Change>>
  kept: Kept[]
  answers: Map<string, Answer>
}
