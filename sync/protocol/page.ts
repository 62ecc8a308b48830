import { isId } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { z } from 'zod'
import type { RowState } from '../merge/state.ts'
import type { Presence, Stamp } from '../versions.ts'
import { isRow } from './rows.ts'

/**
 * Rows as they travel: by table, columns named once. A row is `[id, schema, vv, units, alive, extra, …values]`. A table or column that
 * the reader does not know is kept whole (SPEC, «Versions of the program»).
 */
type Packed = [
  id: string,
  schema: number,
  vv: Record<string, number>,
  units: Record<string, Stamp>,
  alive: Presence[],
  extra: Record<string, Record<string, unknown>> | null,
  ...values: unknown[],
]
export const TableRows = z.object({
  table: z.string().max(63),
  columns: z.array(z.string().max(63)).max(100),
  /** Of which columns each unit is made, for a reader who does not know them. */
  units: z.record(z.string().max(63), z.array(z.string().max(63)).max(100)),
  rows: z.custom<Packed[]>(Array.isArray),
})
export type TableRows = z.infer<typeof TableRows>
export type Carried = { table: Replicated; state: RowState }

/** The columns of a table that travel: its identity and its units. */
export const travelling = (table: Replicated): string[] => {
  const { identity, units } = descriptions[table]
  return [...identity, ...Object.values(units).flat()]
}

const unitsIn = (table: Replicated): Record<string, string[]> =>
  Object.fromEntries(Object.entries(descriptions[table].units).map(([unit, columns]) => [unit, [...columns]]))

/** In the order given within each table; tables in the order in which they first come. */
export function packRows(rows: readonly Carried[]): TableRows[] {
  const packed = new Map<Replicated, TableRows>()
  for (const { table, state } of rows) {
    const own = packed.get(table) ?? { table, columns: travelling(table), units: unitsIn(table), rows: [] }
    packed.set(table, own)
    const { id, schema, vv, units, alive, extra, values } = state
    own.rows.push([
      id,
      schema,
      vv,
      units as Packed[3],
      alive as Packed[4],
      extra as Packed[5],
      ...own.columns.map((column) => values[column] ?? null),
    ])
  }
  return [...packed.values()]
}

/** A row that no honest program sends, as far as it can be named. */
export type Malformed = { table: Replicated; id: string; units: string[] }
export type Unpacked = { rows: Carried[]; unknown: TableRows[]; malformed: Malformed[] }

/** `unknown`: rows of tables that this program does not know. Each row is looked at by itself: one that is malformed stops nothing. */
export function unpackRows(tables: readonly TableRows[]): Unpacked {
  const rows: Carried[] = []
  const unknown: TableRows[] = []
  const malformed: Malformed[] = []
  for (const each of tables) {
    if (Object.hasOwn(descriptions, each.table)) malformed.push(...unpackTable(each.table as Replicated, each, rows))
    else unknown.push(each)
  }
  return { rows, unknown, malformed }
}

/**
 * A column that is not known here belongs to a unit of a newer program, and is kept beside the row; one that an older program had kept so
 * is back in its place. A part of the row that nobody ever wrote is absent, not null.
 */
function unpackTable(table: Replicated, { columns, units: theirs, rows }: TableRows, into: Carried[]): Malformed[] {
  const malformed: Malformed[] = []
  const known = new Set(travelling(table))
  const isKnown = columns.map((column) => known.has(column))
  const unitOf = new Map(Object.entries(theirs).flatMap(([unit, own]) => own.map((column) => [column, unit])))
  const unitAt = columns.map((column) => unitOf.get(column))
  for (const row of rows) {
    if (!isRow(row)) {
      malformed.push(...named(table, row))
      continue
    }
    const [id, schema, vv, units, alive, extra] = row
    const values: Record<string, unknown> = {}
    const beyond: Record<string, Record<string, unknown>> = {}
    for (let at = 0; at < columns.length; at += 1) {
      const [column, value, unit] = [columns[at] as string, row[at + HEAD] ?? null, unitAt[at]]
      if (value === null && unit !== undefined && !units[unit]) continue
      if (isKnown[at]) values[column] = value
      else if (unit) beyond[unit] = { ...beyond[unit], [column]: value }
    }
    for (const [unit, kept] of Object.entries(extra ?? {})) {
      if (descriptions[table].units[unit]) Object.assign(values, kept)
      else beyond[unit] = kept
    }
    values['id'] = id
    const kept = Object.keys(beyond).length > 0 ? beyond : null
    into.push({ table, state: { id, schema, vv, units, alive, values, extra: kept } satisfies RowState })
  }
  return malformed
}

function named(table: Replicated, row: unknown): Malformed[] {
  const [id, , , units] = Array.isArray(row) ? row : []
  return isId(String(id)) ? [{ table, id: String(id), units: Object.keys(units ?? {}).slice(0, MOST_UNITS) }] : []
}
const MOST_UNITS = 100
/** What stands before a row's values. */
const HEAD = 6
