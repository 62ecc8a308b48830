import type { Cell } from '@markbook/shared/spreadsheet/table'
import { sqliteTables } from '@markbook/shared/tables/sqlite'
import type { Replicated } from '@markbook/shared/tables/tables'
import { type Column, getTableColumns } from 'drizzle-orm'
import { orNull } from '../../or-null.ts'
import type { AnyRow } from './rows.ts'

/** Computed from other columns of the row, and computed again by an import; not written. */
const FOLDED = ['sort_key', 'search_key']

export type ColumnKind = 'text' | 'number' | 'flag' | 'json'
/** The columns of a table by their names in the contract, with the kind of value; `required`: never null. */
export const kindsOf = (table: Replicated): { name: string; kind: ColumnKind; required: boolean }[] =>
  Object.entries(getTableColumns(sqliteTables[table]) as Record<string, Column>)
    .filter(([name]) => !FOLDED.includes(name))
    .map(([name, { dataType, notNull }]) => ({ name, kind: kindOf(dataType), required: notNull }))

const kindOf = (dataType: string): ColumnKind =>
  (({ boolean: 'flag', number: 'number', json: 'json' })[dataType as 'boolean' | 'number' | 'json'] as ColumnKind) ?? 'text'

/** A value as a cell of the CSV: numbers unchanged, objects as JSON, null for no value. */
export function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export const toTable = (table: Replicated, rows: readonly AnyRow[]) => {
  const head = kindsOf(table).map(({ name }) => name)
  return { head, rows: rows.map((row) => head.map((name) => toCell(row[name]))) }
}

/** The rows of a table, from the lines of its CSV file. Throws with the number of a line that has a wrong value. */
export function fromLines(table: Replicated, lines: readonly (readonly string[])[]): AnyRow[] {
  const [head = [], ...rest] = lines
  const kinds = kindsOf(table)
  const unknown = head.find((name) => !kinds.some((kind) => kind.name === name))
  if (unknown)
    throw new Error(`tables/${table}.csv has a column ${unknown}, which this Markbook does not know: it was made by another version.`)
  return rest.map((cells, at) => {
    const row = Object.fromEntries(
      kinds.map(({ name, kind, required }) => {
        const text = cells[head.indexOf(name)] ?? ''
        const wrong = (how: string) => new Error(`tables/${table}.csv, line ${at + 2}: ${name} ${how}.`)
        if (text !== '') return [name, parsed(text, kind, () => wrong(`cannot be “${text.slice(0, 40)}”`))]
        if (required && kind !== 'text') throw wrong('is missing')
        return [name, required ? '' : null]
      }),
    )
    return row as AnyRow
  })
}

function parsed(text: string, kind: ColumnKind, wrong: () => Error): unknown {
  if (kind === 'text') return text
  if (kind === 'flag') {
    if (text !== 'true' && text !== 'false') throw wrong()
    return text === 'true'
  }
  const read = orNull((): { value: unknown } => ({ value: JSON.parse(text) }))
  if (!read || (kind === 'number' && typeof read.value !== 'number')) throw wrong()
  return read.value
}
