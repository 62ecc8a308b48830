import { sqliteColumns } from './columns.sqlite.ts'
import { defineTables } from './tables.ts'

export const sqliteTables = defineTables(sqliteColumns)

/** One name a table, as drizzle-kit wants them. */
export const {
  user_profile,
  school,
  school_management,
  school_join_request,
  user_totp,
  recovery_code,
  academic_year,
  active_year,
  term,
  subject,
  grading_scale,
  student,
  student_group,
  teacher_group_assignment,
  class_teacher,
  teacher_subject_assignment,
  enrolment,
  student_subject,
  assessment,
  grade,
  report_book,
  report_book_entry,
  report_book_pdf,
  class_report_file,
  node,
  sync_feed,
  sync_row,
  history,
  session,
  otp_code,
  attempt,
  totp_enrolment,
  server_secret,
} = sqliteTables
