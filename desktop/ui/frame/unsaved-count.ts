import { useSyncExternalStore } from 'react'
import { Listeners } from '../api/listeners.ts'

const changes = new Listeners()
const counts = new Map<string, { unsaved: number; sending: number }>()
let count = 0
let sending = 0

/**
 * How many marks, entries of attendance, or texts of report books are in this browser alone, and how many of them are on their way just
 * now. Told by the session that sends them, which is loaded after the frame.
 */
export function setUnsavedCount(of: 'marks' | 'attendance' | 'reports', unsaved: number, onTheirWay: number): void {
  counts.set(of, { unsaved, sending: onTheirWay })
  const before = count
  const all = [...counts.values()]
  count = all.reduce((sum, each) => sum + each.unsaved, 0)
  sending = all.reduce((sum, each) => sum + each.sending, 0)
  if (count !== before) changes.notify()
}

/** Those on their way too, which are lost to a session that ends. */
export const unsavedNow = (): number => count + sending

export const useUnsavedCount = (): number => useSyncExternalStore(changes.add, () => count)
