import type { LiveMark } from '@markbook/shared/contract/grades'
import type { SyncStatus } from '@markbook/shared/contract/replication.rows'

/**
 * Where a saved mark is. `saved`: this server has nobody to send it to. `here`, `hereForCentre`: on this computer, a teacher's own, until
 * the school or the centre has it; `schoolWaits`: at school, until the centre has it. What has arrived: `school`, `centre`.
 */
export type MarkPlace = 'saved' | 'here' | 'hereForCentre' | 'schoolWaits' | 'school' | 'centre'
export type Above = Pick<SyncStatus, 'parent' | 'is_laptop'>

export function placeOf({ is_waiting, is_above }: Pick<LiveMark, 'is_waiting' | 'is_above'>, above: Above | undefined): MarkPlace {
  if (!above?.parent) return 'saved'
  const { parent, is_laptop } = above
  if (!is_laptop) return is_waiting ? 'schoolWaits' : 'centre'
  if (!is_waiting) return is_above ? 'centre' : parent.kind
  return parent.kind === 'school' ? 'here' : 'hereForCentre'
}
