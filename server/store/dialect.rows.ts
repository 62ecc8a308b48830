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
  /** Something else stands than was claimed, or the row was deleted and stays for what hangs on it. */
  settled: boolean
  schema: number
  /** As `versionsOf` told it in this transaction: it is written there, and not looked for again. Null: it told of none. */
  place?: number | null | undefined
}
export type HistoryWrite = {
  id: string
  at: string
  actor_id: string | null
  node_id: string
  entity: string
  row_id: string
  /** Whose history it lies with (`Description.near`). */
  near_id: string
  action: string
  changes: string
  /** JSON, see sync/journal.ts. */
  detail?: string
  /** Of an entry that came from another node: its number and head in that node's chain. */
  node_seq?: number
  head?: string
  /** Of one entry of a transaction of another node (sync/SPEC.md, «History»). */
  proof?: string | null
  /** Who told it here; absent for what was written here. */
  source_id?: string
}
/** `digest` of the history that was written here; empty where none was, and the chain stays where it is. */
export type FeedWrite = { schoolId: string; digest: string; rows: SyncRowWrite[]; history: HistoryWrite[] }
