import { useSyncExternalStore } from 'react'

let isOut = false
const listeners = new Set<() => void>()

function say(value: boolean): void {
  if (value === isOut) return
  isOut = value
  for (const listener of listeners) listener()
}

/** The server said 401: nobody is signed in any more, whatever the page still shows. */
export const signedOut = () => say(true)
/** Somebody is signed in (again). */
export const signedIn = () => say(false)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** True from the first answer that asked for a sign-in until there was one. */
export const useSignedOut = (): boolean => useSyncExternalStore(subscribe, () => isOut)
