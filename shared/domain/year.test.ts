import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CalculationModel, yearFigures } from './year.ts'

type Row = {
  terms: (number | null)[]
  x: number | null
  w_c: number | null
  w_e: number | null
  ct: number | null
  et: number | null
  grade: number | null
  partial: boolean
  why: string
}

function rows(model: CalculationModel, list: Row[]) {
  test.each(list)('terms $terms, exam $x at $w_c/$w_e → $grade: $why', (row) => {
    const year = { calculation_model: model, year_coursework_weight: row.w_c, year_exam_weight: row.w_e }
    expect(yearFigures(year, row.terms, row.x)).toEqual({
      coursework_total: row.ct,
      exam_total: row.et,
      end_of_year_exam: row.x,
      year_grade: row.grade,
      is_partial: row.partial,
    })
  })
}

describe('weighted_cumulative', () =>
  rows('weighted_cumulative', [
    { terms: [70, 80, 75], x: 60, w_c: null, w_e: null, ct: 75, et: null, grade: 75, partial: false, why: 'T = 225/3, weights absent' },
    { terms: [70, 80, 75], x: 60, w_c: 40, w_e: 60, ct: 30, et: null, grade: 75, partial: false, why: 'coursework 75·40/100' },
    {
      terms: [66.67, 66.66, null],
      x: 60,
      w_c: 50,
      w_e: 50,
      ct: 33.33,
      et: null,
      grade: 66.67,
      partial: false,
      why: 'T = 66.665; half of it 33.3325 (not half of 66.67)',
    },
    { terms: [70, null], x: null, w_c: 40, w_e: 60, ct: 28, et: null, grade: 70, partial: false, why: 'X missing: it has no part here' },
    { terms: [null, null], x: 60, w_c: 40, w_e: 60, ct: null, et: null, grade: null, partial: false, why: 'T missing: nothing to grade' },
    { terms: [null], x: null, w_c: null, w_e: null, ct: null, et: null, grade: null, partial: false, why: 'both missing' },
    { terms: [70], x: 60, w_c: 0, w_e: 100, ct: 0, et: null, grade: 70, partial: false, why: 'weight 0 empties the total only' },
    { terms: [], x: null, w_c: null, w_e: null, ct: null, et: null, grade: null, partial: false, why: 'a year without terms' },
  ]))

describe('weighted_continuous', () =>
  rows('weighted_continuous', [
    { terms: [70, 80, 75], x: 60, w_c: 40, w_e: 60, ct: null, et: null, grade: 66, partial: false, why: '(75·40 + 60·60)/100' },
    { terms: [70, 80, 80], x: 60, w_c: 50, w_e: 50, ct: null, et: null, grade: 68.33, partial: false, why: '(76.666… + 60)/2 = 68.333…' },
    {
      terms: [66.66, 66.67],
      x: 66.66,
      w_c: 50,
      w_e: 50,
      ct: null,
      et: null,
      grade: 66.66,
      partial: false,
      why: '(66.665 + 66.66)/2 = 66.6625; T is not rounded on the way',
    },
    { terms: [70, 80], x: null, w_c: 40, w_e: 60, ct: null, et: null, grade: 75, partial: true, why: 'X missing: T alone on 100' },
    { terms: [null], x: 60, w_c: 40, w_e: 60, ct: null, et: null, grade: 60, partial: true, why: 'T missing: X alone on 100' },
    { terms: [null, null], x: null, w_c: 40, w_e: 60, ct: null, et: null, grade: null, partial: false, why: 'both missing' },
    { terms: [70], x: 60, w_c: 100, w_e: 0, ct: null, et: null, grade: 70, partial: false, why: 'the exam has weight 0' },
    { terms: [70], x: 60, w_c: 0, w_e: 100, ct: null, et: null, grade: 60, partial: false, why: 'the terms have weight 0' },
    { terms: [70], x: null, w_c: 100, w_e: 0, ct: null, et: null, grade: 70, partial: false, why: 'X missing, and has no weight' },
    { terms: [null], x: 60, w_c: 0, w_e: 100, ct: null, et: null, grade: 60, partial: false, why: 'T missing, and has no weight' },
    {
      terms: [70],
      x: null,
      w_c: 0,
      w_e: 100,
      ct: null,
      et: null,
      grade: 70,
      partial: true,
      why: 'X missing has all the weight: T alone, on 100',
    },
    {
      terms: [null],
      x: 60,
      w_c: 100,
      w_e: 0,
      ct: null,
      et: null,
      grade: 60,
      partial: true,
      why: 'T missing has all the weight: X alone, on 100',
    },
  ]))

describe('continuous_cumulative', () =>
  rows('continuous_cumulative', [
    { terms: [70, 80, 75], x: 60, w_c: 40, w_e: 60, ct: 30, et: 36, grade: 66, partial: false, why: '75·40/100 + 60·60/100' },
    {
      terms: [80.01],
      x: 40.01,
      w_c: 50,
      w_e: 50,
      ct: 40.01,
      et: 20.01,
      grade: 60.02,
      partial: false,
      why: '40.005 and 20.005 are printed 40.01 and 20.01, and the card adds up',
    },
    {
      terms: [70, 80],
      x: null,
      w_c: 40,
      w_e: 60,
      ct: 30,
      et: null,
      grade: 75,
      partial: true,
      why: 'X missing: T alone on 100, exam total null',
    },
    {
      terms: [null],
      x: 60,
      w_c: 40,
      w_e: 60,
      ct: null,
      et: 36,
      grade: 60,
      partial: true,
      why: 'T missing: X alone on 100, coursework total null',
    },
    { terms: [null], x: null, w_c: 40, w_e: 60, ct: null, et: null, grade: null, partial: false, why: 'both missing' },
    { terms: [70], x: 60, w_c: 100, w_e: 0, ct: 70, et: 0, grade: 70, partial: false, why: 'the exam has weight 0' },
    { terms: [70], x: 60, w_c: 0, w_e: 100, ct: 0, et: 60, grade: 60, partial: false, why: 'the terms have weight 0' },
    { terms: [70], x: null, w_c: 100, w_e: 0, ct: 70, et: null, grade: 70, partial: false, why: 'X missing, and has no weight' },
    { terms: [null], x: 60, w_c: 0, w_e: 100, ct: null, et: 60, grade: 60, partial: false, why: 'T missing, and has no weight' },
    {
      terms: [70],
      x: null,
      w_c: 0,
      w_e: 100,
      ct: 0,
      et: null,
      grade: 70,
      partial: true,
      why: 'X missing has all the weight: T alone, on 100',
    },
    {
      terms: [null],
      x: 60,
      w_c: 100,
      w_e: 0,
      ct: null,
      et: 0,
      grade: 60,
      partial: true,
      why: 'T missing has all the weight: X alone, on 100',
    },
  ]))

test('a year grade lies between the composites and the exam; where both totals exist, their sum is the grade', () => {
  const percent = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100)
  const models = fc.constantFrom<CalculationModel>('weighted_cumulative', 'weighted_continuous', 'continuous_cumulative')
  fc.assert(
    fc.property(models, fc.array(fc.option(percent), { maxLength: 4 }), fc.option(percent), percent, (model, terms, x, w_e) => {
      const year = { calculation_model: model, year_exam_weight: w_e, year_coursework_weight: (10_000 - Math.round(w_e * 100)) / 100 }
      const figures = yearFigures(year, terms, x)
      const parts = [...terms, x].filter((part) => part !== null)
      const { coursework_total, exam_total, year_grade } = figures
      if (year_grade !== null) {
        // Two printed totals may each be half a hundredth off.
        expect(year_grade).toBeGreaterThanOrEqual(Math.min(...parts) - 0.0101)
        expect(year_grade).toBeLessThanOrEqual(Math.max(...parts) + 0.0101)
        expect(year_grade).toBeLessThanOrEqual(100)
      }
      if (coursework_total !== null && exam_total !== null) expect(year_grade).toBeCloseTo(coursework_total + exam_total, 9)
      expect(yearFigures(year, [...terms].reverse(), x)).toEqual(figures)
    }),
  )
})
