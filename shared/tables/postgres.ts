import { postgresColumns, postgresSchemas } from './columns.postgres.ts'
import { defineTables } from './tables.ts'

export const postgresTables = defineTables(postgresColumns)

/** drizzle-kit leaves out the CREATE of a schema that is not exported. */
export const { student: student_schema, staff, grading, reporting, sync } = postgresSchemas
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
  sync_conflict,
  node,
  sync_feed,
  sync_row,
  history,
  session,
  otp_code,
  attempt,
  totp_enrolment,
  server_secret,
  sync_held,
  sync_refused,
  sync_peer,
  sync_invitation,
  job,
} = postgresTables
