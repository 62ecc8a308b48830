import { z } from 'zod'
import { failures } from '../failures.ts'
import { AttendanceOfStudent } from './attendance.ts'
import { CLASS_TEACHER, endpoint } from './endpoint.ts'
import {
  Code,
  Conduct,
  choice,
  Flag,
  Id,
  Instant,
  input,
  Percentage,
  Person,
  Remark,
  row,
  SentBackReason,
  StudentName,
  say,
} from './scalars.ts'
import { Student } from './students.ts'
import { SubjectRef } from './subjects.ts'

export const ReportType = choice(['term', 'year_end'])
export const ReportStatus = choice(['draft', 'published', 'sent_to_ministry'])

const HASH_SENTENCE = 'must be the `content_hash` of a report'
const ContentHash = z.string(say(HASH_SENTENCE)).regex(/^[0-9a-f]{64}$/, HASH_SENTENCE)
const STANDING_SENTENCE = 'must be the `standing_hash` of a report'
const asShown = z.object({
  standingHash: z
    .string(say(STANDING_SENTENCE))
    .regex(/^[0-9a-f]{64}$/, STANDING_SENTENCE)
    .optional(),
})
const AS_SHOWN =
  '`standingHash`, the `standing_hash` of the report as the person was shown it, refuses where its content or the results of its marks are others by now.'

/**
 * The report of one student for one term. `overall_average`, `position` and `total_students` are from the last generation. `approved_at`
 * and `approved_by`: the administrator who approved the present content, and when; null where none did. `sent_back_at`, `sent_back_by` and
 * `sent_back_reason`: the administrator who last sent it back, when and why; null where none did, or it was approved since.
 */
export const Report = row('Report', {
  id: Id,
  student_id: Id,
  academic_year_id: Id,
  term_id: Id,
  student_group_id: Id,
  report_type: ReportType,
  status: ReportStatus,
  overall_average: z.number().nullable(),
  position: z.int().nullable(),
  total_students: z.int(),
  class_teacher_remark: z.string().nullable(),
  conduct: z.string().nullable(),
  attendance_percentage: z.number().nullable(),
  approved_at: Instant.nullable(),
  approved_by: Id.nullable(),
  sent_back_at: Instant.nullable(),
  sent_back_by: Id.nullable(),
  sent_back_reason: z.string().nullable(),
})
export type Report = z.infer<typeof Report>

export const ReportEntry = row('ReportEntry', {
  id: Id,
  report_book_id: Id,
  subject_id: Id,
  coursework_average: z.number().nullable(),
  exam_average: z.number().nullable(),
  term_composite: z.number().nullable(),
  year_grade: z.number().nullable(),
  letter_grade: z.string().nullable(),
  teacher_remark: z.string().nullable(),
  sort_order: z.int(),
})
export type ReportEntry = z.infer<typeof ReportEntry>

export const ReportPdf = row('ReportPdf', {
  id: Id,
  report_book_id: Id,
  file_path: z.string(),
  file_size: z.int(),
  generated_by: Id.nullable(),
  generated_at: Instant,
})
export type ReportPdf = z.infer<typeof ReportPdf>

/** The totals of the term's (or year's) registers at generation; null where none was taken. */
const attendance = z.object(AttendanceOfStudent.omit({ student_id: true }).shape).nullable()

/** Whether the content has changed since the report was sent back; false where it was not sent back. */
const is_changed_since_sent_back = Flag
/** Null where nobody sent it back, or that person has left the school. */
const sent_back_person = Person.nullable()

/** Whether the result is based on coursework or exam alone, by the report's own weights; absent where it is not. */
const is_partial = z.literal(true).optional()

/** `content_hash` changes with the content. `is_draft` of a PDF: the word DRAFT is printed on it. */
export const ReportDetail = Report.extend({
  is_changed_since_sent_back,
  sent_back_person,
  entries: z.array(ReportEntry.extend({ is_partial, subject: SubjectRef })),
  student: Student,
  attendance,
  pdfs: z.array(ReportPdf.extend({ is_draft: Flag })),
  content_hash: z.string(),
})
export type ReportDetail = z.infer<typeof ReportDetail>

/** One subject entry of a report book, as a subject teacher fills them in for a class. `status` is the book's. */
export const ClassReportEntry = row('ClassReportEntry', {
  ...ReportEntry.shape,
  is_partial,
  status: ReportStatus,
  subject: SubjectRef,
  student: StudentName,
})
export type ClassReportEntry = z.infer<typeof ClassReportEntry>

/**
 * Whether a book is up to date. `is_behind`: generating it now would give other figures. `was_behind`: so it was when it was sent; false
 * where it was not sent, or by an older program. `standing_hash` changes with its content and with the results of the present marks.
 * `paper`: its newest PDF, and whether the book has changed since; null where there is none.
 */
export const ReportStanding = row('ReportStanding', {
  report_id: Id,
  status: ReportStatus,
  is_behind: Flag,
  was_behind: Flag,
  standing_hash: z.string(),
  paper: z.object({ generated_at: Instant, is_older: Flag }).nullable(),
})
export type ReportStanding = z.infer<typeof ReportStanding>

export const reportFailures = failures('reports', {
  locked: [409, 'This report was sent to the ministry and can no longer be changed.'],
  invalidMove: [409, 'The report cannot take that step from where it is now.'],
  notApproved: [409, 'This school publishes and sends a report once an administrator has approved it.'],
  approvalNotAsked: [409, 'This school does not ask for an approval of its reports.'],
  changedSince: [409, 'This report was changed since you looked at it. Please read it again.'],
  changedWhileDrawn: [409, 'This report was changed while its PDF was made. Please make the PDF again.'],
  noYearEnd: [400, 'This academic year is term_based, so it has no year-end reports.'],
})

// A report or entry is loaded before the caller's rights are checked, so that an absent one is 404 for everybody (decisions §1): hence
// guard `school`. Endpoints that name a class have guard `staff`.
export const reports = {
  generate: endpoint('POST /api/reports/generate', 'staff', 'Generate the report books of a class, or bring them up to date', {
    who: CLASS_TEACHER,
    body: input({ studentGroupId: Id, termId: Id, reportType: ReportType }),
    reply: row('GeneratedReports', { generated: z.int(), skipped_locked: z.int(), reports: z.array(Report) }),
    fails: ['reports.no_year_end'],
  }),
  list: endpoint('GET /api/reports', 'staff', 'List the report books of a class and term by last name', {
    who: CLASS_TEACHER,
    query: z.object({ studentGroupId: Id, termId: Id, reportType: ReportType.optional() }),
    reply: z.array(Report.extend({ is_changed_since_sent_back, student: StudentName, attendance })),
  }),
  ofStudent: endpoint('GET /api/reports/student', 'staff', 'Read the report book of a student for a term', {
    who: CLASS_TEACHER,
    query: z.object({ studentId: Id, termId: Id, reportType: ReportType }),
    reply: ReportDetail,
  }),
  standing: endpoint(
    'GET /api/reports/standing',
    'staff',
    'Say which report books of a class and term are older than the marks, and which PDFs are older than their books',
    {
      who: CLASS_TEACHER,
      notes: 'By last name. A book that was sent to the ministry is compared too, though it stays as it is.',
      query: z.object({ studentGroupId: Id, termId: Id, reportType: ReportType }),
      reply: z.array(ReportStanding),
    },
  ),
  sent: endpoint('GET /api/reports/sent', 'staff', 'Count the report books of a class and term that were sent to the ministry', {
    who: 'For whoever teaches in the class, and for administrators.',
    query: z.object({ studentGroupId: Id, termId: Id, reportType: ReportType }),
    reply: row('SentReports', { sent: z.int() }),
  }),
  get: endpoint('GET /api/reports/:id', 'school', 'Read a report book', { who: CLASS_TEACHER, reply: ReportDetail }),
  update: endpoint('PATCH /api/reports/:id', 'school', 'Change remark, conduct and attendance of a report book', {
    who: CLASS_TEACHER,
    body: input({ classTeacherRemark: Remark.nullish(), conduct: Conduct.nullish(), attendancePercentage: Percentage.nullish() }),
    reply: Report,
    fails: ['reports.locked'],
  }),
  regenerate: endpoint('PATCH /api/reports/:id/regenerate', 'school', 'Calculate the entries of a report book again', {
    who: CLASS_TEACHER,
    reply: ReportDetail,
    fails: ['reports.locked'],
  }),
  publish: endpoint('PATCH /api/reports/:id/publish', 'school', 'Publish a report book', {
    who: CLASS_TEACHER,
    notes: AS_SHOWN,
    query: asShown,
    reply: Report,
    fails: ['reports.locked', 'reports.invalid_move', 'reports.not_approved', 'reports.changed_since'],
  }),
  sendToMinistry: endpoint('PATCH /api/reports/:id/send-to-ministry', 'school', 'Send a report book to the ministry and lock it', {
    fresh: true,
    who: CLASS_TEACHER,
    notes: AS_SHOWN,
    query: asShown,
    reply: Report,
    fails: ['reports.invalid_move', 'reports.not_approved', 'reports.changed_since'],
  }),
  approve: endpoint('PATCH /api/reports/:id/approval', 'admin', 'Approve a report book, send it back with a reason, or take either back', {
    notes:
      'Where the school asks for it (`approvesReports`), only what is approved is published and sent. `isApproved` false with a `reason` sends the report back to its class teacher; without one it takes back that the report was approved or sent back, which `expectedAt`, the `approved_at` or `sent_back_at` as it was read, refuses where another time stands there by now. `contentHash`, of the report as it was read, refuses to approve or to send back where the report says something else by now; without it a report that was sent back is approved only once it says something else. Whatever changes what the report says takes the approval away; that it was sent back stays.',
    body: input({
      isApproved: Flag,
      reason: SentBackReason.optional(),
      contentHash: ContentHash.optional(),
      expectedAt: Instant.optional(),
    }).refine(({ isApproved, reason }) => !isApproved || reason === undefined, {
      path: ['reason'],
      message: 'goes with a report that is not approved',
    }),
    reply: Report,
    fails: ['reports.locked', 'reports.approval_not_asked', 'reports.changed_since'],
  }),
  entries: endpoint('GET /api/report-entries', 'staff', 'List the entries of all report books of a class and term by last name', {
    who: 'For the class teacher and for administrators; whoever teaches subjects in that class gets the entries of those.',
    query: z.object({ studentGroupId: Id, termId: Id, reportType: ReportType }),
    reply: z.array(ClassReportEntry),
  }),
  updateEntry: endpoint('PATCH /api/report-entries/:entryId', 'school', 'Change letter and remark of a subject in a report book', {
    who: 'For the class teacher, the teacher of the subject in that class, and administrators.',
    // A null letter resets the entry to its calculated letter.
    body: input({ letterGrade: Code.nullish(), teacherRemark: Remark.nullish() }),
    reply: ReportEntry,
    fails: ['reports.locked'],
  }),
}
