import { isId } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { RowState } from '../merge/state.ts'
import { EXISTENCE, shareText } from '../versions.ts'
import { cellsOf, valuesOf } from './cells.ts'
import { type Shared, type Sheet, Versioned, wrongVersions } from './sheet.ts'

export type Carried = { table: Replicated; state: RowState }

/** The columns of a table that travel: its identity and its units. */
export const travelling = (table: Replicated): string[] => {
  const { identity, units } = descriptions[table]
  return [...identity, ...Object.values(units).flat()]
}

const unitsIn = (table: Replicated): Record<string, string[]> =>
  Object.fromEntries(Object.entries(descriptions[table].units).map(([unit, columns]) => [unit, [...columns]]))

/** One sheet for each table, in the order in which the tables first come; rows keep their order. */
export function packRows(rows: readonly Carried[]): Sheet[] {
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
  return { table, columns, units: unitsIn(table), versions: versioned.versions, ids: states.map(({ id }) => id), at, cells }
}

/** A row that no honest program sends, as far as it can be named. */
export type Malformed = { table: Replicated; id: string; units: string[] }
export type Unpacked = { rows: Carried[]; malformed: Malformed[] }

/**
 * Reads sheets row by row, so that a malformed row stops no other. Sheets of tables that this program does not know are passed over (SPEC,
 * «Versions of the program»).
 */
export function unpackRows(sheets: readonly Sheet[]): Unpacked {
  const unpacked: Unpacked = { rows: [], malformed: [] }
  for (const sheet of sheets) if (Object.hasOwn(descriptions, sheet.table)) unpackSheet(sheet.table as Replicated, sheet, unpacked)
  return unpacked
}

function unpackSheet(table: Replicated, sheet: Sheet, { rows, malformed }: Unpacked): void {
  const read = readerOf(table, sheet)
  const wrong = wrongVersions(sheet)
  const { ids, versions, at } = sheet
  const values = sheet.cells.map(valuesOf)
  for (const [, vv, stamps, alive] of versions) shareText({ vv, units: stamps, alive })
  for (let row = 0; row < ids.length; row += 1) {
    const [id, place] = [ids[row], at[row] as number]
    const own = versions[place] as Shared
    // A row without a valid id cannot be named in an answer.
    if (typeof id !== 'string' || !isId(id)) continue
    if (wrong.has(place)) malformed.push({ table, id, units: unitsNamed(own) })
    else rows.push({ table, state: read(id, own, (column) => values[column]?.(row)) })
  }
}

/** The units that malformed versions name. */
const unitsNamed = ([, , units]: readonly unknown[]): string[] => Object.keys(units ?? {}).slice(0, MOST_UNITS)
const MOST_UNITS = 100

type Read = (id: string, versions: Shared, valueAt: (column: number) => unknown) => RowState

/**
 * Returns how to read the rows of a sheet. A column that is not known here is of a newer program, in a unit of its own or in a known one,
 * and goes into `extra`. A column in `extra` that is known here goes into `values`. The columns of a unit that nobody wrote are absent, not
 * null.
 */
function readerOf(table: Replicated, { columns, units: theirs }: Pick<Sheet, 'columns' | 'units'>): Read {
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
      // In a known unit a null column says the same as an absent one.
      else if (unit && (value !== null || !(unit in descriptions[table].units))) keep(unit, { [column]: value })
    }
    for (const unit in extra) {
      // No program knows more columns of a row's existence than another.
      if (unit === EXISTENCE) continue
      const kept = extra[unit] as Record<string, unknown>
      for (const column in kept) {
        if (known.has(column)) values[column] = kept[column]
        else keep(unit, { [column]: kept[column] })
      }
    }
    values['id'] = id
    return { id, schema, vv, units, alive, values, extra: isBeyond ? beyond : null }
  }
}
