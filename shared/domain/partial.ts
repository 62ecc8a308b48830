import type { CalculationModel } from './year.ts'

/** Percent; absent weights of a year are 100 for coursework and 0 for the exam. */
type Weights = { coursework_weight: number | null; exam_weight: number | null }
type TermFigures = { coursework_average: number | null; exam_average: number | null; term_composite: number | null }

/** Whether the result of a term that stands in a report rests on coursework or exam alone: a side with weight is missing. */
export function isPartialTerm({ coursework_average, exam_average, term_composite }: TermFigures, weights: Weights): boolean {
  if (term_composite === null) return false
  const { coursework_weight, exam_weight } = orDefault(weights)
  return (coursework_average === null && coursework_weight > 0) || (exam_average === null && exam_weight > 0)
}

type YearFigures = { terms: readonly { term_composite: number | null }[]; end_of_year_exam: number | null }

/** The same of a year grade: the terms or the exam of the last one are missing, and have weight. */
export function isPartialYear(
  { terms, end_of_year_exam }: YearFigures,
  { calculation_model, ...weights }: Weights & { calculation_model?: CalculationModel },
): boolean {
  if (calculation_model === 'weighted_cumulative') return false
  const hasTerms = terms.some(({ term_composite }) => term_composite !== null)
  const hasExam = end_of_year_exam !== null
  const { coursework_weight, exam_weight } = orDefault(weights)
  return (!hasTerms && hasExam && coursework_weight > 0) || (hasTerms && !hasExam && exam_weight > 0)
}

const orDefault = ({ coursework_weight, exam_weight }: Weights) => ({
  coursework_weight: coursework_weight ?? 100,
  exam_weight: exam_weight ?? 0,
})
