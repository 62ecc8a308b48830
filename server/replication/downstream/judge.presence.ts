import type { LimitOf } from '@markbook/sync/merge/claims'
import type { RowState } from '@markbook/sync/merge/state'
import { covers, EXISTENCE, type Presence, type Stamp, sameDot } from '@markbook/sync/versions'
import { isLost, type KnownRow } from '../../store/replica/states.ts'

/** What a pushed state does to the existence of a row here. `after`: the pushed state, merged with what is known here. */

/** Whether the row is deleted here and lives after the merge. */
export const isReturned = (known: KnownRow | undefined, after: RowState): boolean =>
  known !== undefined && !isLost(known) && known.state.alive.length === 0 && after.alive.length > 0

/**
 * The dot in a laptop's `alive` that brings back a row which is deleted here, where none of the changed units bears that dot: another write
 * has replaced it, or nobody made it. The judge treats it as a write of the laptop's person. Undefined where there is no such dot.
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
 * Whether the unit is a deletion that is known here and that did not delete the row, since the row has writes which the deletion had not
 * seen. Whoever brings the deletion again cannot know better than its writer what that one had seen.
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
