import type { SyncStatus } from '@markbook/shared/contract/replication'

/** Where a saved mark is. `saved`: this server has nobody to send it to. */
export type MarkPlace = 'saved' | 'here' | 'school' | 'centre'

/** Of a server whose parent is the school's it is this computer's own, of one under the centre the school's. */
export function placeOf(isWaiting: boolean, parent: SyncStatus['parent'] | undefined): MarkPlace {
  if (!parent) return 'saved'
  if (parent.kind === 'school') return isWaiting ? 'here' : 'school'
  return isWaiting ? 'school' : 'centre'
}
