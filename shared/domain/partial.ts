import type { CalculationModel } from './year.ts'

/** A result of a term or of a year, with the terms that it is made of. */
type Result = {
  is_partial?: boolean
  term_composite?: number | null
  year_grade?: number | null
  terms?: readonly TermCell[]
}
/** `is_partial` is absent where the term is not. */
export type TermCell = { term_composite: number | null; is_partial?: true | undefined }

/** What a subject came to: in a year the year grade, in a term the composite. */
const resultOf = ({ year_grade, term_composite }: Result): number | null =>
  year_grade === undefined ? (term_composite ?? null) : year_grade

/** A term whose composite is there, and rests on coursework or exam alone; what has no composite is in no mean. */
export const isPartialCell = ({ term_composite, is_partial }: TermCell): boolean => term_composite !== null && is_partial === true

/**
 * Whether there is a result, and it, or a term that it is the mean of, rests on coursework or exam alone. Where the one that is there has
 * no weight, there is none.
 */
export const isPartialResult = (own: Result): boolean =>
  resultOf(own) !== null && (own.is_partial === true || own.terms?.some(isPartialCell) === true)

/** Whether an average has a result in it that rests on coursework or exam alone. */
export const restsOnPartial = (average: number | null, subjects: readonly Result[]): boolean =>
  average !== null && subjects.some(isPartialResult)

/** Percent; absent weights of a year are 100 for coursework and 0 for the exam. */
type Weights = { coursework_weight: number | null; exam_weight: number | null }
type TermFigures = { coursework_average: number | null; exam_average: number | null; term_composite: number | null }

/** Whether the result of a term that stands in a report rests on coursework or exam alone: a side with weight is missing. */
export function isPartialTerm({ coursework_average, exam_average, term_composite }: TermFigures, weights: Weights): boolean {
  if (term_composite === null) return false
  const { coursework_weight, exam_weight } = orDefault(weights)
  return (coursework_average === null && coursework_weight > 0) || (exam_average === null && exam_weight > 0)
}

type YearFigures = { terms: readonly TermCell[]; end_of_year_exam: number | null }

/** The same of a year grade: a term that it is the mean of is partial, or all of them or the exam of the last one are missing and have weight. */
export function isPartialYear(
  { terms, end_of_year_exam }: YearFigures,
  { calculation_model, ...weights }: Weights & { calculation_model?: CalculationModel },
): boolean {
  if (terms.some(isPartialCell)) return true
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
