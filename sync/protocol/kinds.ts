import { COMMONS, isId } from '@markbook/shared/ids'
import { type Kind, kindsOf } from '@markbook/shared/tables/kinds'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { RowState } from '../merge/state.ts'
import type { Stamp } from '../versions.ts'
import { type Carried, type Malformed, unpackRows } from './page.ts'
import type { Sheet } from './sheet.ts'

/**
 * Like `unpackRows`, for rows of a child: a row that is not sound is malformed, and what nobody says that they wrote is passed over.
 */
export function unpackChecked(sheets: readonly Sheet[]): { rows: Carried[]; malformed: Malformed[] } {
  const { rows, malformed } = unpackRows(sheets)
  const wrong: Malformed[] = []
  const sound = rows.map(written).filter(({ table, state }) => {
    if (isSound(table, state)) return true
    wrong.push({ table, id: state.id, units: Object.keys(state.units) })
    return false
  })
  return { rows: sound, malformed: [...malformed, ...wrong] }
}

/** The row without the values of units that have no stamp: nobody says that they wrote these, so nobody could be asked for the right. */
function written(row: Carried): Carried {
  const { table, state } = row
  const { units: shape } = descriptions[table]
  const isUnwritten = (unit: string) => !state.units[unit]
  const columns = Object.keys(shape).flatMap((unit) => (isUnwritten(unit) ? (shape[unit] ?? []) : []))
  const said = columns.filter((column) => column in state.values)
  const beyond = Object.keys(state.extra ?? {}).filter(isUnwritten)
  if (said.length + beyond.length === 0) return row
  const values = Object.fromEntries(Object.entries(state.values).filter(([column]) => !said.includes(column)))
  const extra = Object.entries(state.extra ?? {}).filter(([unit]) => !beyond.includes(unit))
  return { table, state: { ...state, values, extra: extra.length > 0 ? Object.fromEntries(extra) : null } }
}

/** Whether every value is of its column's kind, and every write of somebody. SQLite would store nearly anything. */
export function isSound(table: Replicated, { units, values }: RowState): boolean {
  const kinds = kindsOf[table]
  const { json = {} } = descriptions[table]
  for (const unit in units) if (!isWriter(units[unit] as Stamp)) return false
  for (const column in values) {
    const [kind, value] = [kinds[column], values[column]]
    if (kind === undefined || value === undefined) continue
    // Whether a column may be null is left to the database: a row of an older program that lacks a column is held.
    if (kind === 'json' ? !json[column]?.(value) : value !== null && !isOfKind(kind, value)) return false
  }
  return true
}

const isWriter = ([node, , , actor]: Stamp) => (isId(node) || node === COMMONS) && (actor === null || isId(actor))

/** Whole numbers of 32 bits. */
const WHOLE = 2 ** 31
const isText = (value: unknown) => typeof value === 'string' && !value.includes('\u0000')

const isOf: Record<Exclude<Kind, 'json'>, (value: unknown) => boolean> = {
  uuid: (value) => typeof value === 'string' && isId(value),
  text: isText,
  choice: isText,
  flag: (value) => typeof value === 'boolean',
  int: (value) => Number.isInteger(value) && Math.abs(value as number) < WHOLE,
  bigint: Number.isSafeInteger,
  decimal: Number.isFinite,
  day: (value) => typeof value === 'string' && isInstant(`${value}T00:00:00.000Z`),
  instant: (value) => typeof value === 'string' && isInstant(value),
}

/** Whether a value that is not null is of a column's kind. */
export const isOfKind = (kind: Exclude<Kind, 'json'>, value: unknown): boolean => isOf[kind](value)

let lastInstant = ''
/** Rows that come together were mostly made together. */
function isInstant(text: string): boolean {
  if (text === lastInstant) return true
  const moment = Date.parse(text)
  if (Number.isNaN(moment) || new Date(moment).toISOString() !== text) return false
  lastInstant = text
  return true
}
