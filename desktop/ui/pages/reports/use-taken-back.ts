import { type KeyboardEvent, useRef } from 'react'

/** What stood in a field when it was entered comes back by Esc, whatever was typed or deleted since. `press` is true where it did. */
export function useTakenBack(value: string, onChange: (value: string) => void) {
  const before = useRef(value)
  return {
    enter: () => {
      before.current = value
    },
    press: ({ key }: KeyboardEvent): boolean => {
      if (key !== 'Escape' || value === before.current) return false
      onChange(before.current)
      return true
    },
  }
}
