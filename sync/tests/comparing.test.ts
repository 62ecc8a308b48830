import { expect, test } from 'vitest'
import { begun, type Comparing, compared, failed, mayMergeAgain, merged } from '../comparing.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const bounds = {
  startDelayMs: 5 * MINUTE,
  everyMs: DAY,
  jitter: { startMs: 15 * MINUTE, dayMs: 60 * MINUTE },
  recheckMs: MINUTE,
  retryMs: 2 * MINUTE,
}
const half = () => 0.5
const now = 1_000 * DAY
const after = (state: Comparing, seen: 'same' | 'different' | 'unclear', mayMerge = true) =>
  compared(state, seen, { now, chance: half, mayMerge }, bounds)
const resting = begun(now, half, bounds)

test('it begins some minutes after the start, and schools that start together do not come together', () => {
  expect(resting).toEqual({ kind: 'resting', due: now + 12.5 * MINUTE })
  expect(begun(now, () => 0, bounds).due).toBe(now + 5 * MINUTE)
  expect(begun(now, () => 0.999, bounds).due).toBeGreaterThan(now + 19 * MINUTE)
})

test('two that hold the same are compared the next day', () => {
  expect(after(resting, 'same')).toEqual({ state: { kind: 'resting', due: now + DAY + 30 * MINUTE }, verdict: 'same' })
})

test('a difference is looked at once more before it counts; then everything is merged, and looked at again', () => {
  const doubting = after(resting, 'different')
  expect(doubting).toEqual({ state: { kind: 'doubting', due: now + MINUTE }, verdict: null })
  expect(after(doubting.state, 'same')).toMatchObject({ state: { kind: 'resting' }, verdict: 'same' })
  const confirmed = after(doubting.state, 'different')
  expect(confirmed).toEqual({ state: { kind: 'merging', due: now }, verdict: 'found' })
  const checking = merged(now, bounds)
  expect(checking).toEqual({ kind: 'checking', due: now + MINUTE })
  expect(after(checking, 'same')).toMatchObject({ state: { kind: 'resting' }, verdict: 'same' })
  expect(after(checking, 'different')).toMatchObject({ state: { kind: 'resting' }, verdict: 'found' })
})

test('what cannot be said is no difference, and is asked again soon', () => {
  for (const kind of ['resting', 'doubting', 'checking'] as const)
    expect(after({ kind, due: now }, 'unclear')).toEqual({ state: { kind, due: now + 2 * MINUTE }, verdict: null })
})

test('where everything was merged a short while ago it is only told', () => {
  expect(after({ kind: 'doubting', due: now }, 'different', false)).toMatchObject({ state: { kind: 'resting' }, verdict: 'found' })
})

test('everything is merged once a day at most, and more rarely where it never helped', () => {
  const merge = { mergeAfterMs: DAY - 4 * 60 * MINUTE }
  const days = (merges: number) => [0, 0.5, 1, 2, 3, 4, 6, 7, 30].find((each) => mayMergeAgain(now, now - each * DAY, merges, merge))
  expect(mayMergeAgain(now, null, 0, merge)).toBe(true)
  expect([1, 2, 3, 4, 40].map(days)).toEqual([1, 2, 4, 7, 7])
})

test('a line that breaks lets a merge go on where it was; what nobody foresaw waits for the next day', () => {
  const merging: Comparing = { kind: 'merging', due: now }
  expect(failed(merging, true, now, half, bounds)).toEqual({ kind: 'merging', due: now + 2 * MINUTE })
  expect(failed(resting, true, now, half, bounds)).toEqual({ kind: 'resting', due: now + 60 * MINUTE })
  expect(failed(merging, false, now, half, bounds)).toMatchObject({ kind: 'resting', due: now + DAY + 30 * MINUTE })
})
