import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { termFigures as figuresOf, type TermWeights, termComposite, typeAverages } from './averages.ts'
import { exact, printed } from './exact.ts'
import type { AssessmentType, Mark } from './marks.ts'

const mark = (more: Partial<Mark>): Mark => ({
  assessment_id: 'a',
  assessment_type: 'coursework',
  max_score: 100,
  weight: null,
  assessment_excluded: false,
  score: null,
  grade_excluded: false,
  ...more,
})
const marks = (...rows: Partial<Mark>[]) => rows.map(mark)

const termFigures = (rows: Mark[], weights: TermWeights) => figuresOf(typeAverages(rows), weights)

describe('type average', () => {
  test.each([
    { why: '(80 + 65) / 2', rows: marks({ score: 80 }, { score: 65 }), average: 72.5 },
    {
      why: '(1·100·15/20 + 3·100·42/60) / 4 = (75 + 210) / 4',
      rows: marks({ score: 15, max_score: 20, weight: 1 }, { score: 42, max_score: 60, weight: 3 }),
      average: 71.25,
    },
    { why: '100·2/3 = 66.666…', rows: marks({ score: 2, max_score: 3 }), average: 66.67 },
    { why: 'null weight is 1: (60·1 + 90·2) / 3', rows: marks({ score: 60 }, { score: 90, weight: 2 }), average: 80 },
    { why: 'a missing mark is not zero', rows: marks({ score: 70 }, { score: null }), average: 70 },
    { why: 'zero is a mark', rows: marks({ score: 70 }, { score: 0 }), average: 35 },
    { why: 'an excluded grade is not usable', rows: marks({ score: 70 }, { score: 10, grade_excluded: true }), average: 70 },
    { why: 'nor one of an excluded assessment', rows: marks({ score: 70 }, { score: 10, assessment_excluded: true }), average: 70 },
    { why: 'weight 0 counts for nothing', rows: marks({ score: 70 }, { score: 10, weight: 0 }), average: 70 },
    { why: 'only weight 0', rows: marks({ score: 70, weight: 0 }), average: null },
    { why: 'only missing and excluded', rows: marks({}, { score: 5, grade_excluded: true }), average: null },
    { why: 'no assessments', rows: [], average: null },
    { why: 'exams are not coursework', rows: marks({ score: 70, assessment_type: 'exam' }), average: null },
    {
      why: '0.1·100·12.35/50 + 0.2·100·33.33/50, over 0.3: (2.47 + 13.332) / 0.3 = 52.673…',
      rows: marks({ score: 12.35, max_score: 50, weight: 0.1 }, { score: 33.33, max_score: 50, weight: 0.2 }),
      average: 52.67,
    },
    { why: 'half a hundredth goes up: (66.66 + 66.67) / 2 = 66.665', rows: marks({ score: 66.66 }, { score: 66.67 }), average: 66.67 },
    { why: 'the largest bounds: 100·99999.99/100000', rows: marks({ score: 99999.99, max_score: 100000, weight: 999.9999 }), average: 100 },
    {
      why: 'beyond the bounds still exact: (33.333… + 66.666…) / 2',
      rows: marks({ score: 1e13, max_score: 3e13, weight: 0.00001 }, { score: 2e13, max_score: 3e13, weight: 0.00001 }),
      average: 50,
    },
  ])('$why → $average', ({ rows, average }) => {
    expect(printed(typeAverages(rows).coursework)).toBe(average)
  })
})

describe('term composite', () => {
  const average = (value: number | null) => (value === null ? null : exact(value))

  test.each([
    { coursework: 80, exam: 60, w_c: 40, w_e: 60, composite: 68, is_partial: false, why: '(80·40 + 60·60) / 100' },
    { coursework: 80, exam: 60, w_c: 33.33, w_e: 66.67, composite: 66.67, is_partial: false, why: '(2666.4 + 4000.2) / 100 = 66.666' },
    { coursework: 80, exam: 60, w_c: 100, w_e: 0, composite: 80, is_partial: false, why: 'the exam has weight 0' },
    { coursework: null, exam: 60, w_c: 40, w_e: 60, composite: 60, is_partial: true, why: 'the exam alone' },
    { coursework: 80, exam: null, w_c: 40, w_e: 60, composite: 80, is_partial: true, why: 'coursework alone' },
    { coursework: 80, exam: null, w_c: 100, w_e: 0, composite: 80, is_partial: false, why: 'the missing exam has no weight' },
    { coursework: null, exam: 60, w_c: 0, w_e: 100, composite: 60, is_partial: false, why: 'the missing coursework has no weight' },
    { coursework: 80, exam: null, w_c: 0, w_e: 100, composite: null, is_partial: true, why: 'only the side of weight 0 is there' },
    { coursework: null, exam: 60, w_c: 100, w_e: 0, composite: null, is_partial: true, why: 'only the side of weight 0 is there' },
    { coursework: null, exam: null, w_c: 40, w_e: 60, composite: null, is_partial: false, why: 'nothing is there' },
    { coursework: null, exam: null, w_c: 0, w_e: 100, composite: null, is_partial: false, why: 'nothing is there' },
  ])('coursework $coursework at $w_c, exam $exam at $w_e → $composite: $why', ({ coursework, exam, w_c, w_e, composite, is_partial }) => {
    const result = termComposite({ coursework: average(coursework), exam: average(exam) }, { coursework_weight: w_c, exam_weight: w_e })
    expect({ composite: printed(result.composite), is_partial: result.is_partial }).toEqual({ composite, is_partial })
  })

  test('takes the exact averages, not the printed ones', () => {
    // Coursework 66.666…, exam 0.005, weights 10 and 90:
    // exact (66.666…·10 + 0.005·90)/100 = 6.67116… → 6.67; from printed (666.7 + 0.9)/100 = 6.676 → 6.68.
    const rows = [mark({ score: 2, max_score: 3 }), mark({ assessment_type: 'exam', score: 0.05, max_score: 1000 })]
    expect(termFigures(rows, { coursework_weight: 10, exam_weight: 90 })).toEqual({
      coursework_average: 66.67,
      exam_average: 0.01,
      term_composite: 6.67,
      is_partial: false,
    })
  })
})

describe('whatever the marks', () => {
  const anyMark = fc.record({
    assessment_id: fc.uuid(),
    assessment_type: fc.constantFrom<AssessmentType>('exam', 'coursework'),
    max_score: fc.integer({ min: 1, max: 10_000_000 }).map((hundredths) => hundredths / 100),
    weight: fc.option(fc.integer({ min: 0, max: 10_000_000 }).map((units) => units / 10_000)),
    assessment_excluded: fc.boolean(),
    score: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    grade_excluded: fc.boolean(),
  })
  const anyMarks = fc.array(
    anyMark.map((row): Mark => ({ ...row, score: row.score === null ? null : Math.floor(row.score * row.max_score * 100) / 100 })),
    { maxLength: 12 },
  )
  const anyWeights = fc.integer({ min: 0, max: 10_000 }).map((w) => ({ exam_weight: w / 100, coursework_weight: (10_000 - w) / 100 }))

  test('a composite lies between its parts, and all within 0 and 100', () => {
    fc.assert(
      fc.property(anyMarks, anyWeights, (rows, weights) => {
        const { coursework_average, exam_average, term_composite } = termFigures(rows, weights)
        const parts = [coursework_average, exam_average].filter((part) => part !== null)
        for (const part of parts) expect(part >= 0 && part <= 100).toBe(true)
        if (term_composite !== null) {
          expect(term_composite).toBeGreaterThanOrEqual(Math.min(...parts))
          expect(term_composite).toBeLessThanOrEqual(Math.max(...parts))
        }
      }),
    )
  })

  test('the order of the rows does not matter, nor do rows that are not usable', () => {
    fc.assert(
      fc.property(anyMarks, anyWeights, fc.infiniteStream(fc.nat()), (rows, weights, keys) => {
        const shuffled = rows
          .map((row) => ({ row, key: keys.next().value }))
          .sort((a, b) => a.key - b.key)
          .map(({ row }) => row)
        const usable = shuffled.filter((row) => row.score !== null && !row.grade_excluded && !row.assessment_excluded)
        expect(termFigures(shuffled, weights)).toEqual(termFigures(rows, weights))
        expect(termFigures(usable, weights)).toEqual(termFigures(rows, weights))
      }),
    )
  })

  test('partial exactly when one side is there and the missing one has weight', () => {
    fc.assert(
      fc.property(anyMarks, anyWeights, (rows, weights) => {
        const { coursework_average, exam_average, is_partial } = termFigures(rows, weights)
        const missing = [
          coursework_average === null && weights.coursework_weight > 0,
          exam_average === null && weights.exam_weight > 0,
        ].some(Boolean)
        const some = coursework_average !== null || exam_average !== null
        expect(is_partial).toBe(some && missing)
      }),
    )
  })
})
