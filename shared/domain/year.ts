import { type Exact, exact, meanOf, over, plus, printed, ratio, times } from './exact.ts'

export type CalculationModel = 'weighted_cumulative' | 'weighted_continuous' | 'continuous_cumulative'

/** The columns of an academic year that calculations read; both weights are null in a `term_based` year. */
export type YearModel = {
  calculation_model: CalculationModel
  year_exam_weight: number | null
  year_coursework_weight: number | null
}

/** One subject over a year, as printed: percent (totals: points out of their weight), 2 decimals. */
export type YearFigures = {
  coursework_total: number | null
  exam_total: number | null
  end_of_year_exam: number | null
  year_grade: number | null
  is_partial: boolean
}

/** The parts of a year grade: `t` the exact mean of the printed composites, `x` the printed exam average of the last term. */
type Parts = { t: Exact | null; x: Exact | null; w_c: number; w_e: number }
type Totals = Omit<YearFigures, 'end_of_year_exam'>

/** `weight` percent of an average. */
const share = (average: Exact, weight: number): Exact => over(times(average, exact(weight)), ratio(100, 1))

const nothing: Totals = {
  coursework_total: null,
  exam_total: null,
  year_grade: null,
  is_partial: false,
}

/** The end-of-year exam is no part of this model, so a missing exam does not make the grade partial. */
function weightedCumulative({ t, w_c }: Parts): Totals {
  if (t === null) return nothing
  return {
    coursework_total: printed(share(t, w_c)),
    exam_total: null,
    year_grade: printed(t),
    is_partial: false,
  }
}

function weightedContinuous(parts: Parts): Totals {
  const { t, x, w_c, w_e } = parts
  const year_grade = t !== null && x !== null ? plus(share(t, w_c), share(x, w_e)) : (t ?? x)
  return {
    coursework_total: null,
    exam_total: null,
    year_grade: printed(year_grade),
    is_partial: isPartial(parts),
  }
}

/** The grade is the sum of the two printed totals, so that the figures on the card add up. */
function continuousCumulative(parts: Parts): Totals {
  const { t, x, w_c, w_e } = parts
  const coursework_total = t === null ? null : printed(share(t, w_c))
  const exam_total = x === null ? null : printed(share(x, w_e))
  const sum = coursework_total !== null && exam_total !== null ? plus(exact(coursework_total), exact(exam_total)) : (t ?? x)
  return {
    coursework_total,
    exam_total,
    year_grade: printed(sum),
    is_partial: isPartial(parts),
  }
}

/** Whether one part is there and the missing one has weight. */
const isPartial = ({ t, x, w_c, w_e }: Parts): boolean => (t === null && x !== null && w_c > 0) || (x === null && t !== null && w_e > 0)

const totalsOf: Record<CalculationModel, (parts: Parts) => Totals> = {
  weighted_cumulative: weightedCumulative,
  weighted_continuous: weightedContinuous,
  continuous_cumulative: continuousCumulative,
}

/**
 * One subject over the year (decisions §5). `composites`: the printed term composites of the year, null where there is none. `lastExam`:
 * the printed exam average of the last term. Where one part is missing, the other is the whole grade, whatever its weight. Absent weights
 * are 100 for coursework and 0 for the exam.
 */
export function yearFigures(year: YearModel, composites: readonly (number | null)[], lastExam: number | null): YearFigures {
  const t = meanOf(composites.filter((composite) => composite !== null))
  const x = lastExam === null ? null : exact(lastExam)
  const totals = totalsOf[year.calculation_model]({
    t,
    x,
    w_c: year.year_coursework_weight ?? 100,
    w_e: year.year_exam_weight ?? 0,
  })
  return { ...totals, end_of_year_exam: lastExam }
}
