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
  afterStart: number
  every: number
  spread: { start: number; day: number }
  again: number
  later: number
}

/** `found`: both differ; `same`: they do not, or no longer; null: it is not known yet. */
export type Verdict = 'found' | 'same' | null
export type ComparingStep = { state: Comparing; verdict: Verdict }

export const begun = (now: number, chance: Chance, { afterStart, spread }: ComparingBounds): Comparing => ({
  kind: 'resting',
  due: now + afterStart + chance() * spread.start,
})

const rested = (now: number, chance: Chance, { every, spread }: ComparingBounds): Comparing => ({
  kind: 'resting',
  due: now + every + chance() * spread.day,
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
  return putOff(state, now, chance, state.kind === 'merging' ? bounds.later : bounds.spread.day)
}

/** The state after a comparison. `mayMerge`: everything may be merged again if both differ. */
export function compared(
  state: Comparing,
  seen: ComparisonResult,
  { now, chance, mayMerge }: { now: number; chance: Chance; mayMerge: boolean },
  bounds: ComparingBounds,
): ComparingStep {
  if (seen === 'unclear') return { state: putOff(state, now, chance, bounds.later), verdict: null }
  if (seen === 'same') return { state: rested(now, chance, bounds), verdict: 'same' }
  if (state.kind === 'resting') return { state: { kind: 'doubting', due: now + bounds.again }, verdict: null }
  if (state.kind === 'doubting' && mayMerge) return { state: { kind: 'merging', due: now }, verdict: 'found' }
  return { state: rested(now, chance, bounds), verdict: 'found' }
}

/** After everything was merged again: the next comparison shows whether that helped. */
export const merged = (now: number, { again }: ComparingBounds): Comparing => ({ kind: 'checking', due: now + again })

const DAY = 86_400_000
/**
 * Whether everything may be merged again, after it was merged `merges` times without help, the last time at `mergedAt` (ms). `merge`: the
 * least ms between two merges.
 */
export function mayMergeAgain(now: number, mergedAt: number | null, merges: number, { merge }: { merge: number }): boolean {
  const days = Math.min(2 ** Math.max(merges - 1, 0), 7)
  return mergedAt === null || now - mergedAt >= merge + (days - 1) * DAY
}
