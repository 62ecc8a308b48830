import { useSyncExternalStore } from 'react'
import { Listeners } from './listeners.ts'

let isOut = false
const listeners = new Listeners()

function setOut(value: boolean): void {
  if (value === isOut) return
  isOut = value
  listeners.notify()
}

/** The server answered 401: nobody is signed in any more. */
export const signedOut = () => setOut(true)
/** Somebody is signed in (again). */
export const signedIn = () => setOut(false)

/** True from the first 401 until somebody signs in. */
export const useSignedOut = (): boolean => useSyncExternalStore(listeners.add, () => isOut)
