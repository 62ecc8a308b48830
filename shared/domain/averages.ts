import { type Exact, exact, isZero, over, plus, printed, ratio, scaled, times, zero } from './exact.ts'
import { type AssessmentType, isUsable, type Mark } from './marks.ts'

/** Percentages 0 to 100 that sum to 100. */
export type TermWeights = { exam_weight: number; coursework_weight: number }

/** The figures of one subject in one term, as printed: percent, 2 decimals. */
export type TermFigures = {
  coursework_average: number | null
  exam_average: number | null
  term_composite: number | null
  is_partial: boolean
}

const HUNDRED = ratio(100, 1)

/**
 * Σ(w·100·score/max_score) / Σw over the usable marks of one type, in percent and exact (decisions §5). A null weight is 1.
 * Null when there is no usable mark or every one weighs 0.
 */
export function typeAverage(marks: readonly Mark[], type: AssessmentType): Exact | null {
  // Marks out of the same maximum share a denominator, so their products are added as plain integers until one would not fit.
  let parts = zero
  let weights = zero
  let max = 0
  let part = 0
  let weight = 0
  const flush = () => {
    if (weight === 0) return
    parts = plus(parts, ratio(part, max))
    weights = plus(weights, ratio(weight, 1))
    part = 0
    weight = 0
  }
  for (const mark of marks) {
    if (mark.assessment_type !== type || !isUsable(mark)) continue
    const markWeight = mark.weight === null ? 10_000 : scaled(mark.weight, 10_000)
    const markMax = scaled(mark.max_score, 100)
    if (markMax !== max) {
      flush()
      max = markMax
    }
    const nextPart = part + markWeight * scaled(mark.score, 100)
    const nextWeight = weight + markWeight
    if (Number.isSafeInteger(nextPart) && Number.isSafeInteger(nextWeight) && Number.isSafeInteger(max)) {
      part = nextPart
      weight = nextWeight
    } else {
      flush()
      const tenThousandths = times(exact(mark.weight ?? 1), ratio(10_000, 1))
      parts = plus(parts, over(times(tenThousandths, exact(mark.score)), exact(mark.max_score)))
      weights = plus(weights, tenThousandths)
    }
  }
  flush()
  return isZero(weights) ? null : over(times(HUNDRED, parts), weights)
}

/**
 * (coursework·w_c + exam·w_e)/100, exact. One side alone counts in full; null when that side has weight 0. `is_partial`: a side
 * with weight is missing while the other is there (decisions §5).
 */
export function termComposite(
  coursework: Exact | null,
  exam: Exact | null,
  weights: TermWeights,
): { composite: Exact | null; is_partial: boolean } {
  if (coursework !== null && exam !== null) {
    const weighed = plus(times(coursework, exact(weights.coursework_weight)), times(exam, exact(weights.exam_weight)))
    return { composite: over(weighed, HUNDRED), is_partial: false }
  }
  if (coursework === null && exam === null) return { composite: null, is_partial: false }
  const [present, ownWeight, missingWeight] =
    coursework !== null
      ? [coursework, weights.coursework_weight, weights.exam_weight]
      : [exam, weights.exam_weight, weights.coursework_weight]
  return {
    composite: ownWeight === 0 ? null : present,
    is_partial: missingWeight > 0,
  }
}

/** One subject in one term: each step takes the exact result of the one before, and only what is printed is rounded. */
export function termFigures(marks: readonly Mark[], weights: TermWeights): TermFigures {
  const coursework = typeAverage(marks, 'coursework')
  const exam = typeAverage(marks, 'exam')
  const { composite, is_partial } = termComposite(coursework, exam, weights)
  return {
    coursework_average: printed(coursework),
    exam_average: printed(exam),
    term_composite: printed(composite),
    is_partial,
  }
}
