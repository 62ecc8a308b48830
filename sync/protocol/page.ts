import { isId } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { z } from 'zod'
import type { RowState } from '../merge/state.ts'
import { type Presence, type Stamp, shareText } from '../versions.ts'
import { isRow } from './rows.ts'
import { cellsOf, type Shared, Sheet, Versioned, valuesOf, weightOfSheet, wrongVersions } from './sheet.ts'

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
/** Either form: rows one by one, or by column for who can read that. */
export const Rows = z.union([Sheet, TableRows])
export type Rows = z.infer<typeof Rows>
export type Carried = { table: Replicated; state: RowState }

/** Characters that stand once and count for many rows. */
export const weightOf = (tables: readonly Rows[]): number =>
  tables.reduce((sum, rows) => sum + ('sheet' in rows ? weightOfSheet(rows.sheet) : 0), 0)

/** What each row says is its id. */
export const idsIn = (rows: Rows): readonly string[] => ('sheet' in rows ? rows.sheet.ids : rows.rows.map(([id]) => id))

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

/** The same by column. */
export function packSheets(rows: readonly Carried[]): Sheet[] {
  const byTable = new Map<Replicated, RowState[]>()
  for (const { table, state } of rows) {
    const own = byTable.get(table)
    if (own) own.push(state)
    else byTable.set(table, [state])
  }
  return [...byTable].map(([table, states]) => sheetOf(table, states))
}

function sheetOf(table: Replicated, states: readonly RowState[]): Sheet {
  const columns = travelling(table)
  const versioned = new Versioned()
  const at = states.map((state) => versioned.placeOf(state))
  const cells = columns.map((column) => cellsOf(states.map(({ values }) => values[column] ?? null)))
  const sheet = { versions: versioned.versions, ids: states.map(({ id }) => id), at, cells }
  return { table, columns, units: unitsIn(table), sheet }
}

/** A row that no honest program sends, as far as it can be named. */
export type Malformed = { table: Replicated; id: string; units: string[] }
export type Unpacked = { rows: Carried[]; unknown: Rows[]; malformed: Malformed[] }

/** `unknown`: rows of tables that this program does not know. Each row is looked at by itself: one that is malformed stops nothing. */
export function unpackRows(tables: readonly Rows[]): Unpacked {
  const rows: Carried[] = []
  const unknown: Rows[] = []
  const malformed: Malformed[] = []
  for (const each of tables) {
    if (!Object.hasOwn(descriptions, each.table)) unknown.push(each)
    else if ('sheet' in each) malformed.push(...unpackSheet(each.table as Replicated, each, rows))
    else malformed.push(...unpackTable(each.table as Replicated, each, rows))
  }
  return { rows, unknown, malformed }
}

function unpackTable(table: Replicated, { columns, units, rows }: TableRows, into: Carried[]): Malformed[] {
  const malformed: Malformed[] = []
  const read = readerOf(table, columns, units)
  for (const row of rows) {
    if (!isRow(row)) {
      malformed.push(...named(table, row))
      continue
    }
    const [id, schema, vv, stamps, alive, extra] = row
    into.push({ table, state: read(id, [schema, vv, stamps, alive, extra], (at) => row[at + HEAD]) })
  }
  return malformed
}

function unpackSheet(table: Replicated, { columns, units, sheet }: Sheet, into: Carried[]): Malformed[] {
  const malformed: Malformed[] = []
  const read = readerOf(table, columns, units)
  const wrong = wrongVersions(sheet)
  const { ids, versions, at } = sheet
  const values = sheet.cells.map(valuesOf)
  for (const [, vv, stamps, alive] of versions) shareText({ vv, units: stamps, alive })
  for (let row = 0; row < ids.length; row += 1) {
    const [id, place] = [ids[row] as string, at[row] as number]
    const own = versions[place] as Shared
    if (wrong.has(place) || typeof id !== 'string' || !isId(id)) malformed.push(...named(table, [id, ...own]))
    else into.push({ table, state: read(id, own, (column) => values[column]?.(row)) })
  }
  return malformed
}

type Read = (id: string, versions: Shared, valueAt: (column: number) => unknown) => RowState

/**
 * A column that is not known here belongs to a unit of a newer program, and is kept beside the row; one that an older program had kept so
 * is back in its place. A part of the row that nobody ever wrote is absent, not null.
 */
function readerOf(table: Replicated, columns: readonly string[], theirs: TableRows['units']): Read {
  const known = new Set(travelling(table))
  const isKnown = columns.map((column) => known.has(column))
  const unitOf = new Map(Object.entries(theirs).flatMap(([unit, own]) => own.map((column) => [column, unit])))
  const unitAt = columns.map((column) => unitOf.get(column))
  return (id, [schema, vv, units, alive, extra], valueAt) => {
    const values: Record<string, unknown> = {}
    const beyond: Record<string, Record<string, unknown>> = {}
    let isBeyond = false
    const keep = (unit: string, kept: Readonly<Record<string, unknown>>) => {
      beyond[unit] = { ...beyond[unit], ...kept }
      isBeyond = true
    }
    for (let at = 0; at < columns.length; at += 1) {
      const [column, value, unit] = [columns[at] as string, valueAt(at) ?? null, unitAt[at]]
      if (value === null && unit !== undefined && !units[unit]) continue
      if (isKnown[at]) values[column] = value
      else if (unit) keep(unit, { [column]: value })
    }
    for (const unit in extra) {
      const kept = extra[unit] as Record<string, unknown>
      if (descriptions[table].units[unit]) Object.assign(values, kept)
      else keep(unit, kept)
    }
    values['id'] = id
    return { id, schema, vv, units, alive, values, extra: isBeyond ? beyond : null }
  }
}

function named(table: Replicated, row: unknown): Malformed[] {
  const [id, , , units] = Array.isArray(row) ? row : []
  return isId(String(id)) ? [{ table, id: String(id), units: Object.keys(units ?? {}).slice(0, MOST_UNITS) }] : []
}
const MOST_UNITS = 100
/** What stands before a row's values. */
const HEAD = 6
