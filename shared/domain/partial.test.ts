import { expect, test } from 'vitest'
import { isPartialTerm } from './partial.ts'

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
