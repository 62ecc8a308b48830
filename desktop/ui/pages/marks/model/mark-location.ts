import type { LiveMark } from '@markbook/shared/contract/grades'
import type { SyncStatus } from '@markbook/shared/contract/replication.rows'

/**
 * Where a saved mark is stored. `saved`: on this server, which has no parent. `here`, `hereForCentre`: on this laptop, waiting for the
 * school or the centre. `schoolWaits`: at the school, waiting for the centre. `school`, `centre`: it has arrived there.
 */
export type MarkLocation = 'saved' | 'here' | 'hereForCentre' | 'schoolWaits' | 'school' | 'centre'
export type ParentStatus = Pick<SyncStatus, 'parent' | 'is_laptop'>

/** Where a saved mark is stored. `status`: undefined while it is unknown, which counts as no parent. */
export function locationOf(
  { is_waiting, is_above }: Pick<LiveMark, 'is_waiting' | 'is_above'>,
  status: ParentStatus | undefined,
): MarkLocation {
  if (!status?.parent) return 'saved'
  const { parent, is_laptop } = status
  if (!is_laptop) return is_waiting ? 'schoolWaits' : 'centre'
  if (!is_waiting) return is_above ? 'centre' : parent.kind
  return parent.kind === 'school' ? 'here' : 'hereForCentre'
}
