import { useSyncExternalStore } from 'react'
import { Listeners } from '../api/listeners.ts'

const changes = new Listeners()
let count = 0
let sending = 0

/**
 * How many marks are in this browser alone, and how many of them are on their way just now. Told by the marking session, which is loaded after
 * the frame.
 */
export function setUnsavedCount(marks: number, onTheirWay: number): void {
  sending = onTheirWay
  if (count === marks) return
  count = marks
  changes.notify()
}

/** Those on their way too, which are lost to a session that ends. */
export const unsavedNow = (): number => count + sending

export const useUnsavedCount = (): number => useSyncExternalStore(changes.add, () => count)
