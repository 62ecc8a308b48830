import { descriptions, type Replicated, type Tables } from '@markbook/shared/tables/tables'
import { type Aside, textToAside } from '@markbook/sync/aside'
import type { RowState, Values } from '@markbook/sync/merge/state'
import { textToVersions, type Versions } from '@markbook/sync/versions'
import { and, type Column, eq, getTableColumns, type SQL, type Table } from 'drizzle-orm'
import type { SyncRowWrite } from '../dialect.ts'
import type { ReadTx, WriteTx } from '../tx.ts'
import { type AnyRow, scopeIn } from './links.ts'

/** A row as this node knows it: its state, and what stands in the table, which is null for what is deleted. */
export type Known = { state: RowState; row: AnyRow | null; aside: Aside | null; settled: boolean; source: string | null }

export const tableIn = (tx: ReadTx, table: Replicated) => tx.t[table as keyof Tables] as Table
export const columnsIn = (tx: ReadTx, table: Replicated) => getTableColumns(tableIn(tx, table)) as Record<string, Column>

/** Rows of one table of a school, as the application sees them. */
export function rowsWhere(tx: ReadTx, table: Replicated, schoolId: string, where?: SQL): Promise<AnyRow[]> {
  const columns = columnsIn(tx, table)
  const scoped = descriptions[table].scope === 'school' ? eq(columns['school_id'] as Column, schoolId) : undefined
  return tx.line.db
    .select()
    .from(tableIn(tx, table) as never)
    .where(and(scoped, where)) as never
}

export const rowsById = (tx: ReadTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<AnyRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : rowsWhere(tx, table, schoolId, tx.dialect.inList(columnsIn(tx, table)['id'] as Column, JSON.stringify(ids)))

/** Which of these rows stand in their table. */
export async function idsThere(tx: ReadTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  return new Set(await tx.dialect.idsIn(tx.line, tableIn(tx, table), descriptions[table].scope === 'school' ? schoolId : null, ids))
}

/** By id; what this node has never seen is absent. In a writing transaction the rows are locked, in the order of their ids. */
export async function knownRows(tx: ReadTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<Map<string, Known>> {
  if (ids.length === 0) return new Map()
  if (tx.line.writes) await tx.dialect.lockRows(tx.line, tableIn(tx, table), [...ids].sort())
  const rows = new Map((await rowsById(tx, table, schoolId, ids)).map((row) => [row.id, row]))
  const scope = scopeIn(table, schoolId)
  const brought = broughtIn(tx, scope, table)
  const stored = (await tx.dialect.versionsOf(tx.line, scope, table, ids)).filter(({ row_id }) => !brought.has(row_id))
  return new Map(
    [...stored, ...new Set(ids)]
      .flatMap((each) => (typeof each === 'string' ? (brought.get(each) ?? []) : each))
      .map((each) => {
        const row = rows.get(each.row_id) ?? null
        return [each.row_id, knownFrom(table, each, row)]
      }),
  )
}

/** What a writing transaction has brought already; it is stored only at its end. */
const broughtIn = (tx: ReadTx, scope: string, table: Replicated): ReadonlyMap<string, SyncRowWrite> =>
  (tx as Partial<WriteTx>).replica?.broughtOf(scope, table) ?? new Map()

/** Ids of the rows of a table where something else stands than was claimed, or that stay though deleted. */
export async function settledRows(tx: ReadTx, schoolId: string, table: Replicated): Promise<Set<string>> {
  const settled = new Set(await tx.dialect.settledRows(tx.line, schoolId, table))
  for (const [id, row] of broughtIn(tx, scopeIn(table, schoolId), table)) {
    if (row.settled) settled.add(id)
    else settled.delete(id)
  }
  return settled
}

type StoredVersions = Awaited<ReturnType<ReadTx['dialect']['versionsOf']>>[number]

export function knownFrom(table: Replicated, stored: StoredVersions, row: AnyRow | null): Known {
  const aside = textToAside(stored.extra)
  const versions = textToVersions(stored)
  const state: RowState = {
    id: stored.row_id,
    schema: stored.schema,
    ...versions,
    values: row ? claimsIn(table, row, aside, versions) : (aside?.last ?? { id: stored.row_id }),
    extra: aside?.unknown ?? null,
  }
  return { state, row, aside, settled: Boolean(stored.settled), source: stored.source_id }
}

/** What was claimed of a row: what stands in it, but for what a rule put in the place of a claim, and what nobody ever wrote. */
function claimsIn(table: Replicated, row: AnyRow, aside: Aside | null, { units: stamps }: Versions): Values {
  const { identity, units } = descriptions[table]
  const claimed = Object.assign({}, ...Object.values(aside?.claims ?? {})) as Values
  const written = Object.entries(units).flatMap(([unit, columns]) => (stamps[unit] ? columns : []))
  return Object.fromEntries([...identity, ...written].map((name) => [name, name in claimed ? claimed[name] : (row[name] ?? null)]))
}
