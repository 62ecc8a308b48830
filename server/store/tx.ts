import type { tablesWithNaturalIds } from '@markbook/shared/tables/natural'
import type { Local, Replicated, Row, Tables } from '@markbook/shared/tables/tables'
import type { Connection, Db } from './connection.ts'
import type { HistoryWrite, SyncRowWrite } from './dialect.rows.ts'
import type { Dialect } from './dialect.ts'

/** The role of a transaction: a signed-in person (row-level security applies) or the service itself (sign-in, joining, jobs). */
export type Identity = { as: 'user'; userId: string } | { as: 'system'; userId: string | null }
export const asUser = (userId: string): Identity => ({ as: 'user', userId })
export const asSystem = (userId: string | null = null): Identity => ({ as: 'system', userId })

/** One database transaction, open during `store.read` or `store.write`. Inside it, only database calls may be awaited. */
export type ReadTx = {
  readonly db: Pick<Db, 'select' | 'selectDistinct' | '$with' | 'with' | '$count'>
  readonly t: Tables
  readonly dialect: Dialect
  /** The transaction's time, the same for everything it writes. */
  readonly now: string
  readonly nowMs: number
  /** From here on statements run as this person. */
  actAs(identity: Identity): Promise<void>
  /** A row of a school by id, or undefined; locked until the commit where the transaction writes. */
  find<T extends Replicated>(table: T, schoolId: string, id: string): Promise<Row<T> | undefined>
  /** Internal: the connection for `statement`. */
  readonly connection: Connection
}

type Automatic = 'created_at' | 'updated_at' | 'created_by' | 'updated_by' | 'sort_key' | 'search_key'
type MayBeNull<R> = { [K in keyof R]-?: null extends R[K] ? K : never }[keyof R]
type NaturalId<T extends Replicated> = T extends (typeof tablesWithNaturalIds)[number] ? 'id' : never
type LeftOut<T extends Replicated> = Extract<keyof Row<T>, Automatic | NaturalId<T>> | MayBeNull<Row<T>>
/**
 * A row to insert. The change tracker fills in what is absent: automatic columns (times, actors, folded names), an id that is computed
 * from other columns, and null for nullable columns.
 */
export type NewRow<T extends Replicated> = Omit<Row<T>, LeftOut<T>> & Partial<Pick<Row<T>, LeftOut<T>>>
export type Change<T extends Replicated> = { before: Row<T>; patch: Partial<Row<T>> }

/** The entities of history entries without a replicated row (sync/SPEC.md, «History»). */
export const noteEntities = [
  'desk_code',
  'console_code',
  'sign_in_reset',
  'node',
  'school_invitation',
  'sync_invitation',
  'sync_peer',
  'import',
  'reminder',
] as const

/** An event without a replicated row: who did what to whom, recorded in the history of a school or of the commons. */
export type Note = {
  schoolId: string
  entity: (typeof noteEntities)[number]
  id: string
  action: 'create' | 'update' | 'delete'
  changes: Readonly<Record<string, unknown>>
}

export type WriteTx = ReadTx & {
  readonly actor: string | null
  newId(): string
  /** Inserts one or several rows; returns them as stored. A unique violation is thrown as the driver's error (`isUniqueViolation`). */
  insert<T extends Replicated>(table: T, row: NewRow<T>): Promise<Row<T>>
  insert<T extends Replicated>(table: T, rows: readonly NewRow<T>[]): Promise<Row<T>[]>
  /** Changes one or several rows that this transaction loaded; returns them as stored. A patch without a difference writes nothing. */
  update<T extends Replicated>(table: T, before: Row<T>, patch: Partial<Row<T>>): Promise<Row<T>>
  update<T extends Replicated>(table: T, changes: readonly Change<T>[]): Promise<Row<T>[]>
  /** Deletes rows and, by the tables' descriptions, the rows that depend on them: one tombstone and one history entry each. */
  remove<T extends Replicated>(table: T, rows: readonly Row<T>[]): Promise<void>
  /** The history entry that this transaction will write for a row, or null where it wrote none. */
  entryOf(table: Replicated, id: string): HistoryWrite | null
  note(note: Note): void
  /** Internal: how replication writes the rows of other nodes (store/replica). */
  readonly replica: ReplicaWrites
  /** Tables that never leave their node: sessions, codes, counters. They have neither versions nor history. */
  readonly local: LocalDb
}

type AnyRow = Record<string, unknown> & { id: string }
/** How a transaction changed a row, and which merge units it wrote. */
export type WrittenRow = { table: Replicated; schoolId: string; before: AnyRow | null; after: AnyRow | null; units: ReadonlySet<string> }

/** Overwrite what exists; or the rows are new; or the rows exist and differ in these columns only. */
export type Placing = 'replace' | 'new' | readonly string[]

/** A history entry without changes, for a write that already counts. */
export type RestampEntry = Pick<HistoryWrite, 'actor_id' | 'entity' | 'row_id' | 'near_id' | 'action'> & { detail: string }

/** Writes without new stamps, for rows that already have their versions. */
export type ReplicaWrites = {
  /** Writes rows that replication has merged and settled. */
  place(table: Replicated, rows: Iterable<AnyRow>, how?: Placing): Promise<void>
  erase(table: Replicated, schoolId: string, ids: readonly string[]): Promise<void>
  /** Records versions and history of other nodes, under the next number of this node's feed. */
  recordReceived(schoolId: string, rows: readonly SyncRowWrite[], history?: readonly HistoryWrite[]): void
  /** For writes that get new stamps: states the original writes, so that the history also proves them under the new stamps. */
  restate(schoolId: string, writes: readonly RestampEntry[]): void
  /** Discards the versions that this transaction received for these rows. */
  discardReceived(schoolId: string, table: Replicated, ids: readonly string[]): void
  /** Rows that this transaction looked for and did not find, with their version vectors where they were deleted. */
  foundAbsent(schoolId: string, table: Replicated, vvById: ReadonlyMap<string, string | null>): void
  /** The versions that this transaction received and has not written yet, by row; they replace the stored ones. */
  receivedOf(schoolId: string, table: Replicated): ReadonlyMap<string, SyncRowWrite>
}

export type LocalDb = {
  insert<T extends Local>(table: Tables[T]): ReturnType<Db['insert']>
  update<T extends Local>(table: Tables[T]): ReturnType<Db['update']>
  delete<T extends Local>(table: Tables[T]): ReturnType<Db['delete']>
}
