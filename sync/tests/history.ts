import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { Loser, mergeRows } from '../merge/merge.ts'
import { type furthestOf, type highsOf, type Rule, ruleOf } from '../merge/policy.ts'
import { canonical, pick, type RowState, type Shape, type Values } from '../merge/state.ts'
import { PENDING, type stamp } from '../stamp.ts'
import { EXISTENCE, type Stamp, type Versions } from '../versions.ts'

/** What is proved; a planted bug puts something else in its place. */
export type Core = {
  mergeRows: typeof mergeRows
  stamp: typeof stamp
  highsOf: typeof highsOf
  furthestOf: typeof furthestOf
}

/**
 * Something that happens at a node. `units`: a bit for each unit of the table; the highest says that a row which was deleted is only
 * edited, not made anew (it stood for what hangs on it). What cannot be deleted, because it is gone, is made anew. `back`: how many states
 * ago the other was read.
 */
export type Event = {
  node: number
  kind: 'write' | 'delete' | 'merge'
  units: number
  value: number
  clock: Clock
  from: number
  back: number
}
type Clock = 'right' | 'behind' | 'in 2099' | 'stopped'
/** `newer`: a bit for each node whose program knows one unit more, and one column more of another. `together`: every node starts with the same row. */
export type History = { table: Replicated; nodes: number; newer: number; together: boolean; events: readonly Event[] }

/** A write as it happened, and by causal ancestry (never by vectors) which writes its author had seen: a bit for each. */
export type Write = {
  bit: number
  node: string
  counter: number
  deletes: boolean
  /** The row had been deleted, and its author knew. */
  again: boolean
  seen: number
  now: number
  actor: string
  values: Readonly<Record<string, Values>>
  hlcs: Readonly<Record<string, number>>
  highs: Readonly<Record<string, number>>
}
export type Moment = { state: RowState | null; seen: number }
/** `recorded`, `covered`, `absorbed`: for each unit the writes that lost with a record, to a write that had them before it, to an equal. */
export type Run = {
  history: History
  writes: Write[]
  nodes: SimulatedNode[]
  recorded: Record<string, number>
  covered: Record<string, number>
  absorbed: Record<string, number>
  /** Records that say what was not so. */
  untrue: string[]
}
type SimulatedNode = { name: string; shape: Shape; counter: number; past: Moment[] }

const LATER_UNIT = 'of_a_newer_schema'
const ROW_ID = '0190c8a0-0000-7000-8000-000000000001'
const EDITS_ONLY = 0b1000_0000
const SCHEMA = 7

/** What a newer program knows besides: a unit of its own, and a column of the table's last unit. */
const laterIn = (table: Replicated): Readonly<Record<string, string>> => {
  const grown = Object.keys(descriptions[table].units).at(-1)
  return { [LATER_UNIT]: 'later_column', ...(grown !== undefined && { [grown]: 'later_part' }) }
}

export function shapeOf(table: Replicated, newer: boolean): Shape {
  const { identity, units } = descriptions[table]
  if (!newer) return { identity, units }
  const grown = Object.entries(laterIn(table)).map(([unit, column]) => [unit, [...(units[unit] ?? []), column]])
  return { identity, units: { ...units, ...Object.fromEntries(grown) } }
}

export const ruleIn = (table: Replicated, unit: string): Rule => (unit === EXISTENCE ? 'quiet' : ruleOf(table, unit))
const now = (place: SimulatedNode): Moment => place.past.at(-1) as Moment
export const writeOf = (run: Run, [node, counter]: readonly [string, number, ...unknown[]]): Write =>
  run.writes.find((write) => write.node === node && write.counter === counter) as Write

/** Lets a history happen. */
export function runHistory(history: History, core: Core): Run {
  const nodes = Array.from({ length: history.nodes }, (_, index): SimulatedNode => {
    const shape = shapeOf(history.table, (history.newer & (1 << index)) !== 0)
    return { name: `node-${index}`, shape, counter: 0, past: [{ state: null, seen: 0 }] }
  })
  const run: Run = { history, nodes, writes: [], recorded: {}, covered: {}, absorbed: {}, untrue: [] }
  const start: Event = { node: 0, kind: 'write', units: 0, value: 0, clock: 'right', from: 0, back: 0 }
  const copies = nodes.slice(1).map((_, index): Event => ({ ...start, node: index + 1, kind: 'merge' }))
  for (const [time, event] of [...(history.together ? [start, ...copies] : []), ...history.events].entries()) {
    const place = nodes[event.node % nodes.length] as SimulatedNode
    if (event.kind !== 'merge') writeAt(run, core, place, event, time)
    else {
      const { past } = nodes[event.from % nodes.length] as SimulatedNode
      mergeAt(run, core, place, past[Math.max(0, past.length - 1 - event.back)] as Moment)
    }
  }
  return run
}

/** The value that the number stands for: few of each, so that two people often write the same. */
function valueFor(table: Replicated, unit: string, columns: readonly string[], number: number): Values {
  const rule = ruleIn(table, unit)
  const of = (column: string) => {
    if (typeof rule === 'object' && column === rule.of) return rule.furthest[number % rule.furthest.length]
    if (column === 'max_score') return 10 + (number % 3)
    if (column === 'role') return ['teacher', 'admin'][number % 2]
    return `${column} ${number % 3}`
  }
  return Object.fromEntries(columns.map((column) => [column, of(column)]))
}

/** The first step of a row that is made, else one that is no step back; the last is rare, for nothing comes after it. */
function stepAfter({ furthest, of }: Exclude<Rule, string>, state: RowState | null, { value, units }: Event): number {
  if (!state) return 0
  const step = Math.max(furthest.indexOf(String(state.values[of])), value % furthest.length)
  return step === furthest.length - 1 && units % 4 > 0 ? step - 1 : step
}
export const isFinal = (rule: Rule, value: Values): boolean => typeof rule === 'object' && value[rule.of] === rule.furthest.at(-1)

/** What a program lets a person write: no step back, and nothing that is final is written or deleted. Null: nothing. */
function allowed(run: Run, { shape, past }: SimulatedNode, event: Event): Record<string, Values> | null {
  const { table } = run.history
  const { state } = past.at(-1) as Moment
  const isThere = state !== null && state.alive.length > 0
  const isLocked = Object.keys(shape.units).some((unit) => state && isFinal(ruleIn(table, unit), state.values))
  const identity = state && isThere ? pick(state.values, shape.identity) : valueFor(table, EXISTENCE, shape.identity, event.value)
  if (event.kind === 'delete' && isThere) return isLocked ? null : { [EXISTENCE]: identity }
  const makes = state === null || (!isThere && (event.kind === 'delete' || (event.units & EDITS_ONLY) === 0))
  const written: Record<string, Values> = makes ? { [EXISTENCE]: identity } : {}
  for (const [index, [unit, columns]] of Object.entries(shape.units).entries()) {
    if (!makes && (event.units & (1 << (index % 7))) === 0) continue
    const rule = ruleIn(table, unit)
    if (!makes && isFinal(rule, state?.values ?? {})) continue
    written[unit] = valueFor(
      table,
      unit,
      columns,
      typeof rule === 'object' ? stepAfter(rule, makes ? null : state, event) : event.value + index,
    )
  }
  return Object.keys(written).length > 0 && !(makes && isLocked) ? written : null
}

const clocks: Record<Clock, (time: number) => number> = {
  right: (time) => 1_000 + 10 * time,
  behind: (time) => 500 - time,
  'in 2099': () => Date.UTC(2099, 0, 1),
  stopped: () => 1_000,
}

/** A local write, as the store's change tracker makes it: stamped, then numbered. */
function writeAt(run: Run, core: Core, place: SimulatedNode, event: Event, time: number) {
  const { table } = run.history
  const values = allowed(run, place, event)
  if (!values) return
  const { state, seen } = now(place)
  place.counter += 1 + (time % 2)
  const deletes = event.kind === 'delete' && (state?.alive.length ?? 0) > 0
  const row = Object.assign({}, state?.values, ...Object.values(values)) as Values
  const written = { units: Object.keys(values), node: place.name, now: clocks[event.clock](time), actor: `person-${event.node}` }
  const high = core.highsOf(table, row)
  const stamped = core.stamp(state, { ...written, deletes, high, furthest: core.furthestOf(table) })
  const versions = numbered(stamped, place.counter)
  const again = state !== null && state.alive.length === 0
  const all: Record<string, Values> = again && !values[EXISTENCE] ? { [EXISTENCE]: pick(row, place.shape.identity), ...values } : values
  const of = <V>(read: (unit: string) => V) => Object.fromEntries(Object.keys(all).map((unit) => [unit, read(unit)]))
  for (const unit of Object.keys(all)) if (state?.units[unit]) mark(run.covered, unit, writeOf(run, state.units[unit]))
  run.writes.push({
    ...{ bit: 1 << run.writes.length, node: place.name, counter: place.counter, deletes, again, seen },
    ...{ now: written.now, actor: written.actor, values: all },
    hlcs: of((unit) => versions.units[unit]?.[2] ?? -1),
    highs: Object.fromEntries(Object.entries(high).filter(([unit]) => unit in all)),
  })
  const next: RowState = { id: ROW_ID, schema: SCHEMA, ...versions, values: row, extra: extraWithout(state, Object.keys(values)) }
  place.past.push({ state: next, seen: seen | (1 << (run.writes.length - 1)) })
}

/** A unit that is written is as the program that writes it knows it. */
const extraWithout = (state: RowState | null, units: readonly string[]) =>
  extraOf(entriesOf(state?.extra).filter(([unit]) => !units.includes(unit)))
const entriesOf = (extra: RowState['extra'] | undefined) => Object.entries(extra ?? {})
const extraOf = (entries: readonly [string, Values][]): RowState['extra'] => (entries.length > 0 ? Object.fromEntries(entries) : null)

/** The number of the transaction in the place of the one that was pending. */
function numbered({ vv, units, alive }: Versions, counter: number): Versions {
  const of = (each: number) => (each === PENDING ? counter : each)
  const stamps = Object.entries(units).map(([unit, [node, nr, ...rest]]): [string, Stamp] => [unit, [node, of(nr), ...rest]])
  return {
    vv: Object.fromEntries(Object.entries(vv).map(([node, nr]) => [node, of(nr)])),
    units: Object.fromEntries(stamps),
    alive: alive.map(([node, nr]) => [node, of(nr)]),
  }
}

const mark = (marks: Record<string, number>, unit: string, write: Write | undefined) => {
  marks[unit] = (marks[unit] ?? 0) | (write?.bit ?? 0)
}

/** As a state arrives at a program that knows more or less than the sender: what it does not know stands in `extra`, unless it is empty. */
export function carried(table: Replicated, state: RowState, shape: Shape): RowState {
  const later = laterIn(table)
  const values: Record<string, unknown> = { ...state.values }
  const extra: Record<string, Values> = {}
  for (const [unit, column] of Object.entries(later)) {
    const value = state.extra?.[unit]?.[column] ?? values[column]
    const isKnown = shape.units[unit]?.includes(column)
    delete values[column]
    if (isKnown && state.units[unit]) values[column] = value ?? null
    else if (value !== undefined && value !== null) extra[unit] = { [column]: value }
  }
  return { ...state, values, extra: extraOf(Object.entries(extra)) }
}

const valueAt = (shape: Shape, unit: string, { values, extra }: RowState): Values =>
  unit === EXISTENCE ? pick(values, shape.identity) : { ...pick(values, shape.units[unit] ?? []), ...extra?.[unit] }

function mergeAt(run: Run, core: Core, place: SimulatedNode, from: Moment) {
  const mine = now(place)
  if (!from.state) return
  const theirs = { ...from, state: carried(run.history.table, from.state, place.shape) }
  const seen = mine.seen | theirs.seen
  if (!mine.state) return place.past.push({ state: theirs.state, seen })
  const { state, losers } = core.mergeRows(run.history.table, place.shape, mine.state, theirs.state)
  const sides = [mine, theirs] as readonly (Moment & { state: RowState })[]
  for (const [lost, stood] of [sides, sides.toReversed()] as [(typeof sides)[0], (typeof sides)[0]][]) {
    for (const [unit, each] of Object.entries(lost.state.units)) noteEqual(run, place.shape, unit, each, { lost, stood, state })
  }
  for (const loser of losers) noteRecord(run, place.shape, loser, sides, state)
  place.past.push({ state, seen })
}

type Met = { lost: Moment & { state: RowState }; stood: Moment & { state: RowState }; state: RowState }

/** Two people wrote the same, or deletions took the row together: one write stands for both. */
function noteEqual(run: Run, shape: Shape, unit: string, each: Stamp, { lost, stood, state }: Met) {
  const other = stood.state.units[unit]
  if (!other || canonical(state.units[unit]?.slice(0, 2)) !== canonical(other.slice(0, 2))) return
  const [write, winner] = [writeOf(run, each), writeOf(run, other)]
  if (!write || !winner || (stood.seen & write.bit) !== 0 || (lost.seen & winner.bit) !== 0) return
  const bothGone = write.deletes && lost.state.alive.length === 0 && state.alive.length === 0
  const equal = canonical(valueAt(shape, unit, lost.state)) === canonical(valueAt(shape, unit, stood.state))
  if (unit === EXISTENCE ? bothGone : equal) mark(run.absorbed, unit, write)
}

/** A column that the program of a write did not know is empty in it. */
const sameColumns = (a: Values | null | undefined, b: Values | null | undefined): boolean => {
  const columns = Object.keys({ ...a, ...b })
  return a && b ? canonical(pick(a, columns)) === canonical(pick(b, columns)) : a === b
}

/** A record is of a write as it was written, that one side had and the other had never seen. */
function noteRecord(run: Run, shape: Shape, loser: Loser, sides: readonly Moment[], state: RowState) {
  const write = writeOf(run, loser.stamp)
  const value = loser.kind === 'delete' ? null : write?.values[loser.unit]
  const isWhole = sameColumns(loser.value, value) && write?.actor === loser.stamp[3] && write.hlcs[loser.unit] === loser.stamp[2]
  const isUnseen = sides.filter(({ seen }) => (seen & (write?.bit ?? 0)) !== 0).length === 1
  const differs = loser.kind === 'delete' ? state.alive.length > 0 : canonical(valueAt(shape, loser.unit, state)) !== canonical(loser.value)
  if (!isWhole || !isUnseen || !differs) run.untrue.push(canonical({ loser, isWhole, isUnseen, differs }))
  mark(run.recorded, loser.unit, write)
}

/** The line is whole again: three of the nodes get what all others had, each in its own order. Answers where they stand, in one shape. */
export function exchange(run: Run, core: Core): RowState[] {
  const { nodes, history } = run
  const had = nodes.map(now)
  const met = nodes.slice(0, 3)
  for (const [index, place] of met.entries()) {
    const order = had.map((_, at) => (index === 1 ? had.length - at : at + 2 * index) % had.length)
    for (const at of order) if (at !== index) mergeAt(run, core, place, had[at] as Moment)
  }
  return met.flatMap((place) => now(place).state ?? []).map((state) => carried(history.table, state, shapeOf(history.table, true)))
}
