import { useBlocker } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'

/** The dialogs and panels over the page, the uppermost last. */
const over: symbol[] = []

/** Whether a navigation that is not by a link closes what is over the page instead of leaving it. */
export const isBackTaken = (action: string): boolean => over.length > 0 && action !== 'PUSH' && action !== 'REPLACE'

/**
 * Calls `onBack` instead of leaving the page while the caller is the uppermost element over it, since Back closes such elements on a
 * telephone.
 */
export function useBack(onBack: () => void, isOver: boolean): void {
  const latest = useRef(onBack)
  latest.current = onBack
  const own = useRef(Symbol('over'))
  useEffect(() => {
    if (!isOver) return
    const name = own.current
    over.push(name)
    return () => void over.splice(over.indexOf(name), 1)
  }, [isOver])
  const shouldBlockFn = useCallback(({ action }: { action: string }) => {
    if (over.at(-1) !== own.current || !isBackTaken(action)) return false
    latest.current()
    return true
  }, [])
  useBlocker({ shouldBlockFn, enableBeforeUnload: false, disabled: !isOver })
}
