import fc from 'fast-check'
import { expect, test } from 'vitest'
import { weightsSumTo100 } from './weights.ts'

test.each([
  { exam: 60, coursework: 40, fits: true },
  { exam: 60.5, coursework: 39.5, fits: true },
  { exam: 0, coursework: 100, fits: true },
  { exam: 100, coursework: 0, fits: true },
  { exam: 0.07, coursework: 99.93, fits: true },
  { exam: 66.67, coursework: 33.33, fits: true },
  { exam: 66.67, coursework: 33.34, fits: false },
  { exam: 60, coursework: 39.99, fits: false },
  { exam: 60, coursework: 41, fits: false },
  { exam: 120, coursework: -20, fits: false },
  { exam: -20, coursework: 120, fits: false },
  { exam: Number.NaN, coursework: 40, fits: false },
  { exam: Number.POSITIVE_INFINITY, coursework: 0, fits: false },
  { exam: 99.99999999999999, coursework: 1e-15, fits: false },
])('$exam and $coursework: $fits', ({ exam, coursework, fits }) => {
  expect(weightsSumTo100(exam, coursework)).toBe(fits)
})

test('every pair of 2-decimal percentages is compared in hundredths', () => {
  const hundredths = fc.integer({ min: 0, max: 10_000 })
  fc.assert(
    fc.property(hundredths, fc.integer({ min: -1, max: 1 }), (exam, off) => {
      fc.pre(10_000 - exam + off >= 0)
      expect(weightsSumTo100(exam / 100, (10_000 - exam + off) / 100)).toBe(off === 0)
    }),
  )
})
