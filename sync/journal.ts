import { toInstant } from '@markbook/shared/clock'
import type { Changes } from '@markbook/shared/tables/changes'
import { isRecord } from '@markbook/shared/tables/describe'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { canonical, isSame, type RowState, type Values } from './merge/state.ts'
import { LATEST_CLOCK, PENDING } from './stamp.ts'
import { EXISTENCE, type Stamp, type Versions } from './versions.ts'

/**
 * What the entry of a write says beyond its `changes`.
 * - `units`: by unit, the hybrid clock in ms and the highest value (`Stamp`): of units whose clock is not the entry's time, or that have a
 *   highest value, and of those that no changed column names
 * - `values`: columns of these units that kept their value; of a new row its time and author, where they are not the entry's
 * - `again`: the write was stamped anew
 */
export type Detail = { units?: Readonly<Record<string, readonly [hlc: number, high?: number]>>; values?: Values; again?: true }

/** An entry of the history, as far as it says what a write was. `at` in ms. */
export type JournalEntry = {
  entity: string
  row_id: string
  action: 'create' | 'update' | 'delete'
  actor_id: string | null
  node_id: string
  node_seq: number
  at: number
  changes: Changes
  detail: Detail | null
}

/** Whether a write wrote a unit, as its action and its changed columns show. */
function isShown(table: Replicated, { action, changes }: Pick<JournalEntry, 'action' | 'changes'>, unit: string): boolean {
  if (unit === EXISTENCE) return action !== 'update'
  if (action === 'delete' || !Object.hasOwn(descriptions[table].units, unit)) return false
  return action === 'create' || columnsOf(table, unit).some((column) => column in changes)
}

const columnsOf = (table: Replicated, unit: string): readonly string[] =>
  unit === EXISTENCE ? descriptions[table].identity : (descriptions[table].units[unit] ?? [])

type Write = Pick<JournalEntry, 'action' | 'actor_id' | 'at' | 'changes'> & {
  table: Replicated
  /** The row after the write, or before it was removed. */
  row: Values
  /** Of the row, once the write is stamped; the counters of this write are `PENDING`. */
  stamps: Versions['units']
}

/** What the entry of a write must say beyond its changes; null for nothing. */
export function detailOf({ table, action, actor_id, at, changes, row, stamps }: Write): Detail | null {
  const unitDetails: Record<string, readonly [number, number?]> = {}
  const values: Record<string, unknown> = {}
  for (const [unit, [, counter, hlc, , high]] of Object.entries(stamps)) {
    if (counter !== PENDING) continue
    if (!isShown(table, { action, changes }, unit) || hlc !== clockOf(at) || high !== undefined)
      unitDetails[unit] = high === undefined ? [hlc] : [hlc, high]
    if (action === 'create' || (action === 'delete' && unit === EXISTENCE)) continue
    for (const column of columnsOf(table, unit))
      if (!(column in changes) && !isSealed(table, column) && !isNamed(column)) values[column] = row[column] ?? null
  }
  if (action === 'create')
    for (const column of descriptions[table].identity) {
      const own = automatic(column, at, actor_id)
      if (own !== undefined && !isSame(own, row[column])) values[column] = row[column] ?? null
    }
  const detail: Detail = { ...(!isEmpty(unitDetails) && { units: unitDetails }), ...(!isEmpty(values) && { values }) }
  return isEmpty(detail) ? null : detail
}

/**
 * The detail of a write that is stamped anew: all that the write was, for no column changes by it. `row`: as it stands, or stood at last.
 */
export function detailOfRestamp(table: Replicated, row: Values, stamps: Versions['units']): Detail {
  const units: Record<string, readonly [number, number?]> = {}
  for (const [unit, [, , hlc, , high]] of Object.entries(stamps)) units[unit] = high === undefined ? [hlc] : [hlc, high]
  const columns = Object.keys(stamps).flatMap((unit) => columnsOf(table, unit))
  const unsealed = columns.filter((column) => !isSealed(table, column) && !isNamed(column))
  return { again: true, units, values: Object.fromEntries(unsealed.map((column) => [column, row[column] ?? null])) }
}

const isEmpty = (record: object): boolean => Object.keys(record).length === 0
const isSealed = (table: Replicated, column: string): boolean => descriptions[table].sealed?.includes(column) ?? false
const clockOf = (at: number): number => Math.min(at, LATEST_CLOCK)
/** The columns that an entry names itself: its row and its school. */
const isNamed = (column: string): boolean => column === 'id' || column === 'school_id'
const automatic = (column: string, at: number, actor: string | null): string | null | undefined =>
  column === 'created_at' ? toInstant(at) : column === 'created_by' ? actor : undefined

/** The hybrid clock in ms that an entry gives a unit; for a unit that it did not write, that of its time. */
export const clockIn = ({ detail, at }: JournalEntry, unit: string): number => detail?.units?.[unit]?.[0] ?? clockOf(at)

/** The full stamp that an entry gives a unit; null where it did not write it. */
export function stampIn(table: Replicated, entry: JournalEntry, unit: string): Stamp | null {
  const named = entry.detail?.units?.[unit]
  if (!named && !isShown(table, entry, unit)) return null
  const [hlc, high] = [clockIn(entry, unit), named?.[1]]
  const { node_id, node_seq, actor_id } = entry
  return high === undefined ? [node_id, node_seq, hlc, actor_id] : [node_id, node_seq, hlc, actor_id, high]
}

/** The value that an entry gives a column, for a deletion the last one; undefined where it does not say. */
function valueIn(table: Replicated, { action, actor_id, at, changes, detail, row_id }: JournalEntry, column: string): unknown {
  if (column === 'id') return row_id
  const change = changes[column]
  if (change) return action === 'delete' ? change.before : change.after
  if (detail?.values && column in detail.values) return detail.values[column]
  if (isSealed(table, column)) return undefined
  if (action === 'create') return automatic(column, at, actor_id) ?? null
  return action === 'delete' ? null : undefined
}

/** Columns that an entry does not show: the school, which is the entry's, and of a deletion who made the row, and when. */
const isElsewhere = (column: string, { action }: JournalEntry) =>
  column === 'school_id' || (action === 'delete' && (column === 'created_at' || column === 'created_by'))

/**
 * A claimed write of a row: the stamp and the values of a unit in `state`. `highest`: the highest value of the unit that is known from any
 * write of the row.
 */
type Claimed = { state: Pick<RowState, 'id' | 'values' | 'units' | 'alive'>; unit: string; highest: number | undefined }

/**
 * Whether an entry says that this very write was made. A merge keeps the highest value of all writes beside the latest one, so the stamp
 * may have a highest value that the entry does not have.
 */
export function isWriteIn(table: Replicated, entry: JournalEntry, claimed: Claimed): boolean {
  const { state, unit } = claimed
  const stamp = state.units[unit]
  if (!stamp || entry.entity !== table || entry.row_id !== state.id || entry.node_id !== stamp[0] || entry.node_seq !== stamp[1])
    return false
  return differenceIn(table, entry, stamp, claimed, columnsOf(table, unit)) === null
}

/** `unsaid`: the program that wrote the entry did not tell what would decide it. */
type EntryVerdict = 'this' | 'other' | 'unsaid'

/**
 * What an entry says of a write with its dot. `isWhole`: the entry's program tells `detail`; older ones told neither clocks nor columns
 * that kept their value. Sealed values stand in no entry, and are passed over.
 */
export function verdictOfEntry(table: Replicated, entry: JournalEntry, claimed: Claimed, isWhole: boolean): EntryVerdict {
  const { state, unit } = claimed
  const columns = columnsOf(table, unit).filter((column) => !isSealed(table, column))
  const difference = differenceIn(table, entry, state.units[unit] as Stamp, claimed, columns)
  if (difference === null) return 'this'
  // An entry of a write that was stamped anew says nothing of the other units of its transaction.
  if (difference === 'unit' && entry.detail?.again) return 'unsaid'
  // The highest value may be of a write that this database has never received; units of a newer program are not known here.
  if (difference === 'highest' || (unit !== EXISTENCE && !descriptions[table].units[unit])) return 'unsaid'
  return isWhole || difference === 'author' || isTold(entry, claimed, difference) ? 'other' : 'unsaid'
}

/**
 * The first difference: the unit was not written, or by somebody else, at another time, with another value of a column, or a highest value
 * that is too high.
 */
type Difference = 'unit' | 'author' | 'time' | 'highest' | { column: string }

function differenceIn(
  table: Replicated,
  entry: JournalEntry,
  [, , hlc, actor, high]: Stamp,
  { state, unit, highest }: Claimed,
  columns: readonly string[],
): Difference | null {
  const own = stampIn(table, entry, unit)
  // A deletion writes the row's existence after all that it has seen, so a deleted row has it from an entry that deletes.
  const isNoDeletion = unit === EXISTENCE && state.alive.length === 0 && entry.action !== 'delete'
  if (!own || isNoDeletion) return 'unit'
  if (own[3] !== actor) return 'author'
  if (own[2] !== hlc) return 'time'
  const column = columns.find((each) => !isElsewhere(each, entry) && !isSame(valueIn(table, entry, each), state.values[each] ?? null))
  if (column !== undefined) return { column }
  return (high ?? 0) > Math.max(own[4] ?? 0, highest ?? 0) ? 'highest' : null
}

/** Whether an entry without `detail` shows the difference: it shows the columns that changed, and a time before which its clock is not. */
function isTold(
  { action, at, changes }: JournalEntry,
  { state, unit }: Claimed,
  difference: Exclude<Difference, 'author' | 'highest'>,
): boolean {
  if (difference === 'unit') return false
  if (difference === 'time') return (state.units[unit] as Stamp)[2] < clockOf(at)
  const { column } = difference
  return column in changes || (action === 'create' && column !== 'created_at' && column !== 'created_by')
}

/** The values that an entry gives the columns of a unit; null where it does not say. Without sealed columns. */
export function valuesInEntry(table: Replicated, entry: JournalEntry, unit: string): Values {
  const columns = columnsOf(table, unit).filter((column) => !isSealed(table, column) && !isElsewhere(column, entry))
  return Object.fromEntries(columns.map((column) => [column, valueIn(table, entry, column) ?? null]))
}

/** A lost write; `value` is null for a deletion. */
export type LostWrite = { row: string; unit: string; stamp: Stamp; value: Values | null }

/** Whether an entry says that a lost write was made, with this value. */
export function isLossIn(table: Replicated, entry: JournalEntry, { row, unit, stamp, value }: LostWrite): boolean {
  if (value !== null)
    return isWriteIn(table, entry, {
      state: { id: row, values: value, units: { [unit]: stamp }, alive: [[stamp[0], stamp[1]]] },
      unit,
      highest: undefined,
    })
  const own = entry.entity === table && entry.row_id === row && entry.action === 'delete' ? stampIn(table, entry, unit) : null
  return own !== null && isSame(own.slice(0, 4), stamp.slice(0, 4))
}

/**
 * The value of a unit before an entry's write, of a deletion the value of any unit; null where the entry does not say, as for a new row.
 */
function valueBefore(table: Replicated, { action, changes, detail }: JournalEntry, unit: string): Values | null {
  if (action === 'create') return null
  const values: Record<string, unknown> = {}
  for (const column of columnsOf(table, unit)) {
    const known = column in changes ? changes[column]?.before : action === 'delete' ? null : detail?.values?.[column]
    if (known === undefined) return null
    values[column] = known
  }
  return values
}

/** Entries by the value that they left in a unit. */
function entriesByValue(table: Replicated, all: readonly JournalEntry[], unit: string): Map<string, JournalEntry[]> {
  const byValue = new Map<string, JournalEntry[]>()
  for (const entry of all) {
    if (entry.action === 'delete' || stampIn(table, entry, unit) === null) continue
    const value = canonical(columnsOf(table, unit).map((column) => valueIn(table, entry, column)))
    byValue.set(value, [...(byValue.get(value) ?? []), entry])
  }
  return byValue
}

/**
 * Whether the history leads from a write of a row back to a value of a unit: whoever wrote it had seen what the write before it left. It
 * goes by values, for an entry does not name the one before it: a value that came back may be of any of the earlier writes that left it.
 */
export function leadsBackTo(
  table: Replicated,
  all: readonly JournalEntry[],
  from: JournalEntry,
  { unit, value }: { unit: string; value: Values },
): boolean {
  const columns = columnsOf(table, unit)
  const wanted = canonical(columns.map((column) => value[column]))
  const byValue = entriesByValue(table, all, unit)
  const reached = new Set([from])
  for (const at of reached) {
    const before = valueBefore(table, at, unit)
    if (before === null) continue
    const found = canonical(columns.map((column) => before[column]))
    if (found === wanted) return true
    for (const each of byValue.get(found) ?? []) if (clockIn(each, unit) < clockIn(at, unit)) reached.add(each)
  }
  return false
}

/** The units that an entry says it wrote. */
export const unitsIn = (table: Replicated, entry: JournalEntry): string[] => [
  ...new Set([
    ...[EXISTENCE, ...Object.keys(descriptions[table].units)].filter((unit) => isShown(table, entry, unit)),
    ...Object.keys(entry.detail?.units ?? {}),
  ]),
]

/** The highest value that an entry gives a unit. */
export const highIn = (table: Replicated, entry: JournalEntry, unit: string): number | undefined => stampIn(table, entry, unit)?.[4]

/** Null where the text is not the JSON of a detail. */
export function parsedDetail(text: string): Detail | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (!isRecord(parsed)) return null
    const { units = {}, values = {} } = parsed
    const isWhole = isRecord(units) && isRecord(values) && Object.values(units).every(isClock)
    return isWhole ? (parsed as Detail) : null
  } catch {
    return null
  }
}

const isClock = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= 1 && value.length <= 2 && value.every((each) => Number.isFinite(each))
