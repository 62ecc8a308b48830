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

/** Every replicated table, parents before children: the order in which rows can be inserted. */
const replicatedTables = (c: Columns) => {
  const userProfile = people.userProfile(c)
  const school = people.school(c)
  const school_management = people.schoolManagement(c, { userProfile, school })
  const school_join_request = people.schoolJoinRequest(c, { userProfile, school })
  const user_totp = signIn.userTotp(c, { userProfile })
  const recovery_code = signIn.recoveryCode(c, { userProfile })
  const academicYear = calendar.academicYear(c, { school })
  const active_year = calendar.activeYear(c, { school, academicYear })
  const term = calendar.term(c, { academicYear })
  const subject = calendar.subject(c, { school })
  const grading_scale = grading.gradingScale(c, { school })
  const student = classes.student(c, { school })
  const studentGroup = classes.studentGroup(c, { academicYear })
  const teacherGroupAssignment = classes.teacherGroupAssignment(c, { studentGroup, userProfile })
  const class_teacher = classes.classTeacher(c, { teacherGroupAssignment, studentGroup })
  const teacher_subject_assignment = classes.teacherSubjectAssignment(c, { teacherGroupAssignment, subject })
  const enrolment = classes.enrolment(c, { student, studentGroup })
  const student_subject = classes.studentSubject(c, { student, studentGroup, subject })
  const assessment = grading.assessment(c, { term, subject, studentGroup })
  const grade = grading.grade(c, { assessment, student })
  const reportBook = reporting.reportBook(c, { student, studentGroup, term })
  const report_book_entry = reporting.reportBookEntry(c, { reportBook, subject })
  const report_book_pdf = reporting.reportBookPdf(c, { reportBook })
  const class_report_file = reporting.classReportFile(c, { studentGroup, term })
  const sync_conflict = replication.syncConflict(c, { school })
  return {
    user_profile: userProfile,
    school,
    school_management,
    school_join_request,
    user_totp,
    recovery_code,
    academic_year: academicYear,
    active_year,
    term,
    subject,
    grading_scale,
    student,
    student_group: studentGroup,
    teacher_group_assignment: teacherGroupAssignment,
    class_teacher,
    teacher_subject_assignment,
    enrolment,
    student_subject,
    assessment,
    grade,
    report_book: reportBook,
    report_book_entry,
    report_book_pdf,
    class_report_file,
    sync_conflict,
  }
}

/** Tables that never leave their node. */
const localTables = (c: Columns) => ({
  node: local.node(c),
  sync_feed: local.syncFeed(c),
  sync_row: local.syncRow(c),
  history: local.history(c),
  session: local.session(c),
  otp_code: local.otpCode(c),
  attempt: local.attempt(c),
  totp_enrolment: local.totpEnrolment(c),
  server_secret: local.serverSecret(c),
  sync_held: replication.syncHeld(c),
  sync_refused: replication.syncRefused(c),
  sync_peer: replication.syncPeer(c),
  sync_invitation: replication.syncInvitation(c),
  sync_file: replication.syncFile(c),
  sync_file_place: replication.syncFilePlace(c),
  job: jobs.job(c),
})

export const defineTables = (c: Columns) => ({ ...replicatedTables(c), ...localTables(c) })

export type Tables = ReturnType<typeof defineTables>
export type Replicated = keyof ReturnType<typeof replicatedTables>
/** Local tables that are written directly; of the sync tables, those that never leave their node. The others belong to the store alone. */
export type Local =
  | 'session'
  | 'otp_code'
  | 'attempt'
  | 'totp_enrolment'
  | 'server_secret'
  | 'job'
  | 'sync_peer'
  | 'sync_invitation'
  | 'sync_held'
  | 'sync_refused'
  | 'sync_file'
  | 'sync_file_place'
export type Row<T extends keyof Tables> = Tables[T]['$inferSelect']

export const descriptions: Record<Replicated, Description> = {
  user_profile: people.userProfileDescription,
  school: people.schoolDescription,
  school_management: people.schoolManagementDescription,
  school_join_request: people.schoolJoinRequestDescription,
  user_totp: signIn.userTotpDescription,
  recovery_code: signIn.recoveryCodeDescription,
  academic_year: calendar.academicYearDescription,
  active_year: calendar.activeYearDescription,
  term: calendar.termDescription,
  subject: calendar.subjectDescription,
  grading_scale: grading.gradingScaleDescription,
  student: classes.studentDescription,
  student_group: classes.studentGroupDescription,
  teacher_group_assignment: classes.teacherGroupAssignmentDescription,
  class_teacher: classes.classTeacherDescription,
  teacher_subject_assignment: classes.teacherSubjectAssignmentDescription,
  enrolment: classes.enrolmentDescription,
  student_subject: classes.studentSubjectDescription,
  assessment: grading.assessmentDescription,
  grade: grading.gradeDescription,
  report_book: reporting.reportBookDescription,
  report_book_entry: reporting.reportBookEntryDescription,
  report_book_pdf: reporting.reportBookPdfDescription,
  class_report_file: reporting.classReportFileDescription,
  sync_conflict: replication.syncConflictDescription,
}
