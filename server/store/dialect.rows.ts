import type { ChainedEntry } from './history-chain.ts'
export type SyncRowWrite = {
  table_name: string
  row_id: string
  vv: string
  units: string
  deleted: boolean
  /** JSON, see docs/design/replication.md, «Stored». */
  extra: string | null
  /** The peer that has this very state; null for a state made here. */
  source_id: string | null
  /** A rule between rows changed the merged value, or the row was deleted and is kept because another row needs it. */
  settled: boolean
  schema: number
  /**
   * The row's physical position, as `versionsOf` returned it in this transaction, so that it is not searched again. Null: no version was
   * found.
   */
  place?: number | null | undefined
}
export type HistoryWrite = ChainedEntry & {
  /** For an entry from another node: its number and head in that node's chain. */
  node_seq?: number
  head?: string
  /** On one entry of another node's transaction (sync/SPEC.md, «History»). */
  proof?: string | null
  /** The node from which it was received; absent for an entry written here. */
  source_id?: string
}
/** `digest`: of the history written here; empty where none was written, and the chain's head stays. */
export type FeedWrite = { schoolId: string; digest: string; rows: SyncRowWrite[]; history: HistoryWrite[] }
