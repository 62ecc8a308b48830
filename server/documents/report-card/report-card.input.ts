import type { SubjectYear } from '@markbook/shared/contract/calculations'
import type { Report, ReportEntry } from '@markbook/shared/contract/reports'
import type { Student } from '@markbook/shared/contract/students'
import type { AttendanceTotals } from '@markbook/shared/domain/attendance'
import type { DocumentLanguage } from '@markbook/shared/domain/document-language'
import type { GradingScale } from '@markbook/shared/domain/letters'
import type { MarkCode } from '@markbook/shared/domain/mark-codes'
import type { ReportSnapshotEntry } from '@markbook/shared/tables/reporting'

/** A school's crest as stored. PNG and JPEG are printed; a WebP crest is omitted (docs/design/reports.md). */
export type Crest = { contentType: string; bytes: Uint8Array }

/** The letterhead of a school's documents. Null and empty lines are omitted. */
export type Letterhead = { name: string; address: string | null; email?: string | null; phone?: string | null; crest: Crest | null }

/** A4 is 210 × 297 mm, Letter 8.5 × 11 in. */
export type PaperSize = 'a4' | 'letter'

/** The columns of a term card. Weights are percent and printed in the heads; they also determine which results are partial. */
export type TermLayout = { kind: 'term'; coursework_weight: number; exam_weight: number }

/**
 * The columns of a year-end card (specification, «Grading models»; decisions §5). `terms`: the stored names of the year's terms, in order.
 * Null weights, of a year without any, are printed as 100 and 0.
 */
export type YearLayout = {
  kind: 'weighted_cumulative' | 'weighted_continuous' | 'continuous_cumulative'
  terms: readonly string[]
  coursework_weight: number | null
  exam_weight: number | null
}

export type ReportCardLayout = TermLayout | YearLayout

/** Figures are printed figures: percent with at most 2 decimals, null where there is none. */
export type TermEntry = Taught &
  Pick<ReportEntry, 'coursework_average' | 'exam_average' | 'term_composite'> &
  Pick<ReportSnapshotEntry, 'coursework_code' | 'exam_code'>
/** `teacher_remark`: the teacher's own words; null prints the scale's remark for the letter. */
type Taught = { subject: string; teacher: string | null } & Pick<ReportEntry, 'letter_grade' | 'teacher_remark'>

/** One subject over the year. `term_composites` stand in the order of the layout's `terms`, as does which of them are partial. */
export type YearEntry = Taught &
  Pick<SubjectYear, 'coursework_total' | 'exam_total' | 'end_of_year_exam' | 'year_grade'> & {
    term_composites: readonly (number | null)[]
    partial_terms?: readonly boolean[]
  }

/** One pupil's card. `id` is returned with the file and not printed. */
export type ReportCard<Entry = TermEntry | YearEntry> = Pick<Report, 'id' | 'status' | 'overall_average' | 'position' | 'total_students'> &
  Pick<Report, 'attendance_percentage' | 'conduct' | 'class_teacher_remark'> & {
    student: Pick<Student, 'first_name' | 'last_name' | 'student_number' | 'date_of_birth'>
    /** From the registers. Its percentage is printed where the class teacher entered none. */
    attendance?: AttendanceTotals
    /** In printing order. */
    entries: readonly Entry[]
    /** The scale of its letters, where it differs from the frame's. */
    scale?: GradingScale
    /** The columns by which its figures were calculated, where they are not those of the class. */
    layout?: ReportCardLayout
  }

/**
 * The data that the cards of a class share. `term`: the stored name of the term. `madeAt` in ms since 1970.
 */
export type ReportCardFrame = {
  school: Letterhead
  class_name: string
  year: string
  term: string
  class_teacher: string | null
  scale: GradingScale
  /** The school's mark codes, which explain the codes of the entries. */
  codes: readonly Pick<MarkCode, 'code' | 'name'>[]
  paper: PaperSize
  /** The language of all words that the school did not write. */
  language: DocumentLanguage
  madeAt: number
}

/**
 * The cards of a class, or of one pupil, in printing order. Cards of a term layout have term entries, those of a year layout year entries.
 */
export type ReportCardsInput =
  | (ReportCardFrame & { layout: TermLayout; cards: readonly ReportCard<TermEntry>[] })
  | (ReportCardFrame & { layout: YearLayout; cards: readonly ReportCard<YearEntry>[] })
