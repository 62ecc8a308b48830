import type { HistoryEntry } from '@markbook/shared/contract/history'

type Entry = Pick<HistoryEntry, 'action' | 'changes' | 'actor'>
export type Restoration = { enteredBy: NonNullable<Entry['actor']>; restoredBy: Entry['actor'] }

const VALUE = ['score', 'status']
const isOfValue = ({ action, changes }: Entry): boolean => action !== 'delete' && VALUE.some((field) => field in changes)

/**
 * Who entered a mark that another person restored from the bin, and who restored it; null for any other mark. The mark itself names only
 * who restored it. `entries`: its history, newest first.
 */
export function restorationOf(entries: readonly Entry[]): Restoration | null {
  const [last, deletion, ...earlier] = entries
  if (last?.action !== 'create' || deletion?.action !== 'delete') return null
  // Another value was entered anew.
  if (VALUE.some((field) => (last.changes[field]?.after ?? null) !== (deletion.changes[field]?.before ?? null))) return null
  // A mark may have been restored several times.
  const enteredBy = restorationOf(earlier)?.enteredBy ?? earlier.find(isOfValue)?.actor
  return enteredBy && enteredBy.id !== last.actor?.id ? { enteredBy, restoredBy: last.actor } : null
}
