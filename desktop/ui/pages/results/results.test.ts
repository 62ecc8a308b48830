import { yearFigures } from '@markbook/shared/domain/year'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareTerms, differenceOf, directionOf } from './comparison.ts'
import { distributionOf, heatOf, spreadOf } from './distribution.ts'
import { byFigure } from './sort-head.tsx'
import { yearWorking } from './year-working.ts'

const bands = [
  { letter: 'A', minimum: 80 },
  { letter: 'B', minimum: 50 },
  { letter: 'F', minimum: 0 },
]
const result = fc.option(fc.integer({ min: 0, max: 10_000 }).map((n) => n / 100))

describe('a distribution', () => {
  test('counts by band, the lowest first; a result on a bound belongs to the band above', () => {
    expect(distributionOf([80, 79.99, 50, 12, null, 100], bands, 50)).toEqual([
      { letter: 'F', minimum: 0, below: 50, count: 1, isPass: false },
      { letter: 'B', minimum: 50, below: 80, count: 2, isPass: true },
      { letter: 'A', minimum: 80, below: null, count: 2, isPass: true },
    ])
  })

  test('every result is in exactly one band', () => {
    fc.assert(
      fc.property(fc.array(result), (results) => {
        const counted = distributionOf(results, bands, 50).reduce((sum, { count }) => sum + count, 0)
        expect(counted).toBe(results.filter((one) => one !== null).length)
      }),
    )
  })
})

test('the background of a result is low below the pass mark, then by thirds up to 100', () => {
  expect([null, 0, 39.99, 40, 59.99, 60, 79.99, 80, 100].map((value) => heatOf(value, 40))).toEqual([null, 'low', 'low', 1, 1, 2, 2, 3, 3])
  expect([99, 100].map((value) => heatOf(value, 100))).toEqual(['low', 3])
})

describe('a spread', () => {
  test('of 10, 20, 30, 40 has interpolated quartiles', () => {
    expect(spreadOf([40, null, 10, 30, 20])).toEqual({ count: 4, lowest: 10, lower: 17.5, median: 25, upper: 32.5, highest: 40, mean: 25 })
    expect(spreadOf([null])).toBeNull()
  })

  test('has ascending figures, and the mean is between them', () => {
    fc.assert(
      fc.property(fc.array(result), (results) => {
        const spread = spreadOf([50, ...results])
        expect(spread?.count).toBe(1 + results.filter((one) => one !== null).length)
        if (!spread) return
        const { lowest, lower, median, upper, highest, mean } = spread
        const rising = [lowest, lower, median, upper, highest]
        expect([...rising].sort((a, b) => a - b)).toEqual(rising)
        expect(mean >= lowest && mean <= highest).toBe(true)
      }),
    )
  })
})

describe('a difference', () => {
  test('is exact to hundredths', () => {
    expect(differenceOf(78.3, 79.1).by).toBe(0.8)
    expect(differenceOf(0.1, 0.3).by).toBe(0.2)
    expect(differenceOf(null, 50).by).toBeNull()
    expect([0.01, -0.01, 0].map(directionOf)).toEqual(['up', 'down', 'same'])
  })

  test('between two terms is by pupil and subject, with the subjects of either', () => {
    const subject = (code: string, term_composite: number | null) => ({
      subject_id: code,
      subject_name: code,
      subject_code: code,
      term_composite,
    })
    const pupil = (id: string, overall_average: number | null, subjects: object[]) => ({
      student_id: id,
      student: { id, first_name: id, last_name: '' },
      overall_average,
      subjects,
    })
    const before = { students: [pupil('zoe', 60, [subject('MA', 60), subject('GA', 70)])] } as never
    const now = { students: [pupil('zoe', 65, [subject('MA', 66)]), pupil('mei', 50, [subject('MA', 50)])] } as never
    const { subjects, rows } = compareTerms(before, now, ['GA', 'MA'])
    expect(subjects.map(({ code }) => code)).toEqual(['GA', 'MA'])
    expect(rows.map(({ overall, bySubjectId }) => [overall.by, bySubjectId.get('MA')?.by, bySubjectId.get('GA')?.by])).toEqual([
      [5, 6, null],
      [null, null, null],
    ])
  })
})

test('is partial where one of its results is; that of averages where any result is', () => {
  const pupil = (id: string, partial: readonly string[], composite: number | null = 60) => ({
    student_id: id,
    student: { id, first_name: id, last_name: '' },
    overall_average: 60,
    subjects: ['MA', 'GA'].map((code) => ({
      subject_id: code,
      subject_name: code,
      subject_code: code,
      term_composite: partial.includes(code) ? composite : 60,
      is_partial: partial.includes(code),
    })),
  })
  const before = { students: [pupil('zoe', ['GA']), pupil('mei', []), pupil('max', [])] } as never
  // Max has only marks without weight, and so no result in MA.
  const now = { students: [pupil('zoe', []), pupil('mei', []), pupil('new', ['MA']), pupil('max', ['MA'], null)] } as never
  const { rows } = compareTerms(before, now, ['MA', 'GA'])
  const told = rows.map(({ overall, bySubjectId }) => [overall, bySubjectId.get('MA'), bySubjectId.get('GA')].map((one) => one?.isPartial))
  expect(told).toEqual([
    [true, false, true],
    [false, false, false],
    [true, true, false],
    [false, false, false],
  ])
})

describe('sorting', () => {
  test('puts null last in both directions, and keeps the order of equal rows', () => {
    const rows = [
      { name: 'a', of: 50 },
      { name: 'b', of: null },
      { name: 'c', of: 70 },
      { name: 'd', of: 50 },
    ]
    const names = (down: boolean) => byFigure(rows, ({ of }) => of, down).map(({ name }) => name)
    expect(names(false)).toEqual(['c', 'a', 'd', 'b'])
    expect(names(true)).toEqual(['a', 'd', 'c', 'b'])
  })
})

const models = ['weighted_cumulative', 'weighted_continuous', 'continuous_cumulative'] as const

describe('yearWorking', () => {
  const weights = { year_coursework_weight: 40, year_exam_weight: 60 }
  const subject = (composites: readonly (number | null)[], exam: number | null, more = {}) => ({
    terms: composites.map((term_composite) => ({ term_composite })),
    coursework_total: null,
    exam_total: null,
    end_of_year_exam: exam,
    year_grade: 70,
    ...more,
  })
  const ruleOf = (...input: Parameters<typeof yearWorking>) => yearWorking(...input).rule

  test('has the parts of the grade, by the grading model and the results that exist', () => {
    expect(ruleOf('weighted_continuous', weights, subject([78.6, null], 66))).toBe('weighted')
    expect(ruleOf('continuous_cumulative', weights, subject([78.6], 66))).toBe('totals')
    expect(ruleOf('weighted_cumulative', weights, subject([78.6], 66))).toBe('mean')
    expect(ruleOf('weighted_continuous', weights, subject([78.6], null))).toBe('only_terms')
    expect(ruleOf('continuous_cumulative', weights, subject([null], 66))).toBe('only_exam')
    expect(ruleOf('weighted_cumulative', weights, subject([null], 66))).toBe('nothing')
  })

  test('has the mean of the terms with a result; without weights coursework counts whole', () => {
    const none = { year_coursework_weight: null, year_exam_weight: null }
    expect(yearWorking('weighted_cumulative', none, subject([78.6, 65, null], null))).toMatchObject({
      composites: [78.6, 65],
      mean: 71.8,
      courseworkWeight: 100,
    })
    expect(yearWorking('weighted_cumulative', none, subject([70, 70, 71], null)).mean).toBe(70.3333)
  })

  test('gives the grade that the rules of the service compute', () => {
    const printed = fc.option(fc.integer({ min: 0, max: 10_000 }).map((n) => n / 100))
    fc.assert(
      fc.property(fc.array(printed, { maxLength: 3 }), printed, fc.constantFrom(...models), (composites, exam, calculation_model) => {
        const figures = yearFigures({ calculation_model, ...weights }, composites, exam)
        const { mean, rule } = yearWorking(calculation_model, weights, { ...subject(composites, exam), ...figures })
        const byRule = { mean, weighted: ((mean ?? 0) * 40 + (exam ?? 0) * 60) / 100, only_terms: mean, only_exam: exam }
        const totals = (figures.coursework_total ?? 0) + (figures.exam_total ?? 0)
        const grade = rule === 'nothing' ? null : rule === 'totals' ? totals : byRule[rule]
        if (grade === null) expect(figures.year_grade).toBeNull()
        else expect(Math.abs((figures.year_grade ?? -1) - grade)).toBeLessThanOrEqual(0.0051)
      }),
    )
  })
})
