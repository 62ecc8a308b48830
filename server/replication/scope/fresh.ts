import { COMMONS } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { canonical, isSame, pick, type RowState } from '@markbook/sync/merge/state'
import { covers, EXISTENCE, type Stamp } from '@markbook/sync/versions'
import type { KnownRow } from '../../store/replica/states.ts'

/**
 * The units that a state would write here: those of writes that this node has not seen, and whatever else stood otherwise afterwards. An
 * honest node sends none of the latter; one that was altered may tell a write that is known anew, with another value too, or take a row away
 * by no write at all.
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

/** Under the stamp that is known a value that is not. What one of the two does not have at all says nothing. */
const isTouched = (table: Replicated, unit: string, { units, values }: RowState, known: RowState): boolean =>
  isOneWrite(units[unit], known.units[unit]) &&
  (descriptions[table].units[unit] ?? []).some((column) => {
    const [told, here] = [values[column], known.values[column]]
    return told !== undefined && here !== undefined && !isSame(told, here)
  })

/** What says here what stands here already asks for no right: a child that gives way to a refusal writes just that. */
export function changesNothing(table: Replicated, unit: string, state: RowState, known: KnownRow | undefined): boolean {
  if (!known) return false
  if (unit === EXISTENCE) return known.state.alive.length > 0 === state.alive.length > 0
  const columns = descriptions[table].units[unit]
  // A unit of a newer program is asked about like the others of its row.
  if (!columns) return canonical(state.extra?.[unit]) === canonical(known.state.extra?.[unit])
  return canonical(pick(state.values, columns)) === canonical(pick(known.state.values, columns))
}
