import { useEffect, useRef } from 'react'

type Keys = Readonly<Record<string, () => void>>

/** A conflict that has just come into sight cannot have been read, in ms: a key that was meant for the one before it decides nothing. */
const UNREAD = 300

/**
 * Keys of the whole page, but not where somebody types or a button already has the focus of that key. A key that is held counts once.
 * `about` is what is in sight: a new one is decided only once it can have been read; walking on is always possible.
 */
export function useKeys(about: string, { decide, walk }: { decide: Keys; walk: Keys }): void {
  const shownSince = useRef(0)
  useEffect(() => {
    if (about) shownSince.current = performance.now()
  }, [about])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = decide[event.key] ?? walk[event.key]
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, select, textarea, [role=menu], [role=dialog]')
      if (!act || isTyping || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      const isUnread = event.key in decide && performance.now() - shownSince.current < UNREAD
      if (!event.repeat && !isUnread) act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
}
