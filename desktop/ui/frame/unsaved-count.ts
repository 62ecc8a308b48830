import { useSyncExternalStore } from 'react'
import { Listeners } from '../api/listeners.ts'

const changes = new Listeners()
export type UnsavedSource = 'marks' | 'attendance' | 'reports'
type Unsaved = { unsaved: number; sending: number; elsewhere: number; isStored: boolean }

const counts = new Map<UnsavedSource, Unsaved>()
let count = 0
let sending = 0
let elsewhere = 0

/**
 * Sets how many marks, attendance entries or report texts are unsaved in this window, how many of them are being sent, and how many are in
 * other windows of this browser. `isStored`: false where this browser could not store some, so that closing the window would lose them.
 * Called by the module that sends them, which is loaded after the frame.
 */
export function setUnsavedCount(of: UnsavedSource, own: Unsaved): void {
  const before = [count, elsewhere, isAllStored()]
  counts.set(of, own)
  const sum = (key: 'unsaved' | 'sending' | 'elsewhere') => [...counts.values()].reduce((total, each) => total + each[key], 0)
  count = sum('unsaved')
  sending = sum('sending')
  elsewhere = sum('elsewhere')
  if (count !== before[0] || elsewhere !== before[1] || isAllStored() !== before[2]) changes.notify()
}

/** Includes those that are being sent: a sign-out would lose them too. */
export const unsavedNow = (): number => count + sending

/** Whether every unsaved entry of this window survives closing it. */
export const isAllStored = (): boolean => [...counts.values()].every(({ isStored }) => isStored)

export const useIsAllStored = (): boolean => useSyncExternalStore(changes.add, isAllStored)
/** The number of unsaved entries of this window, without those that have been sent only for a moment. */
export const useUnsavedCount = (): number => useSyncExternalStore(changes.add, () => count)
/** The number of unsaved entries of other windows of this browser. */
export const useElsewhereCount = (): number => useSyncExternalStore(changes.add, () => elsewhere)
