/**
 * When a child compares itself with its parent, and what follows (SPEC, «Comparing»). Pure: times and chance are given. A step is taken
 * only in a quiet moment, when all that was written has gone and all that is new has come.
 */
export type Comparing = {
  /**
   * `resting` until the next comparison; `doubting` after a difference that may only have been on its way; `merging` everything again;
   * `checking` whether that helped.
   */
  kind: 'resting' | 'doubting' | 'merging' | 'checking'
  /** Not before this moment, ms. */
  due: number
}

/** `unclear`: something was on its way, or the parent had no time. */
export type ComparisonResult = 'same' | 'different' | 'unclear'
/** A number between 0 and 1. */
export type Chance = () => number

export type ComparingBounds = {
  startDelayMs: number
  everyMs: number
  jitter: { startMs: number; dayMs: number }
  recheckMs: number
  retryMs: number
}

/** `found`: both differ; `same`: they do not, or no longer; null: it is not known yet. */
type Verdict = 'found' | 'same' | null
export type ComparingStep = { state: Comparing; verdict: Verdict }

export const begun = (now: number, chance: Chance, { startDelayMs, jitter }: ComparingBounds): Comparing => ({
  kind: 'resting',
  due: now + startDelayMs + chance() * jitter.startMs,
})

const rested = (now: number, chance: Chance, { everyMs, jitter }: ComparingBounds): Comparing => ({
  kind: 'resting',
  due: now + everyMs + chance() * jitter.dayMs,
})

/** Puts a step off by about `by` ms, by chance, so that children do not come all at once. */
export const putOff = (state: Comparing, now: number, chance: Chance, by: number): Comparing => ({
  ...state,
  due: now + by * (0.5 + chance()),
})

/**
 * After a failure. `isLine`: the line broke, and a merge goes on where it was. After any other failure nothing is tried before the next
 * day.
 */
export function failed(state: Comparing, isLine: boolean, now: number, chance: Chance, bounds: ComparingBounds): Comparing {
  if (!isLine) return rested(now, chance, bounds)
  return putOff(state, now, chance, state.kind === 'merging' ? bounds.retryMs : bounds.jitter.dayMs)
}

/** The state after a comparison. `mayMerge`: everything may be merged again if both differ. */
export function compared(
  state: Comparing,
  seen: ComparisonResult,
  { now, chance, mayMerge }: { now: number; chance: Chance; mayMerge: boolean },
  bounds: ComparingBounds,
): ComparingStep {
  if (seen === 'unclear') return { state: putOff(state, now, chance, bounds.retryMs), verdict: null }
  if (seen === 'same') return { state: rested(now, chance, bounds), verdict: 'same' }
  if (state.kind === 'resting') return { state: { kind: 'doubting', due: now + bounds.recheckMs }, verdict: null }
  if (state.kind === 'doubting' && mayMerge) return { state: { kind: 'merging', due: now }, verdict: 'found' }
  return { state: rested(now, chance, bounds), verdict: 'found' }
}

/** After everything was merged again: the next comparison shows whether that helped. */
export const merged = (now: number, { recheckMs }: ComparingBounds): Comparing => ({ kind: 'checking', due: now + recheckMs })

const DAY = 86_400_000
/**
 * Whether everything may be merged again, after it was merged `merges` times without help, the last time at `mergedAt` (ms).
 * `mergeAfterMs`: the least time between two merges.
 */
export function mayMergeAgain(now: number, mergedAt: number | null, merges: number, { mergeAfterMs }: { mergeAfterMs: number }): boolean {
  const days = Math.min(2 ** Math.max(merges - 1, 0), 7)
  return mergedAt === null || now - mergedAt >= mergeAfterMs + (days - 1) * DAY
}
