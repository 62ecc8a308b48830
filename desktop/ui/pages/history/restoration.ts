import type { HistoryEntry } from '@markbook/shared/contract/history'
import { isTechnical } from '@markbook/shared/domain/technical-columns'

type Entry = Pick<HistoryEntry, 'action' | 'changes' | 'actor'>
export type Restoration = { enteredBy: Entry['actor']; restoredBy: Entry['actor'] }

const VALUE = ['score', 'status']
const isOfValue = ({ action, changes }: Entry): boolean => action !== 'delete' && VALUE.some((field) => field in changes)

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Whether an entry brought a mark back as its deletion, the entry before, had taken it away. */
export function isRestored(entry: Pick<Entry, 'action' | 'changes'>, before: Pick<Entry, 'action' | 'changes'> | undefined): boolean {
  if (entry.action !== 'create' || before?.action !== 'delete') return false
  // Otherwise something else was entered anew.
  const fields = Object.keys(before.changes).filter((field) => !isTechnical(field))
  return fields.every((field) => isEqual(entry.changes[field]?.after, before.changes[field]?.before))
}

/**
 * Who entered a mark that another person restored from the bin (null: unknown), and who restored it; null for any other mark. The mark
 * itself names only who restored it. `entries`: its history, newest first.
 */
export function restorationOf(entries: readonly Entry[]): Restoration | null {
  const [last, deletion, ...earlier] = entries
  if (!last || !isRestored(last, deletion)) return null
  // A mark may have been restored several times.
  const former = restorationOf(earlier)
  const enteredBy = former ? former.enteredBy : (earlier.find(isOfValue)?.actor ?? null)
  return enteredBy?.id !== last.actor?.id ? { enteredBy, restoredBy: last.actor } : null
}
