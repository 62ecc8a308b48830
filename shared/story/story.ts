import { assessments, enrolments, grades, students } from './marks.ts'
import { joinRequests, memberships, people, schools } from './people.ts'
import { reportBooks, reportEntries } from './reports.ts'
import { profileRow } from './rows.ts'
import { activeYears, classes, classTeachers, groupAssignments, subjectAssignments, subjects, terms, years } from './school-year.ts'

/**
 * St Brigid's, a secondary school in January 2026, and Hilltop, a second school, with which tests prove that schools do not see each other
 * (each of its texts contains its name). Rows by table, parents first; for tests, demo and documentation.
 */
export const story = {
  user_profile: Object.values(people).map(profileRow),
  school: schools,
  school_management: memberships,
  school_join_request: joinRequests,
  academic_year: years,
  active_year: activeYears,
  term: terms,
  subject: subjects,
  student: students,
  student_group: classes,
  teacher_group_assignment: groupAssignments,
  class_teacher: classTeachers,
  teacher_subject_assignment: subjectAssignments,
  enrolment: enrolments,
  assessment: assessments,
  grade: grades,
  report_book: reportBooks,
  report_book_entry: reportEntries,
}
