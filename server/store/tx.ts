import type { tablesWithNaturalIds } from '@markbook/shared/tables/natural'
import type { Local, Replicated, Row, Tables } from '@markbook/shared/tables/tables'
import type { Connection, Db } from './connection.ts'
import type { HistoryWrite, SyncRowWrite } from './dialect.rows.ts'
import type { Dialect } from './dialect.ts'

/** As whom the database is asked: a signed-in person (row-level security applies) or the service itself (sign-in, joining, jobs). */
export type Identity = { as: 'user'; userId: string } | { as: 'system'; userId: string | null }
export const asUser = (userId: string): Identity => ({ as: 'user', userId })
export const asSystem = (userId: string | null = null): Identity => ({ as: 'system', userId })

/** One database transaction, open for the time of `store.read` or `store.write`. Only the database may be awaited inside. */
export type ReadTx = {
  readonly db: Pick<Db, 'select' | 'selectDistinct' | '$with' | 'with' | '$count'>
  readonly t: Tables
  readonly dialect: Dialect
  /** The transaction's instant, the same for everything it writes. */
  readonly now: string
  readonly nowMs: number
  /** From here on the database is asked as this person. */
  actAs(identity: Identity): Promise<void>
  /** A row of a school by id, or undefined; locked until the commit where the transaction writes. */
  find<T extends Replicated>(table: T, schoolId: string, id: string): Promise<Row<T> | undefined>
  /** Internal: how `statement` reaches its connection. */
  readonly connection: Connection
}

type Automatic = 'created_at' | 'updated_at' | 'created_by' | 'updated_by' | 'sort_key' | 'search_key'
type MayBeNull<R> = { [K in keyof R]-?: null extends R[K] ? K : never }[keyof R]
type NaturalId<T extends Replicated> = T extends (typeof tablesWithNaturalIds)[number] ? 'id' : never
type LeftOut<T extends Replicated> = Extract<keyof Row<T>, Automatic | NaturalId<T>> | MayBeNull<Row<T>>
/**
 * A row to insert. Where absent, the change tracker fills in automatic columns (times, actors, folded names), an id that follows from other
 * columns, and null where a column may be null.
 */
export type NewRow<T extends Replicated> = Omit<Row<T>, LeftOut<T>> & Partial<Pick<Row<T>, LeftOut<T>>>
export type Change<T extends Replicated> = { before: Row<T>; patch: Partial<Row<T>> }

/** What is noted in the history beside rows (sync/SPEC.md, «History»). */
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

/** Something that happened and is no replicated row: who did what to whom stands in the history of a school, or of the commons. */
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
  /** Inserts a row, or rows; answers as stored. A unique violation surfaces as the driver's error (`isUniqueViolation`). */
  insert<T extends Replicated>(table: T, row: NewRow<T>): Promise<Row<T>>
  insert<T extends Replicated>(table: T, rows: readonly NewRow<T>[]): Promise<Row<T>[]>
  /** Changes a row, or rows, loaded in this transaction; answers as stored. What changes nothing is not written. */
  update<T extends Replicated>(table: T, before: Row<T>, patch: Partial<Row<T>>): Promise<Row<T>>
  update<T extends Replicated>(table: T, changes: readonly Change<T>[]): Promise<Row<T>[]>
  /** Deletes rows and, by the tables' descriptions, what hangs on them: one tombstone and one history entry each. */
  remove<T extends Replicated>(table: T, rows: readonly Row<T>[]): Promise<void>
  /** The history entry that this transaction's writing of a row will leave, or null where it wrote nothing. */
  entryOf(table: Replicated, id: string): HistoryWrite | null
  note(note: Note): void
  /** Internal: how replication writes what other nodes wrote (store/replica). */
  readonly replica: ReplicaWrites
  /** Tables that never leave their node: sessions, codes, counters. Neither stamped nor in the history. */
  readonly local: LocalDb
}

type AnyRow = Record<string, unknown> & { id: string }
/** What a transaction did to a row, and which merge units of it it wrote. */
export type Touched = { table: Replicated; schoolId: string; before: AnyRow | null; after: AnyRow | null; units: ReadonlySet<string> }

/** Over whatever is there; or nothing is there; or the rows are, and differ in these columns alone. */
export type Placing = 'replace' | 'new' | readonly string[]

/** An entry that changes nothing, of a write that stands already. */
export type Retold = Pick<HistoryWrite, 'actor_id' | 'entity' | 'row_id' | 'near_id' | 'action'> & { detail: string }

/** How replication writes: past the stamping, for what it writes bears its versions already. */
export type ReplicaWrites = {
  /** Rows as replication has merged and settled them. */
  place(table: Replicated, rows: Iterable<AnyRow>, how?: Placing): Promise<void>
  erase(table: Replicated, schoolId: string, ids: readonly string[]): Promise<void>
  /** Versions and history that came from other nodes: recorded with the next number of this node's feed. */
  bring(schoolId: string, rows: readonly SyncRowWrite[], history?: readonly HistoryWrite[]): void
  /** Of writes that are stamped anew, what each of them was: the history proves them under their new stamps too. */
  retell(schoolId: string, writes: readonly Retold[]): void
  /** What of these rows was brought in this transaction is as if it had not been. */
  unbring(schoolId: string, table: Replicated, ids: readonly string[]): void
  /** Rows of which this transaction has found none in their table, with their vectors where they were deleted. */
  foundAbsent(schoolId: string, table: Replicated, vvById: ReadonlyMap<string, string | null>): void
  /** Versions that this transaction brought and has not written yet, by row: they stand before what is stored. */
  broughtOf(schoolId: string, table: Replicated): ReadonlyMap<string, SyncRowWrite>
  /** Rows that this transaction wrote itself, for the rules between rows. */
  touched(): readonly Touched[]
}

export type LocalDb = {
  insert<T extends Local>(table: Tables[T]): ReturnType<Db['insert']>
  update<T extends Local>(table: Tables[T]): ReturnType<Db['update']>
  delete<T extends Local>(table: Tables[T]): ReturnType<Db['delete']>
}
