import { expect, test } from 'vitest'
import { isPartialResult, isPartialTerm, isPartialYear, restsOnPartial } from './partial.ts'

const both = { coursework_weight: 40, exam_weight: 60 }
const onlyExam = { coursework_weight: 0, exam_weight: 100 }

test.each([
  [80, 60, 68, both, false],
  [80, null, 80, both, true],
  [null, 60, 60, both, true],
  [null, null, null, both, false],
  // The side that is missing has no weight.
  [null, 60, 60, onlyExam, false],
  // The side that is there has none: there is no result.
  [80, null, null, onlyExam, false],
] as const)(
  'coursework %j and exam %j, so that the result is %j',
  (coursework_average, exam_average, term_composite, weights, isPartial) => {
    const entry = { coursework_average, exam_average, term_composite }
    expect(isPartialTerm(entry, weights)).toBe(isPartial)
  },
)

const whole = { term_composite: 70 }
const partial = { term_composite: 50, is_partial: true } as const
/** Its marks are of the side without weight: it has no part in the mean. */
const absent = { term_composite: null, is_partial: true } as const

test.each([
  [[whole, partial], 60, true],
  [[whole, absent], 70, false],
  [[whole, { term_composite: null }], 70, false],
  [[partial], null, false],
] as const)('a year grade of the terms %j is %j', (terms, year_grade, isPartial) => {
  const year = { year_grade, terms, is_partial: false }
  expect(isPartialResult(year)).toBe(isPartial)
  expect(restsOnPartial(60, [{ year_grade: 80, terms: [whole], is_partial: false }, year])).toBe(isPartial)
})

test.each([
  [[whole], 60, both, 'weighted_continuous', false],
  [[whole], null, both, 'weighted_continuous', true],
  [[{ term_composite: null }], 60, both, 'continuous_cumulative', true],
  [[{ term_composite: null }], 60, onlyExam, 'continuous_cumulative', false],
  // The exam has no part in this model, its terms have.
  [[whole], null, both, 'weighted_cumulative', false],
  [[whole, partial], 60, both, 'weighted_cumulative', true],
  [[whole, partial], 60, both, 'weighted_continuous', true],
  [[whole, absent], 60, both, 'weighted_continuous', false],
  // Without weights the exam has none.
  [[whole], null, { coursework_weight: null, exam_weight: null }, 'weighted_continuous', false],
] as const)('a book with the terms %j, the exam %j, weights %j in %s', (terms, end_of_year_exam, weights, calculation_model, isPartial) => {
  expect(isPartialYear({ terms, end_of_year_exam }, { ...weights, calculation_model })).toBe(isPartial)
})
