import { createContext } from 'react'

/** Closes the dialog around a component; null outside of one. */
export const Closing = createContext<(() => void) | null>(null)
