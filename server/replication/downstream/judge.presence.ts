import type { LimitOf } from '@markbook/sync/merge/claims'
import type { RowState } from '@markbook/sync/merge/state'
import { covers, EXISTENCE, type Presence, type Stamp, sameDot } from '@markbook/sync/versions'
import { isLost, type KnownRow } from '../../store/replica/states.ts'

/** What a pushed state does to whether a row is here: `after`, merged with what is known here. */

/** The row was deleted here, and is there by the state. */
export const isReturned = (known: KnownRow | undefined, after: RowState): boolean =>
  known !== undefined && !isLost(known) && known.state.alive.length === 0 && after.alive.length > 0

/**
 * The write by which a laptop's state says that a row is there that was deleted here, where none of the units that it changes is of that write:
 * one that another has replaced since, or one that nobody made. It is judged like any other of the laptop's person.
 */
export function returnedBy(
  { alive }: RowState,
  known: KnownRow | undefined,
  { after, changed, limitOf }: { after: RowState; changed: readonly [string, Stamp][]; limitOf: LimitOf },
): Presence | undefined {
  if (!known || !isReturned(known, after)) return undefined
  const isOfUnit = (dot: Presence) => changed.some(([, stamp]) => sameDot(stamp, dot))
  return alive.find((dot) => dot[1] <= limitOf(dot[0]) && !covers(known.state.vv, dot) && !isOfUnit(dot))
}

/**
 * A deletion that is known here, and that did not take the row: whoever brings it again cannot know better than its writer what that one had
 * seen.
 */
export const endsByKnownDeletion = (
  { alive }: RowState,
  { unit, stamp }: { unit: string; stamp: Stamp },
  known: KnownRow | undefined,
): boolean =>
  unit === EXISTENCE &&
  alive.length === 0 &&
  known !== undefined &&
  !isLost(known) &&
  known.state.alive.length > 0 &&
  covers(known.state.vv, stamp)
