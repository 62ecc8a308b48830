import { sql } from 'drizzle-orm'
import type { AttendanceTotals } from '../domain/attendance.ts'
import { areBands, type Band, calculationModels, type Subject, type Term } from './calendar.ts'
import { classOfYear, type Group, type Student } from './classes.ts'
import { type Columns, timestamps } from './columns.sqlite.ts'
import { always, isRecord, ofSchool } from './describe.ts'

const reportTypes = ['term', 'year_end'] as const
const reportStatuses = ['draft', 'published', 'sent_to_ministry'] as const
const fileTypes = ['pdf', 'csv', 'xlsx'] as const

/** The results of one pupil at one generation: one merge unit, from which the entries' snapshot columns are written (sync.md). */
export type ReportSnapshot = {
  generated_at: string
  overall_average: number | null
  position: number | null
  total_students: number
  entries: ReportSnapshotEntry[]
  /** The scale by which the letters were given, so that a card can print it; absent in books of older programs. */
  scale?: { pass_mark: number; bands: Band[] }
  /** The weights by which the figures were calculated, so that a card can print them; absent in books of older programs. */
  weights?: ReportWeights
  /** Attendance of the term, or of the year in a year-end report; absent where no register was taken. */
  attendance?: AttendanceTotals
}
/** Of the term, or of the year in a year-end report, which has its calculation model too. Percent; null in a year without weights. */
export type ReportWeights = {
  coursework_weight: number | null
  exam_weight: number | null
  calculation_model?: (typeof calculationModels)[number]
}
export type ReportSnapshotEntry = {
  subject_id: string
  coursework_average: number | null
  exam_average: number | null
  term_composite: number | null
  year_grade: number | null
  letter_grade: string | null
  sort_order: number
  /** The code printed in place of an average; absent without one. */
  coursework_code?: string
  exam_code?: string
  /** What a year-end card prints besides the year grade; absent in the report of a term. */
  year?: ReportSnapshotYear
}
export type ReportSnapshotYear = {
  /** `is_partial`: the composite rests on coursework or exam alone; absent where it does not. */
  terms: { term_id: string; term_composite: number | null; is_partial?: true }[]
  coursework_total: number | null
  exam_total: number | null
  end_of_year_exam: number | null
}

const areEntries = (value: unknown) =>
  Array.isArray(value) && value.every((entry) => isRecord(entry) && typeof entry['subject_id'] === 'string')
const isScale = (value: unknown) =>
  value === undefined || (isRecord(value) && Number.isFinite(value['pass_mark']) && areBands(value['bands']))
const isWeight = (value: unknown) => value === null || (typeof value === 'number' && value >= 0 && value <= 100)
const isModel = (value: unknown) => value === undefined || calculationModels.some((model) => model === value)
const areWeights = (value: unknown) =>
  value === undefined ||
  (isRecord(value) && isWeight(value['coursework_weight']) && isWeight(value['exam_weight']) && isModel(value['calculation_model']))
const isExplained = ({ scale, weights }: Record<string, unknown>) => isScale(scale) && areWeights(weights)
const isSnapshot = (value: unknown) => isRecord(value) && areEntries(value['entries']) && isExplained(value)
/** Null in reports that were sent before content was frozen. */
const isFrozen = (value: unknown) =>
  value === undefined || (isRecord(value) && areEntries(value['entries']) && isSnapshot(value['snapshot']))

export const reportBook = (c: Columns, { student, student_group, term }: Student & Group & Term) =>
  c.ofSchool('reporting', 'report_book', {
    columns: {
      student_id: c.uuid().notNull(),
      academic_year_id: c.uuid().notNull(),
      term_id: c.uuid().notNull(),
      student_group_id: c.uuid().notNull(),
      report_type: c.choice(reportTypes).notNull(),
      status: c.choice(reportStatuses).notNull(),
      /** The content at the time of sending, frozen with the status; null before. */
      sent_snapshot: c.json<unknown>(),
      snapshot: c.json<ReportSnapshot>().notNull(),
      overall_average: c.decimal(),
      position: c.int(),
      total_students: c.int().notNull(),
      class_teacher_remark: c.text(),
      conduct: c.text(),
      attendance_percentage: c.decimal(),
      approved_at: c.instant(),
      approved_by: c.uuid(),
      sent_back_at: c.instant(),
      sent_back_by: c.uuid(),
      sent_back_reason: c.text(),
      /** The hash of the content when it was sent back, so that every node recognises a later change. */
      sent_back_hash: c.text(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.unique('report_book_once', [t.school_id, t.student_id, t.term_id, t.report_type]),
      c.index('report_book_class_term', t.school_id, t.student_group_id, t.term_id, t.report_type),
      c.foreign('report_book_student', [t.school_id, t.student_id], [student.school_id, student.id]),
      c.foreign('report_book_term', [t.school_id, t.term_id], [term.school_id, term.id]),
      classOfYear(c, 'report_book_class_year', t, student_group),
      c.check('report_book_type', sql`${t.report_type} in ('term', 'year_end')`),
      c.check('report_book_status', sql`${t.status} in ('draft', 'published', 'sent_to_ministry')`),
      c.check('report_book_attendance', sql`${t.attendance_percentage} between 0 and 100`),
    ],
  })

export const reportBookDescription = ofSchool({
  identity: ['student_id', 'academic_year_id', 'term_id', 'report_type', 'created_at'],
  natural: { kind: 'report_book', of: ['student_id', 'term_id', 'report_type'] },
  notDeletedAlone: always,
  units: {
    student_group_id: ['student_group_id'],
    status: ['status', 'sent_snapshot'],
    snapshot: ['snapshot'],
    class_teacher_remark: ['class_teacher_remark'],
    conduct: ['conduct'],
    attendance_percentage: ['attendance_percentage'],
    // One unit, so that a merge never makes a book both approved and sent back.
    approval: ['approved_at', 'approved_by', 'sent_back_at', 'sent_back_by', 'sent_back_reason', 'sent_back_hash'],
  },
  derived: ['overall_average', 'position', 'total_students'],
  derive: (row) => {
    const { overall_average, position, total_students } = row['snapshot'] as ReportSnapshot
    return { overall_average, position, total_students }
  },
  audit: ['updated_at'],
  json: {
    snapshot: isSnapshot,
    sent_snapshot: (value) => value === null || (isRecord(value) && isExplained(value) && isFrozen(value['frozen'])),
  },
  cascade: [
    { table: 'report_book_pdf', column: 'report_book_id' },
    { table: 'report_book_entry', column: 'report_book_id' },
  ],
})

type Book = { report_book: ReturnType<typeof reportBook> }

/** The letter shown is `manual_letter` where a teacher typed one, else `computed_letter`; generating again keeps the typed one (decisions §6). */
export const reportBookEntry = (c: Columns, { report_book, subject }: Book & Subject) =>
  c.ofSchool('reporting', 'report_book_entry', {
    columns: {
      report_book_id: c.uuid().notNull(),
      subject_id: c.uuid().notNull(),
      coursework_average: c.decimal(),
      exam_average: c.decimal(),
      term_composite: c.decimal(),
      year_grade: c.decimal(),
      computed_letter: c.text(),
      manual_letter: c.text(),
      teacher_remark: c.text(),
      sort_order: c.int().notNull(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.unique('report_book_entry_once', [t.school_id, t.report_book_id, t.subject_id]),
      c.foreign('report_book_entry_book', [t.school_id, t.report_book_id], [report_book.school_id, report_book.id]),
      c.foreign('report_book_entry_subject', [t.school_id, t.subject_id], [subject.school_id, subject.id]),
    ],
  })

/** Whether a teacher typed something into an entry, which no calculation may discard. */
export const isTyped = ({ manual_letter, teacher_remark }: Record<string, unknown>): boolean => Boolean(manual_letter || teacher_remark)

/** The snapshot columns follow from the book's snapshot; what a teacher typed is replicated per field. */
export const reportBookEntryDescription = ofSchool({
  identity: ['report_book_id', 'subject_id', 'created_at'],
  natural: { kind: 'report_book_entry', of: ['report_book_id', 'subject_id'] },
  notDeletedAlone: isTyped,
  units: { letter: ['manual_letter'], teacher_remark: ['teacher_remark'] },
  derived: ['coursework_average', 'exam_average', 'term_composite', 'year_grade', 'computed_letter', 'sort_order'],
  audit: ['updated_at'],
})

export const reportBookPdf = (c: Columns, { report_book }: Book) =>
  c.ofSchool('reporting', 'report_book_pdf', {
    columns: {
      report_book_id: c.uuid().notNull(),
      file_path: c.text().notNull(),
      file_size: c.int().notNull(),
      sha256: c.text(),
      generated_by: c.uuid(),
      generated_at: c.instant().notNull(),
    },
    rules: (t) => [
      c.index('report_book_pdf_book', t.school_id, t.report_book_id),
      c.index('report_book_pdf_path', t.file_path),
      c.foreign('report_book_pdf_book_fk', [t.school_id, t.report_book_id], [report_book.school_id, report_book.id]),
    ],
  })

export const reportBookPdfDescription = ofSchool({
  identity: ['report_book_id', 'file_path', 'file_size', 'sha256', 'generated_by', 'generated_at'],
  notDeletedAlone: always,
  units: {},
})

export const classReportFile = (c: Columns, { student_group, term }: Group & Term) =>
  c.ofSchool('reporting', 'class_report_file', {
    columns: {
      student_group_id: c.uuid().notNull(),
      term_id: c.uuid().notNull(),
      report_type: c.choice(reportTypes).notNull(),
      file_type: c.choice(fileTypes).notNull(),
      file_path: c.text().notNull(),
      file_size: c.int().notNull(),
      sha256: c.text(),
      generated_by: c.uuid(),
      generated_at: c.instant().notNull(),
    },
    rules: (t) => [
      c.index('class_report_file_class', t.school_id, t.student_group_id, t.term_id),
      c.index('class_report_file_path', t.file_path),
      c.foreign('class_report_file_class_fk', [t.school_id, t.student_group_id], [student_group.school_id, student_group.id]),
      c.foreign('class_report_file_term', [t.school_id, t.term_id], [term.school_id, term.id]),
      c.check('class_report_file_report_type', sql`${t.report_type} in ('term', 'year_end')`),
      c.check('class_report_file_file_type', sql`${t.file_type} in ('pdf', 'csv', 'xlsx')`),
    ],
  })

export const classReportFileDescription = ofSchool({
  identity: ['student_group_id', 'term_id', 'report_type', 'file_type', 'file_path', 'file_size', 'sha256', 'generated_by', 'generated_at'],
  notDeletedAlone: always,
  units: {},
})
