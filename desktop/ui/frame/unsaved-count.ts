import { useSyncExternalStore } from 'react'
import { Listeners } from '../api/listeners.ts'

const changes = new Listeners()
let count = 0

/** How many marks are in this browser alone. Told by the marking session, which is loaded after the frame. */
export function setUnsavedCount(marks: number): void {
  if (count === marks) return
  count = marks
  changes.notify()
}

export const useUnsavedCount = (): number => useSyncExternalStore(changes.add, () => count)
