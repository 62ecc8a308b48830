import { describe, expect, test } from 'vitest'
import { defaultGradingScale, isPass, letterFor, letterForScore } from './letters.ts'

const scale = defaultGradingScale

describe('letterFor', () => {
  test.each([
    { average: 100, letter: 'A+', remark: 'Outstanding' },
    { average: 90, letter: 'A+', remark: 'Outstanding' },
    { average: 89.99, letter: 'A', remark: 'Excellent' },
    { average: 80, letter: 'A', remark: 'Excellent' },
    { average: 79.99, letter: 'B', remark: 'Very good' },
    { average: 70, letter: 'B', remark: 'Very good' },
    { average: 60, letter: 'C', remark: 'Good' },
    { average: 59.99, letter: 'D', remark: 'Pass' },
    { average: 50, letter: 'D', remark: 'Pass' },
    { average: 49.99, letter: 'F', remark: 'Fail' },
    { average: 0, letter: 'F', remark: 'Fail' },
  ])('$average is $letter', ({ average, letter, remark }) => {
    expect(letterFor(scale, average)).toEqual({ letter, remark })
  })

  test('no average, no letter', () => {
    expect(letterFor(scale, null)).toBeNull()
  })

  test('a minimum with decimals is met by the same decimals', () => {
    const odd = {
      passMark: 33.33,
      bands: [
        { letter: 'P', minimum: 66.67, remark: '' },
        { letter: 'N', minimum: 0, remark: '' },
      ],
    }
    expect(letterFor(odd, 66.67)?.letter).toBe('P')
    expect(letterFor(odd, 66.66)?.letter).toBe('N')
    expect([isPass(odd, 33.33), isPass(odd, 33.32)]).toEqual([true, false])
  })
})

test.each([
  { score: 18, max: 20, letter: 'A+', why: '90' },
  { score: 44.9975, max: 50, letter: 'A+', why: '89.995 is printed 90' },
  { score: 2, max: 3, letter: 'C', why: '66.67' },
  { score: 0, max: 20, letter: 'F', why: '0' },
])('a grade of $score out of $max is $letter: $why', ({ score, max, letter }) => {
  expect(letterForScore(scale, score, max)?.letter).toBe(letter)
})

test('the pass mark of the default scale is 50', () => {
  expect(scale.passMark).toBe(50)
})
