import { createContext, type RefObject } from 'react'

/** The function that closes the dialog around a component; null outside of dialogs. */
export const Closing = createContext<(() => void) | null>(null)

/** Whether something was entered in a form of the dialog around a component; null outside of dialogs. */
export const Typed = createContext<RefObject<boolean> | null>(null)
