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
 * Σ(w·100·score/max_score) / Σw of the usable marks of one type, in percent and exact (decisions §5); a null weight is 1.
 * Everything is counted in hundredths. Marks out of the same maximum share a denominator, so their products are added as plain
 * integers; a mark that has more decimals, or would not fit, is added as a fraction.
 */
class WeightedMean {
  private parts = zero
  private weights = zero
  private max = 0
  private part = 0
  private weight = 0

  add(score: number, maxScore: number, weight: number | null): void {
    const ownWeight = weight === null ? 100 : scaled(weight, 100)
    const max = scaled(maxScore, 100)
    if (max !== this.max) {
      this.flush()
      this.max = max
    }
    const nextPart = this.part + ownWeight * scaled(score, 100)
    const nextWeight = this.weight + ownWeight
    if (Number.isSafeInteger(nextPart) && Number.isSafeInteger(nextWeight) && Number.isSafeInteger(max)) {
      this.part = nextPart
      this.weight = nextWeight
    } else this.addFraction(score, maxScore, weight ?? 1)
  }

  /** Null when nothing was added or all of it weighs 0. */
  mean(): Exact | null {
    this.flush()
    return isZero(this.weights) ? null : over(times(HUNDRED, this.parts), this.weights)
  }

  private addFraction(score: number, maxScore: number, weight: number): void {
    this.flush()
    const hundredths = times(exact(weight), HUNDRED)
    this.parts = plus(this.parts, over(times(hundredths, exact(score)), exact(maxScore)))
    this.weights = plus(this.weights, hundredths)
  }

  private flush(): void {
    if (this.weight === 0) return
    this.parts = plus(this.parts, ratio(this.part, this.max))
    this.weights = plus(this.weights, ratio(this.weight, 1))
    this.part = 0
    this.weight = 0
  }
}

/** The exact averages of a student in one subject and term; null where there is nothing to average. */
export type TypeAverages = { coursework: Exact | null; exam: Exact | null }

export function typeAverages(marks: readonly Mark[]): TypeAverages {
  const sums = new TermMarks()
  for (const mark of marks) if (isUsable(mark)) sums.add(mark.assessment_type, mark.score, mark.max_score, mark.weight)
  return sums.averages()
}

/** Takes the usable marks of one subject and term one by one, for callers that hold them in another form than `Mark`. */
export class TermMarks {
  private readonly coursework = new WeightedMean()
  private readonly exam = new WeightedMean()

  add(type: AssessmentType, score: number, maxScore: number, weight: number | null): void {
    const side = type === 'exam' ? this.exam : this.coursework
    side.add(score, maxScore, weight)
  }

  averages(): TypeAverages {
    return { coursework: this.coursework.mean(), exam: this.exam.mean() }
  }
}

/**
 * (coursework·w_c + exam·w_e)/100, exact. One side alone counts in full; null when that side has weight 0. `is_partial`: a side
 * with weight is missing while the other is there (decisions §5).
 */
export function termComposite({ coursework, exam }: TypeAverages, weights: TermWeights): { composite: Exact | null; is_partial: boolean } {
  if (coursework !== null && exam !== null) {
    const weighed = plus(times(coursework, exact(weights.coursework_weight)), times(exam, exact(weights.exam_weight)))
    return { composite: over(weighed, HUNDRED), is_partial: false }
  }
  if (coursework === null && exam === null) return { composite: null, is_partial: false }
  const [present, ownWeight, missingWeight] =
    coursework !== null
      ? [coursework, weights.coursework_weight, weights.exam_weight]
      : [exam, weights.exam_weight, weights.coursework_weight]
  return { composite: ownWeight === 0 ? null : present, is_partial: missingWeight > 0 }
}

/** One subject in one term: each step takes the exact result of the one before, and only what is printed is rounded. */
export function termFigures(averages: TypeAverages, weights: TermWeights): TermFigures {
  const { composite, is_partial } = termComposite(averages, weights)
  return {
    coursework_average: printed(averages.coursework),
    exam_average: printed(averages.exam),
    term_composite: printed(composite),
    is_partial,
  }
}
