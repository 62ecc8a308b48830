import { type Exact, exact, over, plus, printed, ratio, times } from './exact.ts'
import { type AssessmentType, isUsable, type Mark } from './marks.ts'
import { WeightedMean } from './weighted-mean.ts'

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

/** The exact averages of a student in one subject and term; null where there is nothing to average. */
export type TypeAverages = { coursework: Exact | null; exam: Exact | null }

export function typeAverages(marks: readonly Mark[]): TypeAverages {
  const sums = new TermMarks()
  for (const mark of marks) if (isUsable(mark)) sums.add(mark.assessment_type, mark.score, mark.max_score, mark.weight)
  return sums.averages()
}

/** Adds up the usable marks of one subject and term one by one, for callers that do not hold them as `Mark`s. */
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
 * (coursework·w_c + exam·w_e)/100, exact. Where one side is missing, the other counts in full; null where that other has weight 0.
 * `is_partial`: one side is there, and the missing one has weight (decisions §5).
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

/** One subject in one term. Each step uses the exact result of the step before; only printed figures are rounded. */
export function termFigures(averages: TypeAverages, weights: TermWeights): TermFigures {
  const { composite, is_partial } = termComposite(averages, weights)
  return {
    coursework_average: printed(averages.coursework),
    exam_average: printed(averages.exam),
    term_composite: printed(composite),
    is_partial,
  }
}
