import type { Replicated } from '@markbook/shared/tables/tables'
import type { Kept } from '@markbook/sync/merge/conflict'
import type { Settled } from '@markbook/sync/merge/settle'
import type { RowState } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import type { WriteTx } from '../tx.ts'
import type { KnownRow } from './states.ts'

/** `isPart`: the sender has more of the row than is taken, or something else, or a copy of it may have, so it is told what stands. */
export type Incoming = Carried & { isPart?: boolean }
export type Outcome = 'applied' | 'merged' | 'unchanged' | 'held'
export type Answer = { table: Replicated; id: string; outcome: Outcome; reason?: string }

/** A row that this page changes: as it was known, as it is now, and what stands. */
export type Change = {
  known: KnownRow | null
  state: RowState
  settled: readonly Settled[]
  source: string | null
  /** For an entry of a sent book: whether it stands, as the book was sent, whatever became of it. */
  asSent?: 'there' | 'absent'
}
/**
 * A page that is being applied. `kept`: the lost writes. `fromParent`: the page came down. Then a deletion of a row that something alive
 * here names is no news: the parent keeps the row already, or will once it is told of what lives here.
 */
export type Application = {
  fromParent?: boolean
  tx: WriteTx
  schoolId: string
  changes: Map<Replicated, Map<string, Change>>
  kept: Kept[]
  answers: Map<string, Answer>
}
