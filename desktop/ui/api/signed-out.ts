import { useSyncExternalStore } from 'react'

let isOut = false
const listeners = new Set<() => void>()

function setOut(value: boolean): void {
  if (value === isOut) return
  isOut = value
  for (const listener of listeners) listener()
}

/** The server answered 401: nobody is signed in any more. */
export const signedOut = () => setOut(true)
/** Somebody is signed in (again). */
export const signedIn = () => setOut(false)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** True from the first 401 until somebody signs in. */
export const useSignedOut = (): boolean => useSyncExternalStore(subscribe, () => isOut)
