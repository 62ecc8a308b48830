import type { GradingScale } from '@markbook/shared/domain/letters'

/** A school's crest as it is stored. PNG and JPEG are printed; a card with a WebP crest is printed without it (docs/design/reports.md). */
export type Crest = { contentType: string; bytes: Uint8Array }

/** What stands at the head of everything that a school prints. Lines that are null or empty are left out. */
export type Letterhead = { name: string; address: string | null; email?: string | null; phone?: string | null; crest: Crest | null }

/** A4 is 210 × 297 mm, Letter 8.5 × 11 in. */
export type PaperSize = 'a4' | 'letter'

/** The columns of a term card. Weights are percent and stand in the heads; they also tell which results are partial. */
export type TermLayout = { kind: 'term'; coursework_weight: number; exam_weight: number }

/**
 * The columns of a year-end card (specification, «Grading models»; decisions §5). `terms` are those of the year in their order, by the
 * names that they are printed with. A year without weights gives them as null: 100 and 0.
 */
export type YearLayout = {
  kind: 'weighted_cumulative' | 'weighted_continuous' | 'continuous_cumulative'
  terms: readonly string[]
  coursework_weight: number | null
  exam_weight: number | null
}

export type ReportCardLayout = TermLayout | YearLayout

/** Figures are printed figures: percent with at most 2 decimals, null where there is none. */
export type TermEntry = {
  subject: string
  teacher: string | null
  coursework_average: number | null
  exam_average: number | null
  term_composite: number | null
  letter_grade: string | null
  /** The teacher's own words. Without any the card has the scale's word for the letter. */
  teacher_remark: string | null
}

/** One subject over the year. `term_composites` stand in the order of the layout's `terms`. */
export type YearEntry = {
  subject: string
  teacher: string | null
  term_composites: readonly (number | null)[]
  coursework_total: number | null
  exam_total: number | null
  end_of_year_exam: number | null
  year_grade: number | null
  letter_grade: string | null
  teacher_remark: string | null
}

/** One pupil's card. `id` comes back with the file; it is not printed. */
export type ReportCard<Entry = TermEntry | YearEntry> = {
  id: string
  student: { first_name: string; last_name: string; student_number: string | null; date_of_birth: string | null }
  status: 'draft' | 'published' | 'sent_to_ministry'
  overall_average: number | null
  position: number | null
  total_students: number
  /** Percent. */
  attendance_percentage: number | null
  conduct: string | null
  class_teacher_remark: string | null
  /** In the order in which they are printed. */
  entries: readonly Entry[]
}

/** What the cards of a class share. `term` is the term's name as stored; it is printed with a capital. `madeAt` in ms since 1970. */
export type ReportCardFrame = {
  school: Letterhead
  class_name: string
  year: string
  term: string
  class_teacher: string | null
  scale: GradingScale
  paper: PaperSize
  madeAt: number
}

/**
 * The cards of a class, or of one pupil, in the order in which they are printed. Cards of a term layout hold term entries, those of a
 * year layout year entries.
 */
export type ReportCardsInput =
  | (ReportCardFrame & { layout: TermLayout; cards: readonly ReportCard<TermEntry>[] })
  | (ReportCardFrame & { layout: YearLayout; cards: readonly ReportCard<YearEntry>[] })
