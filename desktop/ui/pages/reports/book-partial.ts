import type { ReportEntry } from '@markbook/shared/contract/reports'

export type Figures = Pick<ReportEntry, 'subject_id' | 'coursework_average' | 'exam_average' | 'term_composite' | 'year_grade'>
type Weights = { exam_weight: number; coursework_weight: number }

/** Whether a result of a term's book rests on coursework or exam alone, by what stands in the book: a side with weight is missing. */
export function isPartialTerm({ coursework_average, exam_average, term_composite }: Figures, weights: Weights): boolean {
  if (term_composite === null) return false
  return (coursework_average === null && weights.coursework_weight > 0) || (exam_average === null && weights.exam_weight > 0)
}
