import type { ReportCardFrame } from '../report-card/report-card.input.ts'

export type BroadsheetSubject = { id: string; name: string; code: string }

/**
 * A result: the printed term composite, or year grade at the year's end, with the letter that the report shows. `is_partial`: it rests on
 * coursework or exam alone.
 */
export type BroadsheetMark = { figure: number; letter: string | null; is_partial: boolean }

/**
 * One pupil of the class. `marks` by subject id: null where the subject is taken without a result yet, absent where it is not taken.
 * `letter_grade` of the overall average.
 */
export type BroadsheetPupil = {
  first_name: string
  last_name: string
  student_number: string | null
  gender: string
  marks: Readonly<Record<string, BroadsheetMark | null>>
  overall_average: number | null
  letter_grade: string | null
  position: number | null
}

/** A class and its results. Totals and statistics are computed from the printed marks. Pupils and subjects in the order given. */
export type BroadsheetInput = ReportCardFrame & {
  report_type: 'term' | 'year_end'
  subjects: readonly BroadsheetSubject[]
  pupils: readonly BroadsheetPupil[]
}

/** Beside a result that is partial, on paper and in a workbook. */
export const PARTIAL = '†'

/** True where a result of the pupil is partial; then total and average rest on it too. */
export const isPartial = ({ marks }: Pick<BroadsheetPupil, 'marks'>): boolean => Object.values(marks).some((mark) => mark?.is_partial)

export const hasPartial = ({ pupils }: Pick<BroadsheetInput, 'pupils'>): boolean => pupils.some(isPartial)

export type BroadsheetFormat = 'pdf' | 'csv' | 'xlsx'
