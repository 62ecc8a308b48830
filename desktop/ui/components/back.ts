import { useBlocker } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'

/** What lies over the page, the uppermost last. */
const over: symbol[] = []

/** Whether going another way than by a link closes what lies over the page, in place of leaving it. */
export const isBackTaken = (action: string): boolean => over.length > 0 && action !== 'PUSH' && action !== 'REPLACE'

/** Calls `onBack` in place of leaving the page, while what asks for it lies uppermost over the page: on a telephone Back is how one closes it. */
export function useBack(onBack: () => void, isOver = true): void {
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
