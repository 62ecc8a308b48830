import type { ReportCardFrame } from '../report-card/report-card.input.ts'

export type BroadsheetSubject = { id: string; name: string; code: string }

/**
 * One pupil of the class. `marks` by subject id: the printed term composite, or year grade at the year's end, with the letter that the
 * report shows; null where the subject is taken without a result yet, absent where it is not taken. `letter_grade` of the overall
 * average.
 */
export type BroadsheetPupil = {
  first_name: string
  last_name: string
  student_number: string | null
  gender: string
  marks: Readonly<Record<string, { figure: number; letter: string | null } | null>>
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

export type BroadsheetFormat = 'pdf' | 'csv' | 'xlsx'
