import { useSyncExternalStore } from 'react'

/** Whether a media query matches; the component is rendered again when that changes. */
export const useMatches = (query: string): boolean =>
  useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
