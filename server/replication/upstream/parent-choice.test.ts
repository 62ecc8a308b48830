import { describe, expect, test } from 'vitest'
import { ParentChoice } from './parent-choice.ts'

const SCHOOL = 0
const CENTRE = 1
const withTwo = () => {
  const turn = new ParentChoice({ unreachableMs: 10_000, retryEveryMs: 15_000 })
  turn.begin(['school', 'centre'], SCHOOL)
  return turn
}

describe('which parent is spoken with', () => {
  test('the second, once the first has been away for some time without a break', () => {
    const turn = withTwo()
    expect(turn.after('offline', 1_000)).toBeNull()
    expect(turn.after('offline', 10_999)).toBeNull()
    expect(turn.after('connected', 11_000)).toBeNull()
    expect(turn.after('offline', 12_000)).toBeNull()
    expect(turn.after('offline', 22_000)).toBe(CENTRE)
  })

  test('the first again, where the second is away too', () => {
    const turn = withTwo()
    turn.begin(['school', 'centre'], CENTRE)
    expect(turn.after('offline', 1_000)).toBeNull()
    expect(turn.after('offline', 11_000)).toBe(SCHOOL)
  })

  test('with one parent there is no other', () => {
    const turn = new ParentChoice({ unreachableMs: 10_000, retryEveryMs: 15_000 })
    turn.begin(['school'], SCHOOL)
    expect([turn.after('offline', 0), turn.after('offline', 99_000), turn.isTimeToLook(99_000)]).toEqual([null, null, false])
  })

  test('a school that revoked the laptop is not replaced, and a centre that did is not asked again', () => {
    const turn = withTwo()
    expect(turn.after('revoked', 1_000)).toBeNull()
    expect(turn.after('revoked', 99_000)).toBeNull()
    turn.begin(['school', 'centre'], CENTRE)
    expect(turn.after('revoked', 100_000)).toBe(SCHOOL)
    turn.begin(['school', 'centre'], SCHOOL)
    expect([turn.after('offline', 101_000), turn.after('offline', 120_000)]).toEqual([null, null])
    // Joined anew, it is another.
    turn.begin(['school', 'centre again'], SCHOOL)
    expect([turn.after('offline', 130_000), turn.after('offline', 150_000)]).toEqual([null, CENTRE])
  })

  test('from time to time the first is looked for', () => {
    const turn = withTwo()
    expect(turn.isTimeToLook(50_000)).toBe(false)
    turn.begin(['school', 'centre'], CENTRE)
    expect([turn.isTimeToLook(50_000), turn.isTimeToLook(64_000), turn.isTimeToLook(65_000)]).toEqual([true, false, true])
  })

  test('where no parent is at the place, it is the first', () => {
    const turn = withTwo()
    expect(turn.begin(['school'], CENTRE)).toBe(SCHOOL)
  })
})
