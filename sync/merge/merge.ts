import type { Replicated } from '@markbook/shared/tables/tables'
import { highest } from '../stamp.ts'
import { byText, compareStamps, covers, EXISTENCE, join, type Presence, type Stamp, sameDot } from '../versions.ts'
import { type Rule, ruleOf } from './policy.ts'
import { canonical, isSame, pick, type RowState, type Shape, type Values } from './state.ts'

/** A lost value: `value` by column, null for a deletion that was overruled. */
export type Loser = { unit: string; kind: 'value' | 'delete'; value: Values | null; stamp: Stamp; rule: Rule }
export type Merged = { state: RowState; losers: readonly Loser[] }

/**
 * Merges two states of one row: commutative, associative and idempotent in `state`. Vectors alone decide whether a write saw another;
 * clocks decide only which of two concurrent writes stands. `losers`: every value that goes without having been seen by the one that stays,
 * on the node where they meet.
 */
export function mergeRows(table: Replicated, shape: Shape, a: RowState, b: RowState): Merged {
  const losers: Loser[] = []
  const units: Record<string, Stamp> = {}
  const values: Record<string, unknown> = {}
  const extra: Record<string, Values> = {}
  for (const unit of unitsOf(a, b)) {
    const side = (state: RowState): Side => ({
      state,
      stamp: state.units[unit],
      value: valueIn(shape, unit, state),
      given: givenIn(unit, state),
    })
    const { winner, loser } = meet(ruleFor(table, unit), side(a), side(b))
    units[unit] = withHigh(winner.stamp as Stamp, highest(a.units[unit]?.[4], b.units[unit]?.[4]))
    const { known, beyond } = isAllKnown(unit, a, b) ? { known: winner.value, beyond: null } : divided(shape, unit, winner.value)
    Object.assign(values, known)
    if (beyond) extra[unit] = beyond
    if (loser && unit !== EXISTENCE)
      losers.push({ unit, kind: 'value', value: loser.value, stamp: loser.stamp as Stamp, rule: ruleFor(table, unit) })
  }
  const alive = presences(a, b)
  const overruled = alive.length > 0 ? deletionIn(a, b) : null
  if (overruled) losers.push({ unit: EXISTENCE, kind: 'delete', value: null, stamp: overruled, rule: 'later' })
  const state: RowState = {
    id: a.id,
    schema: Math.max(a.schema, b.schema),
    vv: join(a.vv, b.vv),
    units,
    alive,
    values,
    extra: Object.keys(extra).length > 0 ? extra : null,
  }
  return { state, losers }
}

/** One side of a unit. `given`: the columns that the value was read from. */
type Side = { state: RowState; stamp: Stamp | undefined; value: Values; given: Values }

const ruleFor = (table: Replicated, unit: string): Rule => (unit === EXISTENCE ? 'quiet' : ruleOf(table, unit))
const unitsOf = (a: RowState, b: RowState) => [...new Set([...Object.keys(a.units), ...Object.keys(b.units)])].sort(byText)

/** The value of a unit, with its columns in `extra`: those that an older program kept there, and those that a newer one added. */
export function valueIn({ identity, units }: Shape, unit: string, { values, extra }: Pick<RowState, 'values' | 'extra'>): Values {
  if (unit === EXISTENCE) return pick(values, identity)
  const known = pick(values, units[unit] ?? [])
  const kept = extra?.[unit]
  return kept ? { ...known, ...kept } : known
}
const givenIn = (unit: string, { values, extra }: RowState): Values => (extra?.[unit] ? { ...values, ...extra[unit] } : values)

const isAllKnown = (unit: string, a: RowState, b: RowState): boolean =>
  unit === EXISTENCE || (a.extra?.[unit] === undefined && b.extra?.[unit] === undefined)

/** The columns of a unit that are known here, and those of a newer schema. */
function divided({ units }: Shape, unit: string, value: Values): { known: Values; beyond: Values | null } {
  const columns = units[unit] ?? []
  const beyond = Object.entries(value).filter(([column]) => !columns.includes(column))
  return { known: pick(value, columns), beyond: beyond.length > 0 ? Object.fromEntries(beyond) : null }
}

/**
 * The side of a unit that stands, and the side that is lost, if one is. A unit that is absent on one side was not written there: the other
 * side stands.
 */
function meet(rule: Rule, a: Side, b: Side): { winner: Side; loser: Side | null } {
  if (!a.stamp || !b.stamp) return { winner: a.stamp ? a : b, loser: null }
  // Two writes under one dot and two clocks are of a database and its copy, and are told apart before they meet.
  const isOne = sameDot(a.stamp, b.stamp) && a.stamp[2] === b.stamp[2]
  if (isOne && (rule === 'quiet' || !isTouched(a, b))) return { winner: completed(a, b), loser: null }
  const [aSawB, bSawA] = [covers(a.state.vv, b.stamp), covers(b.state.vv, a.stamp)]
  if (aSawB !== bSawA) return { winner: aSawB ? a : b, loser: null }
  const [winner, loser] = standing(rule, a, b) ? [a, b] : [b, a]
  const isLost = (isOne || !aSawB) && rule !== 'quiet' && canonical(winner.value) !== canonical(loser.value)
  return { winner, loser: isLost ? loser : null }
}

/** Whether one write has two values: a database was changed outside the program. A column that one side does not know says nothing. */
function isTouched(a: Side, b: Side): boolean {
  return Object.keys(a.value).some((column) => {
    const [first, second] = [a.given[column], b.given[column]]
    return first !== undefined && second !== undefined && !isSame(first, second)
  })
}

/** One write, with the columns that one of the two programs did not know. */
function completed(a: Side, b: Side): Side {
  const missing = Object.keys(b.value).filter((column) => a.given[column] === undefined)
  return missing.length > 0 ? { ...a, value: { ...a.value, ...pick(b.given, missing) } } : a
}

/**
 * Whether `a` stands. This is an order of all writes of a unit in which a write stands above those that it saw, so that the result does not
 * depend on the path by which they meet.
 */
function standing(rule: Rule, a: Side, b: Side): boolean {
  const [first, second] = [a.stamp as Stamp, b.stamp as Stamp]
  const order = typeof rule === 'object' ? compareSteps(rule, a, b) : 0
  return (order || compareStamps(first, second) || byText(canonical(a.value), canonical(b.value))) > 0
}

/** Compares by whether a side is at the last step, then by how often the row was made anew, then by the step. */
function compareSteps({ furthest, of }: Exclude<Rule, string>, a: Side, b: Side): number {
  const [first, second] = [a, b].map(({ value }) => furthest.indexOf(String(value[of]))) as [number, number]
  const isLast = (step: number) => (step === furthest.length - 1 ? 1 : 0)
  if (isLast(first) || isLast(second)) return isLast(first) - isLast(second)
  return (a.stamp?.[4] ?? 0) - (b.stamp?.[4] ?? 0) || first - second
}

const withHigh = ([node, counter, hlc, actor]: Stamp, high: number | undefined): Stamp =>
  high === undefined ? [node, counter, hlc, actor] : [node, counter, hlc, actor, high]

/**
 * The dots of `alive` after a merge: those of both, and those of one side that the other has not seen. A deletion takes away only what it
 * saw.
 */
function presences(a: RowState, b: RowState): Presence[] {
  const key = ([node, counter]: Presence) => `${node} ${counter}`
  const inB = new Set(b.alive.map(key))
  const kept = [...a.alive.filter((each) => inB.has(key(each)) || !covers(b.vv, each)), ...b.alive.filter((each) => !covers(a.vv, each))]
  const unique = new Map(kept.map((each) => [key(each), each]))
  return [...unique.values()].sort((x, y) => byText(x[0], y[0]) || x[1] - y[1])
}

/** The stamp of a deletion on one side that the other, living side has not seen; else null. */
function deletionIn(a: RowState, b: RowState): Stamp | null {
  for (const [gone, there] of [
    [a, b],
    [b, a],
  ] as const) {
    const stamp = gone.units[EXISTENCE]
    if (gone.alive.length === 0 && stamp && there.alive.length > 0 && !covers(there.vv, stamp)) return stamp
  }
  return null
}

/** Whether two states are the same for every reader: a page that brings one changes nothing. */
export const sameState = (a: RowState, b: RowState): boolean =>
  a === b ||
  (isSame(a.vv, b.vv) && isSame(a.units, b.units) && isSame(a.alive, b.alive) && isSame(a.values, b.values) && isSame(a.extra, b.extra))
