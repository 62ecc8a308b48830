import * as attendance from './attendance.ts'
import * as calendar from './calendar.ts'
import * as classes from './classes.ts'
import type { Columns } from './columns.sqlite.ts'
import type { Description } from './describe.ts'
import * as grading from './grading.ts'
import * as jobs from './jobs.ts'
import * as local from './node.ts'
import * as people from './people.ts'
import * as replication from './replication.ts'
import * as reporting from './reporting.ts'
import * as signIn from './sign-in.ts'
import * as sets from './teaching-sets.ts'

/** Every replicated table with its description, parents before children: the order in which rows can be inserted. */
const replicated = {
  user_profile: [people.userProfile, people.userProfileDescription],
  school: [people.school, people.schoolDescription],
  school_management: [people.schoolManagement, people.schoolManagementDescription],
  school_join_request: [people.schoolJoinRequest, people.schoolJoinRequestDescription],
  user_totp: [signIn.userTotp, signIn.userTotpDescription],
  recovery_code: [signIn.recoveryCode, signIn.recoveryCodeDescription],
  academic_year: [calendar.academicYear, calendar.academicYearDescription],
  active_year: [calendar.activeYear, calendar.activeYearDescription],
  term: [calendar.term, calendar.termDescription],
  subject: [calendar.subject, calendar.subjectDescription],
  grading_scale: [grading.gradingScale, grading.gradingScaleDescription],
  student: [classes.student, classes.studentDescription],
  student_group: [classes.studentGroup, classes.studentGroupDescription],
  teacher_group_assignment: [classes.teacherGroupAssignment, classes.teacherGroupAssignmentDescription],
  class_teacher: [classes.classTeacher, classes.classTeacherDescription],
  teacher_subject_assignment: [classes.teacherSubjectAssignment, classes.teacherSubjectAssignmentDescription],
  enrolment: [classes.enrolment, classes.enrolmentDescription],
  student_subject: [classes.studentSubject, classes.studentSubjectDescription],
  teaching_set: [sets.teachingSet, sets.teachingSetDescription],
  teaching_set_teacher: [sets.teachingSetTeacher, sets.teachingSetTeacherDescription],
  teaching_set_member: [sets.teachingSetMember, sets.teachingSetMemberDescription],
  assessment_category: [grading.assessmentCategory, grading.assessmentCategoryDescription],
  attendance_register: [attendance.attendanceRegister, attendance.attendanceRegisterDescription],
  attendance_mark: [attendance.attendanceMark, attendance.attendanceMarkDescription],
  assessment: [grading.assessment, grading.assessmentDescription],
  grade: [grading.grade, grading.gradeDescription],
  report_book: [reporting.reportBook, reporting.reportBookDescription],
  report_book_entry: [reporting.reportBookEntry, reporting.reportBookEntryDescription],
  report_book_pdf: [reporting.reportBookPdf, reporting.reportBookPdfDescription],
  class_report_file: [reporting.classReportFile, reporting.classReportFileDescription],
  sync_conflict: [replication.syncConflict, replication.syncConflictDescription],
} as const
type ReplicatedTables = { [T in Replicated]: ReturnType<(typeof replicated)[T][0]> }

function replicatedTables(c: Columns): ReplicatedTables {
  const definitions: Record<Replicated, readonly [(c: Columns, parents: ReplicatedTables) => unknown, Description]> = replicated
  const tables: Partial<Record<Replicated, unknown>> = {}
  for (const [name, [define]] of Object.entries(definitions)) tables[name as Replicated] = define(c, tables as ReplicatedTables)
  return tables as ReplicatedTables
}

/** Tables that never leave their node. */
const localTables = (c: Columns) => ({
  node: local.node(c),
  sync_feed: local.syncFeed(c),
  sync_row: local.syncRow(c),
  history: local.history(c),
  session: local.session(c),
  account_notice: local.accountNotice(c),
  otp_code: local.otpCode(c),
  attempt: local.attempt(c),
  totp_enrolment: local.totpEnrolment(c),
  second_factor: local.secondFactor(c),
  passkey: local.passkey(c),
  school_invitation: local.schoolInvitation(c),
  server_secret: local.serverSecret(c),
  server_instance: local.serverInstance(c),
  sync_held: replication.syncHeld(c),
  sync_refused: replication.syncRefused(c),
  sync_peer: replication.syncPeer(c),
  sync_invitation: replication.syncInvitation(c),
  sync_file: replication.syncFile(c),
  sync_file_place: replication.syncFilePlace(c),
  audit_run: replication.auditRun(c),
  job: jobs.job(c),
})

export const defineTables = (c: Columns) => ({ ...replicatedTables(c), ...localTables(c) })

export type Tables = ReturnType<typeof defineTables>
export type Replicated = keyof typeof replicated
/** Local tables that features write directly; of the sync tables, those that never leave their node. Only the store writes the others. */
export type Local =
  | 'session'
  | 'account_notice'
  | 'otp_code'
  | 'attempt'
  | 'totp_enrolment'
  | 'second_factor'
  | 'passkey'
  | 'school_invitation'
  | 'server_secret'
  | 'server_instance'
  | 'job'
  | 'sync_peer'
  | 'sync_invitation'
  | 'sync_held'
  | 'sync_refused'
  | 'sync_file'
  | 'sync_file_place'
  | 'audit_run'
export type Row<T extends keyof Tables> = Tables[T]['$inferSelect']

export const descriptions = Object.fromEntries(Object.entries(replicated).map(([name, [, description]]) => [name, description])) as Record<
  Replicated,
  Description
>
