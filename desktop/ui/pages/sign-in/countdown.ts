import { Failure } from '@markbook/shared/failures'
import { useEffect, useState } from 'react'

const SECOND = 1_000

/** The whole seconds until `end` (ms); 0 after it. */
export function useSecondsUntil(end: number): number {
  const [now, setNow] = useState(() => Date.now())
  const left = Math.max(0, Math.ceil((end - now) / SECOND))
  useEffect(() => {
    if (end <= Date.now()) return
    setNow(Date.now())
    const ticking = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= end) clearInterval(ticking)
    }, SECOND)
    return () => clearInterval(ticking)
  }, [end])
  return left
}

/** How long the server asks to wait, in ms; null where it does not say. */
export function retryAfterMs(failure: unknown): number | null {
  const after = failure instanceof Failure ? Number(failure.headers?.['retry-after']) : Number.NaN
  return Number.isFinite(after) ? after * SECOND : null
}
