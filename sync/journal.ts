import { toInstant } from '@markbook/shared/clock'
import type { Changes } from '@markbook/shared/tables/changes'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { canonical, isSame, type RowState, type Values } from './merge/state.ts'
import { LATEST_CLOCK, PENDING } from './stamp.ts'
import { EXISTENCE, type Stamp, type Versions } from './versions.ts'

/**
 * What one write said of a row and the `changes` of its entry do not show. `units`: by unit, the hybrid clock in ms and the highest value
 * (`Stamp`), of units that bear another clock than the entry's time or a highest value, and of those that no changed column names.
 * `values`: columns of these units that kept their value, and times and authors of a new row that are not the entry's. `again`: it was stamped anew.
 */
export type Detail = { units?: Readonly<Record<string, readonly [hlc: number, high?: number]>>; values?: Values; again?: true }

/** An entry of the history as far as it says what a write was. `at` in ms. */
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

/** The units that a write of a row writes, as its action and the changed columns show. */
function unitsShown(table: Replicated, action: JournalEntry['action'], changes: Changes): string[] {
  const { units } = descriptions[table]
  if (action === 'delete') return [EXISTENCE]
  if (action === 'create') return [EXISTENCE, ...Object.keys(units)]
  return Object.entries(units).flatMap(([unit, columns]) => (columns.some((column) => column in changes) ? [unit] : []))
}

const columnsOf = (table: Replicated, unit: string): readonly string[] =>
  unit === EXISTENCE ? descriptions[table].identity : (descriptions[table].units[unit] ?? [])

type Write = Pick<JournalEntry, 'action' | 'actor_id' | 'at' | 'changes'> & {
  table: Replicated
  /** As it stands after the write, or stood before it was removed. */
  row: Values
  /** Of the row, once the write is stamped and before it has its number. */
  stamps: Versions['units']
}

/** What the entry of a write must say besides its changes; null for nothing. */
export function detailOf({ table, action, actor_id, at, changes, row, stamps }: Write): Detail | null {
  const shown = new Set(unitsShown(table, action, changes))
  const told: Record<string, readonly [number, number?]> = {}
  const values: Record<string, unknown> = {}
  for (const [unit, [, counter, hlc, , high]] of Object.entries(stamps)) {
    if (counter !== PENDING) continue
    if (!shown.has(unit) || hlc !== clockOf(at) || high !== undefined) told[unit] = high === undefined ? [hlc] : [hlc, high]
    if (action === 'create' || (action === 'delete' && unit === EXISTENCE)) continue
    for (const column of columnsOf(table, unit))
      if (!(column in changes) && !isSealed(table, column) && !isNamed(column)) values[column] = row[column] ?? null
  }
  if (action === 'create')
    for (const column of descriptions[table].identity) {
      const own = automatic(column, at, actor_id)
      if (own !== undefined && !isSame(own, row[column])) values[column] = row[column] ?? null
    }
  const detail: Detail = { ...(!isEmpty(told) && { units: told }), ...(!isEmpty(values) && { values }) }
  return isEmpty(detail) ? null : detail
}

/**
 * What an entry says of a write that is stamped anew: all that the write was, for no column changes by it. `row` as it stands, or stood at last.
 */
export function retoldDetail(table: Replicated, row: Values, stamps: Versions['units']): Detail {
  const units: Record<string, readonly [number, number?]> = {}
  for (const [unit, [, , hlc, , high]] of Object.entries(stamps)) units[unit] = high === undefined ? [hlc] : [hlc, high]
  const columns = Object.keys(stamps).flatMap((unit) => columnsOf(table, unit))
  const told = columns.filter((column) => !isSealed(table, column) && !isNamed(column))
  return { again: true, units, values: Object.fromEntries(told.map((column) => [column, row[column] ?? null])) }
}

const isEmpty = (record: object): boolean => Object.keys(record).length === 0
const isSealed = (table: Replicated, column: string): boolean => descriptions[table].sealed?.includes(column) ?? false
const clockOf = (at: number): number => Math.min(at, LATEST_CLOCK)
/** An entry names its row and its school itself. */
const isNamed = (column: string): boolean => column === 'id' || column === 'school_id'
const automatic = (column: string, at: number, actor: string | null): string | null | undefined =>
  column === 'created_at' ? toInstant(at) : column === 'created_by' ? actor : undefined

/** The hybrid clock of a write as an entry says it of a unit, in ms; of one that it did not write, that of the others. */
export const clockIn = ({ detail, at }: JournalEntry, unit: string): number => detail?.units?.[unit]?.[0] ?? clockOf(at)

/** The stamp that a write gave a unit, in full; null where it did not write it. */
export function stampIn(table: Replicated, told: JournalEntry, unit: string): Stamp | null {
  const named = told.detail?.units?.[unit]
  if (!named && !unitsShown(table, told.action, told.changes).includes(unit)) return null
  const [hlc, high] = [clockIn(told, unit), named?.[1]]
  const { node_id, node_seq, actor_id } = told
  return high === undefined ? [node_id, node_seq, hlc, actor_id] : [node_id, node_seq, hlc, actor_id, high]
}

/** The value that a column has in what an entry says; undefined where it does not say. */
function valueIn(table: Replicated, { action, actor_id, at, changes, detail, row_id }: JournalEntry, column: string): unknown {
  if (column === 'id') return row_id
  const change = changes[column]
  if (change) return action === 'delete' ? change.before : change.after
  if (detail?.values && column in detail.values) return detail.values[column]
  if (isSealed(table, column)) return undefined
  if (action === 'create') return automatic(column, at, actor_id) ?? null
  return action === 'delete' ? null : undefined
}

/** The school is that of the entry. What a deletion does not show is who made the row, and when. */
const isElsewhere = (column: string, { action }: JournalEntry) =>
  column === 'school_id' || (action === 'delete' && (column === 'created_at' || column === 'created_by'))

/** A write of a row: the stamp and the values of a unit in `state`. `highest`: the highest value of the unit that is known of any write of the row. */
type Claimed = { state: Pick<RowState, 'id' | 'values' | 'units' | 'alive'>; unit: string; highest: number | undefined }

/**
 * Whether an entry says that this very write was made. A merge keeps the highest value of all writes beside the latest, so the stamp may
 * have one that the entry has not.
 */
export function isWriteIn(table: Replicated, told: JournalEntry, claimed: Claimed): boolean {
  const { state, unit } = claimed
  const stamp = state.units[unit]
  if (!stamp || told.entity !== table || told.row_id !== state.id || told.node_id !== stamp[0] || told.node_seq !== stamp[1]) return false
  return differenceIn(table, told, stamp, claimed, columnsOf(table, unit)) === null
}

/** `unsaid`: the program that wrote the entry did not tell what would show it. */
type EntryVerdict = 'this' | 'other' | 'unsaid'

/**
 * What an entry of the row and the transaction that a write names says of this write. `isWhole`: it is of a program that tells `detail`; one
 * before it did not tell clocks, nor what kept its value. No entry has a sealed value, which is passed over.
 */
export function saidOf(table: Replicated, told: JournalEntry, claimed: Claimed, isWhole: boolean): EntryVerdict {
  const { state, unit } = claimed
  const columns = columnsOf(table, unit).filter((column) => !isSealed(table, column))
  const difference = differenceIn(table, told, state.units[unit] as Stamp, claimed, columns)
  if (difference === null) return 'this'
  // Of what its transaction wrote besides, an entry that tells a write anew says nothing.
  if (difference === 'unit' && told.detail?.again) return 'unsaid'
  // A write that this database has never heard of may have had it; and units of a newer program are not known here.
  if (difference === 'highest' || (unit !== EXISTENCE && !descriptions[table].units[unit])) return 'unsaid'
  return isWhole || difference === 'author' || isTold(told, claimed, difference) ? 'other' : 'unsaid'
}

/** What differs first: the unit was not written, or by somebody else, at another time, with another value of a column, or a highest value that is too high. */
type Difference = 'unit' | 'author' | 'time' | 'highest' | { column: string }

function differenceIn(
  table: Replicated,
  told: JournalEntry,
  [, , hlc, actor, high]: Stamp,
  { state, unit, highest }: Claimed,
  columns: readonly string[],
): Difference | null {
  const own = stampIn(table, told, unit)
  // Whatever deletes a row writes its existence, and comes after all that it has seen.
  const isNoDeletion = unit === EXISTENCE && state.alive.length === 0 && told.action !== 'delete'
  if (!own || isNoDeletion) return 'unit'
  if (own[3] !== actor) return 'author'
  if (own[2] !== hlc) return 'time'
  const column = columns.find((each) => !isElsewhere(each, told) && !isSame(valueIn(table, told, each), state.values[each] ?? null))
  if (column !== undefined) return { column }
  return (high ?? 0) > Math.max(own[4] ?? 0, highest ?? 0) ? 'highest' : null
}

/** An entry without `detail` shows what changed, and a time before which no clock was. */
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

/** The columns of a unit, but for the sealed ones, with the values that an entry says; null of those of which it says nothing. */
export function toldValues(table: Replicated, told: JournalEntry, unit: string): Values {
  const columns = columnsOf(table, unit).filter((column) => !isSealed(table, column) && !isElsewhere(column, told))
  return Object.fromEntries(columns.map((column) => [column, valueIn(table, told, column) ?? null]))
}

/** A write that did not stand; of a deletion the value is null. */
export type Loss = { row: string; unit: string; stamp: Stamp; value: Values | null }

/** Whether an entry says that a write which did not stand was made, with this value. */
export function isLossIn(table: Replicated, told: JournalEntry, { row, unit, stamp, value }: Loss): boolean {
  if (value !== null)
    return isWriteIn(table, told, {
      state: { id: row, values: value, units: { [unit]: stamp }, alive: [[stamp[0], stamp[1]]] },
      unit,
      highest: undefined,
    })
  const own = told.entity === table && told.row_id === row && told.action === 'delete' ? stampIn(table, told, unit) : null
  return own !== null && isSame(own.slice(0, 4), stamp.slice(0, 4))
}

/** What an entry found in a unit that it wrote, or in any unit of a row that it deleted; null where it says nothing, as of what it made. */
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

/** Entries by the value that they leave in a unit. */
function entriesByValue(table: Replicated, all: readonly JournalEntry[], unit: string): Map<string, JournalEntry[]> {
  const byValue = new Map<string, JournalEntry[]>()
  for (const told of all) {
    if (told.action === 'delete' || stampIn(table, told, unit) === null) continue
    const value = canonical(columnsOf(table, unit).map((column) => valueIn(table, told, column)))
    byValue.set(value, [...(byValue.get(value) ?? []), told])
  }
  return byValue
}

/**
 * Whether the history leads from a write of a row back to a value of a unit: whoever wrote it had seen what the write before it left. By values,
 * for an entry does not name the one before it; a value that came back was left by any of the earlier writes that left it.
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

/** The units of which an entry says that it wrote them. */
export const unitsIn = (table: Replicated, told: JournalEntry): string[] => [
  ...new Set([...unitsShown(table, told.action, told.changes), ...Object.keys(told.detail?.units ?? {})]),
]

/** The highest value that an entry says of a unit. */
export const highIn = (table: Replicated, told: JournalEntry, unit: string): number | undefined => stampIn(table, told, unit)?.[4]

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

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const isClock = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= 1 && value.length <= 2 && value.every((each) => Number.isFinite(each))
