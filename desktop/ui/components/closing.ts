import { createContext, type RefObject } from 'react'

/** Closes the dialog around a component; null outside of one. */
export const Closing = createContext<(() => void) | null>(null)

/** Whether something was typed or chosen in a form of the dialog around it; null outside of one. */
export const Typed = createContext<RefObject<boolean> | null>(null)
