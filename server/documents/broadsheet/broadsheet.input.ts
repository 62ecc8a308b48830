import type { ReportCardFrame } from '../report-card/report-card.input.ts'

export type BroadsheetSubject = { id: string; name: string; code: string }

/**
 * A result: the printed term composite, or the year grade at the end of the year, with the letter on the report. `is_partial`: it, or a
 * term in its mean, is computed from coursework or exam alone.
 */
export type BroadsheetMark = { figure: number; letter: string | null; is_partial: boolean }

/**
 * One pupil of the class. `marks` by subject id: null where the pupil takes the subject and has no result yet, absent where they do not
 * take it. `letter_grade`: of the overall average.
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

/**
 * A class and its results. Totals and statistics are computed from the printed marks. Pupils and subjects stay in the order given.
 * `historyCode`: the head of the school's history when the document was made.
 */
export type BroadsheetInput = ReportCardFrame & {
  report_type: 'term' | 'year_end'
  subjects: readonly BroadsheetSubject[]
  pupils: readonly BroadsheetPupil[]
  historyCode?: string | null
}

/** Marks a partial result, on paper and in a workbook. */
export const PARTIAL = '†'

/** Whether a result of the pupil is partial; the total and average then are partial too. */
export const isPartial = ({ marks }: Pick<BroadsheetPupil, 'marks'>): boolean => Object.values(marks).some((mark) => mark?.is_partial)

export const hasPartial = ({ pupils }: Pick<BroadsheetInput, 'pupils'>): boolean => pupils.some(isPartial)

export type BroadsheetFormat = 'pdf' | 'csv' | 'xlsx'
