import { COMMONS } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { canonical, isSame, pick, type RowState } from '@markbook/sync/merge/state'
import { covers, EXISTENCE, type Stamp } from '@markbook/sync/versions'
import type { KnownRow } from '../../store/replica/states.ts'

/**
 * The units that a state would change here, with their stamps: those with a stamp that this node has not seen, and those that are otherwise
 * after the merge (`after`). An honest node sends only the former. An altered one may send a known stamp with another value, or delete a
 * row by no write at all (`BY_NOBODY`).
 */
export function freshIn(table: Replicated, state: RowState, known: KnownRow | undefined, after: RowState): [string, Stamp][] {
  const units = Object.entries(state.units)
  if (!known) return units
  const { vv, units: before, alive } = known.state
  const isFresh = ([unit, stamp]: [string, Stamp]) =>
    !covers(vv, stamp) || !isOneWrite(before[unit], after.units[unit]) || isTouched(table, unit, state, known.state)
  const fresh = units.filter(isFresh)
  const isFlipped = after.alive.length > 0 !== alive.length > 0
  const isTold = fresh.some(([unit]) => unit === EXISTENCE || after.alive.length > 0)
  return isFlipped && !isTold ? [...fresh, [EXISTENCE, state.units[EXISTENCE] ?? BY_NOBODY]] : fresh
}
const BY_NOBODY: Stamp = [COMMONS, 0, 0, null]
const isOneWrite = (a: Stamp | undefined, b: Stamp | undefined) => isSame(a?.slice(0, 4), b?.slice(0, 4))

/** Whether a known stamp comes with another value. A column that one of the two lacks says nothing. */
const isTouched = (table: Replicated, unit: string, { units, values }: RowState, known: RowState): boolean =>
  isOneWrite(units[unit], known.units[unit]) &&
  (descriptions[table].units[unit] ?? []).some((column) => {
    const [told, here] = [values[column], known.values[column]]
    return told !== undefined && here !== undefined && !isSame(told, here)
  })

/** Whether a unit says what stands here already. That needs no right: a child that gives way to a refusal writes just that. */
export function changesNothing(table: Replicated, unit: string, state: RowState, known: KnownRow | undefined): boolean {
  if (!known) return false
  const { units, identity } = descriptions[table]
  const isFlipped = known.state.alive.length > 0 !== state.alive.length > 0
  if (unit === EXISTENCE && isFlipped) return false
  const columns = unit === EXISTENCE ? identity : units[unit]
  // A unit that only a newer program knows.
  if (!columns) return canonical(state.extra?.[unit]) === canonical(known.state.extra?.[unit])
  return canonical(pick(state.values, columns)) === canonical(pick(known.state.values, columns))
}
