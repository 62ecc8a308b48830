import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from '../components/browser-storage.ts'
import { Listeners } from './listeners.ts'

let isOut = false
const listeners = new Listeners()

function setOut(value: boolean): void {
  if (value === isOut) return
  isOut = value
  listeners.notify()
}

/** After a reply of 401: nobody is signed in any more. */
export const signedOut = () => setOut(true)
/** Somebody is signed in. */
export const signedIn = () => setOut(false)

/** True from the first 401 until somebody signs in. */
export const useSignedOut = (): boolean => useSyncExternalStore(listeners.add, () => isOut)

const SIGNING_OUT = 'markbook.signing-out'
/** Whether somebody has signed out in this browser and the server could not be told yet. */
export const isSigningOut = (): boolean => readStored(SIGNING_OUT) !== null
export const noteSigningOut = (isIt: boolean): void => writeStored(SIGNING_OUT, isIt ? 'yes' : null)
