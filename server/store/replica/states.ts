import { descriptions, type Replicated, type Tables } from '@markbook/shared/tables/tables'
import { type Extra, textToExtra } from '@markbook/sync/extra'
import type { RowState, Values } from '@markbook/sync/merge/state'
import { textToVersions, type Versions, versionsReader, versionsToText } from '@markbook/sync/versions'
import { and, type Column, eq, getTableColumns, type SQL, type Table } from 'drizzle-orm'
import type { SyncRowWrite } from '../dialect.rows.ts'
import { statement } from '../statement.ts'
import type { ReadTx, WriteTx } from '../tx.ts'
import { type AnyRow, idsByTable, keyOf, type RowName, scopeIn } from './links.ts'

/** A row as this node knows it: its state, and the row that stands in the table; null where none does. */
export type KnownRow = {
  state: RowState
  row: AnyRow | null
  extra: Extra | null
  settled: boolean
  source: string | null
  /** Where its versions are (`StoredVersions`). */
  place?: number | null | undefined
}

/**
 * Whether the database lost the row outside the program: its versions say that it stands, and its values are neither in its table nor kept
 * beside it.
 */
export const isLost = ({ row, extra, state, settled }: KnownRow): boolean =>
  row === null && extra?.last === undefined && (state.alive.length > 0 || settled)

export const tableIn = (tx: ReadTx, table: Replicated) => tx.t[table as keyof Tables] as Table
export const columnsIn = (tx: ReadTx, table: Replicated) => getTableColumns(tableIn(tx, table)) as Record<string, Column>

/** Rows of one table of a school, as they stand. */
export function rowsWhere(tx: ReadTx, table: Replicated, schoolId: string, where?: SQL): Promise<AnyRow[]> {
  if (!where) return rowsAt(table)(tx, { school: schoolId, ids: '[]' })
  const definition = tableIn(tx, table)
  return tx.connection.db
    .select()
    .from(definition as never)
    .where(and(scopedTo(table, definition, schoolId), where)) as never
}

/** Rows of one table of a school in which a column, an id, is one of these. */
export function rowsNaming(tx: ReadTx, table: Replicated, schoolId: string, column: string, ids: readonly unknown[]): Promise<AnyRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  return rowsAt(`${table} ${column}`)(tx, { school: schoolId, ids: JSON.stringify(ids) })
}

export const rowsById = (tx: ReadTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<AnyRow[]> =>
  rowsNaming(tx, table, schoolId, 'id', ids)

type Rows = (tx: ReadTx, asked: { school: string; ids: string }) => Promise<AnyRow[]>
const statements = new Map<string, Rows>()
/** The statement for all rows of a table (`table`), or for those with a column in `ids` (`table column`). */
function rowsAt(place: string): Rows {
  const [table, name] = place.split(' ') as [Replicated, string?]
  const made =
    statements.get(place) ??
    (statement<{ school: string; ids: string }>()(({ db, t, p, dialect }) => {
      const definition = t[table as keyof Tables] as Table
      const column = name === undefined ? undefined : (getTableColumns(definition) as Record<string, Column>)[name]
      const where = and(scopedTo(table, definition, p.school), column && dialect.inList(column, p.ids))
      return db
        .select()
        .from(definition as never)
        .where(where) as never as PromiseLike<unknown[]> & { prepare(): unknown }
    }) as Rows)
  statements.set(place, made)
  return made
}

/** Of a table with rows of several schools: those of one. */
const scopedTo = (table: Replicated, definition: Table, school: unknown): SQL | undefined =>
  descriptions[table].scope === 'school'
    ? eq((getTableColumns(definition) as Record<string, Column>)['school_id'] as Column, school)
    : undefined

/** The school in the table's key; null where the key has none. */
const schoolOfRows = (table: Replicated, schoolId: string) => (descriptions[table].scope === 'school' ? schoolId : null)

/** Which of these rows stand in their table. */
export async function idsThere(tx: ReadTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  return new Set(await tx.dialect.idsIn(tx.connection, tableIn(tx, table), schoolOfRows(table, schoolId), ids))
}

/** Rows by id; a row that this node has never seen is absent. In a writing transaction the rows are locked, in the order of their ids. */
export async function knownRows(tx: ReadTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<Map<string, KnownRow>> {
  if (ids.length === 0) return new Map()
  const brought = broughtIn(tx, scopeIn(table, schoolId), table)
  const all = await versionsHeld(tx, table, schoolId, ids)
  const stored = all.filter(({ row_id }) => !brought.has(row_id))
  const known = [...stored, ...new Set(ids)].flatMap((each) => (typeof each === 'string' ? (brought.get(each) ?? []) : each))
  const named = known.map(({ row_id }) => row_id)
  const rows = new Map((await rowsById(tx, table, schoolId, named)).map((row) => [row.id, row]))
  const versionsOf = versionsReader()
  return new Map(known.map((each) => [each.row_id, knownFrom(table, each, rows.get(each.row_id) ?? null, versionsOf(each))]))
}

/** Rows of several tables, in their order, by key (`keyOf`). */
export async function knownByKey(tx: ReadTx, schoolId: string, rows: readonly RowName[]): Promise<Map<string, NamedRow>> {
  const found = new Map<string, NamedRow>()
  for (const [table, ids] of idsByTable(rows))
    for (const [id, known] of await knownRows(tx, table, schoolId, ids)) found.set(keyOf({ table, id }), { table, ...known })
  return found
}
type NamedRow = KnownRow & { table: Replicated }

/** The stored versions of such rows, by key: without what the transaction itself has brought. */
export async function versionsByKey(tx: ReadTx, schoolId: string, rows: readonly RowName[]): Promise<Map<string, Versions>> {
  const found = new Map<string, Versions>()
  for (const [table, ids] of idsByTable(rows))
    for (const stored of await tx.dialect.versionsOf(tx.connection, scopeIn(table, schoolId), table, ids))
      found.set(keyOf({ table, id: stored.row_id }), textToVersions(stored))
  return found
}

/** The stored versions of these rows. In a writing transaction the rows are locked, so the versions stay so until its end. */
export async function versionsHeld(tx: ReadTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<StoredVersions[]> {
  const locked = tx.connection.writes ? await lockedRows(tx, table, schoolId, ids) : ids
  const scope = scopeIn(table, schoolId)
  const stored = await tx.dialect.versionsOf(tx.connection, scope, table, ids)
  if (locked.length < ids.length) noteAbsent(tx as WriteTx, scope, table, { ids, locked, stored })
  return stored
}

/** Locks rows in the order of their ids; returns those that exist. */
export const lockedRows = (tx: ReadTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<string[]> =>
  tx.dialect.lockRows(tx.connection, tableIn(tx, table), schoolOfRows(table, schoolId), [...ids].sort())

type Looked = { ids: readonly string[]; locked: readonly string[]; stored: readonly StoredVersions[] }

function noteAbsent(tx: WriteTx, scope: string, table: Replicated, { ids, locked, stored }: Looked): void {
  const isLocked = new Set(locked)
  const vvs = new Map(stored.map(({ row_id, vv }) => [row_id, vv]))
  const absent = ids.filter((id) => !isLocked.has(id))
  tx.replica.foundAbsent(scope, table, new Map(absent.map((id) => [id, vvs.get(id) ?? null])))
}

/** What a writing transaction has brought already; it is stored only at its end. */
const broughtIn = (tx: ReadTx, scope: string, table: Replicated): ReadonlyMap<string, SyncRowWrite> =>
  (tx as Partial<WriteTx>).replica?.receivedOf(scope, table) ?? new Map()

/** Ids of the rows of a table that do not stand as claimed, or that stay though deleted. */
export async function settledRows(tx: ReadTx, schoolId: string, table: Replicated): Promise<Set<string>> {
  const settled = new Set(await tx.dialect.settledRows(tx.connection, schoolId, table))
  for (const [id, row] of broughtIn(tx, scopeIn(table, schoolId), table)) {
    if (row.settled) settled.add(id)
    else settled.delete(id)
  }
  return settled
}

/** A row as it is stored once more, so that it goes to everybody: under the next number of the feed and without the node that sent it. */
export function storedAnew(table: Replicated, { row_id, extra, settled, schema }: StoredVersions, versions: Versions): SyncRowWrite {
  const deleted = versions.alive.length === 0
  return { table_name: table, row_id, deleted, extra, settled: Boolean(settled), schema, source_id: null, ...versionsToText(versions) }
}

type StoredVersions = Awaited<ReturnType<ReadTx['dialect']['versionsOf']>>[number]

function knownFrom(table: Replicated, stored: StoredVersions, row: AnyRow | null, versions: Versions): KnownRow {
  const extra = textToExtra(stored.extra)
  const state: RowState = {
    id: stored.row_id,
    schema: stored.schema,
    ...versions,
    values: row ? claimsIn(table, row, extra, versions) : (extra?.last ?? { id: stored.row_id }),
    extra: extra?.unknown ?? null,
  }
  return { state, row, extra, settled: Boolean(stored.settled), source: stored.source_id, place: stored.place }
}

/** The claims of a row: what stands in it, except where a rule replaced a claim. Columns of units that nobody wrote are absent. */
function claimsIn(table: Replicated, row: AnyRow, extra: Extra | null, { units: stamps }: Versions): Values {
  const { identity, units } = descriptions[table]
  const values: Record<string, unknown> = {}
  for (const name of identity) values[name] = row[name] ?? null
  for (const unit in units) {
    if (!stamps[unit]) continue
    const claimed = extra?.claims?.[unit]
    for (const name of units[unit] as readonly string[]) values[name] = claimed && name in claimed ? claimed[name] : (row[name] ?? null)
  }
  return values
}
