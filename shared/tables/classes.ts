import { sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { searchKey, sortKey } from '../domain/fold.ts'
import type { Subject, Year } from './calendar.ts'
import { type Columns, timestamps } from './columns.sqlite.ts'
import { always, ofSchool } from './describe.ts'
import type { Profile, School } from './people.ts'

/** `sort_key` and `search_key` are the names folded (no case, no accents), so that both databases sort and search alike. */
export const student = (c: Columns, { school }: School) =>
  c.ofSchool('student', 'student', {
    columns: {
      first_name: c.text().notNull(),
      last_name: c.text().notNull(),
      gender: c.choice(['male', 'female', 'other'] as const).notNull(),
      date_of_birth: c.day(),
      enrollment_date: c.day(),
      is_active: c.flag().notNull(),
      student_number: c.text(),
      sort_key: c.text().notNull(),
      search_key: c.text().notNull(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.unique('student_number_once', [t.school_id, t.student_number]),
      c.index('student_by_name', t.school_id, t.sort_key, t.id),
      c.foreign('student_school', [t.school_id], [school.id]),
      c.check('student_gender', sql`${t.gender} in ('male', 'female', 'other')`),
    ],
  })

export const studentDescription = ofSchool({
  identity: ['created_at'],
  units: {
    name: ['first_name', 'last_name'],
    gender: ['gender'],
    date_of_birth: ['date_of_birth'],
    enrollment_date: ['enrollment_date'],
    is_active: ['is_active'],
    student_number: ['student_number'],
  },
  derived: ['sort_key', 'search_key'],
  derive: (row) => ({
    sort_key: sortKey(row['last_name'] as string, row['first_name'] as string),
    search_key: searchKey(row['first_name'] as string, row['last_name'] as string),
  }),
  audit: ['updated_at'],
  cascade: [
    { table: 'attendance_mark', column: 'student_id' },
    { table: 'teaching_set_member', column: 'student_id' },
    { table: 'student_subject', column: 'student_id' },
    { table: 'enrolment', column: 'student_id' },
  ],
})

export type Student = { student: ReturnType<typeof student> }

/** A class. Its year never changes. Child rows repeat the year in a composite foreign key, so that the two cannot disagree. */
export const studentGroup = (c: Columns, { academic_year }: Year) =>
  c.ofSchool('student', 'student_group', {
    columns: {
      name: c.text().notNull(),
      academic_year_id: c.uuid().notNull(),
      created_by: c.uuid(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.unique('student_group_in_year', [t.school_id, t.id, t.academic_year_id]),
      c.unique('student_group_name_once', [t.school_id, t.academic_year_id, t.name]),
      c.foreign('student_group_year', [t.school_id, t.academic_year_id], [academic_year.school_id, academic_year.id]),
    ],
  })

export const studentGroupDescription = ofSchool({
  identity: ['academic_year_id', 'created_by', 'created_at'],
  units: { name: ['name'] },
  audit: ['updated_at'],
  // Assessments first: row-level security allows the class teacher to delete them only while the class has its class teacher.
  cascade: [
    { table: 'assessment', column: 'student_group_id' },
    { table: 'report_book', column: 'student_group_id' },
    { table: 'class_report_file', column: 'student_group_id' },
    { table: 'attendance_mark', column: 'student_group_id' },
    { table: 'attendance_register', column: 'student_group_id' },
    { table: 'student_subject', column: 'student_group_id' },
    { table: 'enrolment', column: 'student_group_id' },
    { table: 'class_teacher', column: 'student_group_id' },
    { table: 'teacher_subject_assignment', column: 'student_group_id' },
    { table: 'teacher_group_assignment', column: 'student_group_id' },
  ],
})

export type Group = { student_group: ReturnType<typeof studentGroup> }
type Placed = Record<'school_id' | 'student_group_id' | 'academic_year_id', AnySQLiteColumn>

/** A foreign key to a class of the year that the row names. */
export const classOfYear = (c: Columns, name: string, t: Placed, { school_id, id, academic_year_id }: Group['student_group']) =>
  c.foreign(name, [t.school_id, t.student_group_id, t.academic_year_id], [school_id, id, academic_year_id])

export const teacherGroupAssignment = (c: Columns, { student_group, user_profile }: Group & Profile) =>
  c.ofSchool('staff', 'teacher_group_assignment', {
    columns: {
      user_profile_id: c.uuid().notNull(),
      student_group_id: c.uuid().notNull(),
      academic_year_id: c.uuid().notNull(),
      created_at: c.instant().notNull(),
    },
    rules: (t) => [
      c.unique('teacher_group_assignment_once', [t.school_id, t.user_profile_id, t.student_group_id]),
      c.index('teacher_group_assignment_class', t.school_id, t.student_group_id),
      c.foreign('teacher_group_assignment_user', [t.user_profile_id], [user_profile.id]),
      classOfYear(c, 'teacher_group_assignment_class_year', t, student_group),
    ],
  })

export const teacherGroupAssignmentDescription = ofSchool({
  identity: ['user_profile_id', 'student_group_id', 'academic_year_id', 'created_at'],
  natural: { kind: 'teacher_group_assignment', of: ['user_profile_id', 'student_group_id'] },
  units: {},
})

type Assignment = { teacher_group_assignment: ReturnType<typeof teacherGroupAssignment> }
type Assigned = Record<'school_id' | 'user_profile_id' | 'student_group_id', AnySQLiteColumn>

/** A foreign key to the assignment of a person to a class. */
const assignmentOf = (c: Columns, name: string, t: Assigned, { school_id, user_profile_id, student_group_id }: Assigned) =>
  c.foreign(name, [t.school_id, t.user_profile_id, t.student_group_id], [school_id, user_profile_id, student_group_id])

/** Register: the one row of a class that names its class teacher, who must be assigned to the class. Its id is the class's. */
export const classTeacher = (c: Columns, { teacher_group_assignment, student_group }: Assignment & Group) =>
  c.ofSchool('staff', 'class_teacher', {
    columns: {
      student_group_id: c.uuid().notNull(),
      user_profile_id: c.uuid().notNull(),
      updated_at: c.instant().notNull(),
    },
    rules: (t) => [
      c.unique('class_teacher_once', [t.school_id, t.student_group_id]),
      c.foreign('class_teacher_class', [t.school_id, t.student_group_id], [student_group.school_id, student_group.id]),
      assignmentOf(c, 'class_teacher_assigned', t, teacher_group_assignment),
    ],
  })

export const classTeacherDescription = ofSchool({
  identity: ['student_group_id'],
  natural: { of: ['student_group_id'] },
  notDeletedAlone: always,
  units: { winner: ['user_profile_id'] },
  audit: ['updated_at'],
})

export const teacherSubjectAssignment = (c: Columns, { teacher_group_assignment, subject }: Assignment & Subject) =>
  c.ofSchool('staff', 'teacher_subject_assignment', {
    columns: {
      user_profile_id: c.uuid().notNull(),
      subject_id: c.uuid().notNull(),
      student_group_id: c.uuid().notNull(),
      academic_year_id: c.uuid().notNull(),
      created_at: c.instant().notNull(),
    },
    rules: (t) => [
      c.unique('teacher_subject_assignment_once', [t.school_id, t.user_profile_id, t.student_group_id, t.subject_id]),
      c.index('teacher_subject_assignment_class', t.school_id, t.student_group_id),
      c.foreign('teacher_subject_assignment_subject', [t.school_id, t.subject_id], [subject.school_id, subject.id]),
      assignmentOf(c, 'teacher_subject_assignment_assigned', t, teacher_group_assignment),
    ],
  })

export const teacherSubjectAssignmentDescription = ofSchool({
  identity: ['user_profile_id', 'subject_id', 'student_group_id', 'academic_year_id', 'created_at'],
  natural: { kind: 'teacher_subject_assignment', of: ['user_profile_id', 'subject_id', 'student_group_id'] },
  units: {},
})

/** A pupil's place in one class of one year; one per pupil and year. */
export const enrolment = (c: Columns, { student, student_group }: Student & Group) =>
  c.ofSchool('student', 'enrolment', {
    columns: {
      student_id: c.uuid().notNull(),
      student_group_id: c.uuid().notNull(),
      academic_year_id: c.uuid().notNull(),
      enrolled_at: c.instant().notNull(),
    },
    rules: (t) => [
      c.unique('enrolment_once', [t.school_id, t.student_id, t.academic_year_id]),
      c.index('enrolment_class', t.school_id, t.student_group_id),
      c.foreign('enrolment_student', [t.school_id, t.student_id], [student.school_id, student.id]),
      classOfYear(c, 'enrolment_class_year', t, student_group),
    ],
  })

export const enrolmentDescription = ofSchool({
  identity: ['student_id', 'academic_year_id'],
  natural: { kind: 'enrolment', of: ['student_id', 'academic_year_id'] },
  units: { place: ['student_group_id', 'enrolled_at'] },
})

export const studentSubject = (c: Columns, { student, student_group, subject }: Student & Group & Subject) =>
  c.ofSchool('student', 'student_subject', {
    columns: {
      student_id: c.uuid().notNull(),
      subject_id: c.uuid().notNull(),
      student_group_id: c.uuid().notNull(),
      created_at: c.instant().notNull(),
    },
    rules: (t) => [
      c.unique('student_subject_once', [t.school_id, t.student_id, t.subject_id, t.student_group_id]),
      c.index('student_subject_class', t.school_id, t.student_group_id),
      c.foreign('student_subject_student', [t.school_id, t.student_id], [student.school_id, student.id]),
      c.foreign('student_subject_subject', [t.school_id, t.subject_id], [subject.school_id, subject.id]),
      c.foreign('student_subject_class_fk', [t.school_id, t.student_group_id], [student_group.school_id, student_group.id]),
    ],
  })

export const studentSubjectDescription = ofSchool({
  identity: ['student_id', 'subject_id', 'student_group_id', 'created_at'],
  natural: { kind: 'student_subject', of: ['student_id', 'subject_id', 'student_group_id'] },
  units: {},
})
