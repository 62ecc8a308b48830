import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { Role } from './auth.ts'
import { CLASS_TEACHER, endpoint } from './endpoint.ts'
import { Done, Flag, Id, Instant, ids, input, Name, Person, row } from './scalars.ts'
import { Student } from './students.ts'
import { Subject, SubjectRef } from './subjects.ts'

/** A class is stored as a student group. `created_by` is null where the service created it. */
export const Class = row('Class', { id: Id, name: z.string(), academic_year_id: Id, created_by: Id.nullable() })
export type Class = z.infer<typeof Class>
const ClassDetail = Class.extend({ is_class_teacher: Flag })

/** The specification writes `academicYearId` and `isClassTeacher` in camelCase. `class_teacher` is null where the class has none. */
const ClassListItem = row('ClassListItem', {
  id: Id,
  name: z.string(),
  academicYearId: Id,
  isClassTeacher: Flag,
  class_teacher: Person.nullable(),
})
export const ClassTeacher = row('ClassTeacher', {
  teacherId: Id,
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  isClassTeacher: Flag,
  subjects: z.array(SubjectRef),
})
export type ClassTeacher = z.infer<typeof ClassTeacher>

/**
 * How many marks of a subject are recorded in a class and term. `assessments`: those that count there, without
 * extra credit. `expected`: one mark for each of
 * them and each student who takes the subject; `recorded`: how many of these exist. `is_own`: the caller teaches the subject there.
 */
export const ClassProgress = row('ClassProgress', {
  class: z.object({ id: Id, name: z.string() }),
  is_class_teacher: Flag,
  is_own: Flag,
  subject: SubjectRef,
  assessments: z.int(),
  expected: z.int(),
  recorded: z.int(),
  is_sent: Flag,
})
export type ClassProgress = z.infer<typeof ClassProgress>

const SchoolTeacher = row('SchoolTeacher', {
  id: Id,
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  email: z.string(),
  role: Role,
})
export const Enrolment = row('Enrolment', { id: Id, student_id: Id, student_group_id: Id, academic_year_id: Id, enrolled_at: Instant })
export type Enrolment = z.infer<typeof Enrolment>
const ClassStudent = Student.extend({ enrollment_id: Id })
export const StudentSubject = row('StudentSubject', { id: Id, student_id: Id, subject_id: Id, student_group_id: Id })
export type StudentSubject = z.infer<typeof StudentSubject>

const subjectIds = ids({ max: limits.subjects })

/** The one code that decisions §4 name without a resource. */
export const enrolmentFailures = failures('', {
  alreadyEnrolled: [409, 'This student is already in another class of that year.'],
})

export const classFailures = failures('classes', {
  duplicateName: [409, 'This year already has a class with that name.'],
  sentReports: [409, 'A report of this class was sent to the ministry, so the class cannot be deleted.'],
  classTeacherStays: [403, 'The class teacher cannot be removed. Hand the class over first.'],
  notEnrolled: [400, 'This student is not in the class.'],
})

// Fixed paths stand before `:classId`, since the first matching route wins.
export const classes = {
  schoolTeachers: endpoint('GET /api/classes/school-teachers', 'staff', 'List the teachers of the school by name', {
    reply: z.array(SchoolTeacher),
  }),
  places: endpoint('GET /api/classes/places', 'staff', 'Say who is in which class of a year', {
    who: 'Teachers see their own classes; administrators every class.',
    query: z.object({ academicYearId: Id }),
    reply: z.array(row('ClassPlace', { student_id: Id, student_group_id: Id })),
  }),
  progress: endpoint('GET /api/classes/progress', 'staff', 'Say how many marks are missing, for each class and subject of a term', {
    who: 'Teachers see the subjects that they may grade; administrators those of every class.',
    query: z.object({ termId: Id }),
    reply: z.array(ClassProgress),
  }),
  list: endpoint('GET /api/classes', 'staff', 'List the own classes; for an administrator every class', {
    query: z.object({ academicYearId: Id.optional() }),
    reply: z.array(ClassListItem),
  }),
  create: endpoint('POST /api/classes', 'staff', 'Create a class and become its class teacher', {
    notes:
      'An administrator may name another class teacher, an active teacher of the school: `subjectIds` are then theirs, and the creator is not assigned.',
    status: 201,
    body: input({ name: Name, academicYearId: Id, subjectIds: subjectIds.optional(), classTeacherId: Id.optional() }),
    reply: Class,
    fails: ['classes.duplicate_name'],
  }),
  get: endpoint('GET /api/classes/:classId', 'staff', 'Read a class', { reply: ClassDetail }),
  update: endpoint('PATCH /api/classes/:classId', 'staff', 'Rename a class', {
    who: CLASS_TEACHER,
    body: input({ name: Name }).partial(),
    reply: Class,
    fails: ['classes.duplicate_name'],
  }),
  remove: endpoint('DELETE /api/classes/:classId', 'staff', 'Delete a class and all that belongs to it', {
    who: CLASS_TEACHER,
    reply: Done,
    fails: ['classes.sent_reports'],
  }),
  mySubjects: endpoint('GET /api/classes/:classId/my-subjects', 'staff', 'List the subjects that the caller can grade in the class', {
    reply: z.array(Subject),
  }),
  teachers: endpoint('GET /api/classes/:classId/teachers', 'staff', 'List the teachers of a class with their subjects', {
    reply: z.array(ClassTeacher),
  }),
  addTeacher: endpoint('POST /api/classes/:classId/teachers', 'staff', 'Add a teacher to a class, or replace their subjects', {
    who: CLASS_TEACHER,
    status: 201,
    body: input({ teacherId: Id, subjectIds }),
    reply: ClassTeacher,
  }),
  removeTeacher: endpoint('DELETE /api/classes/:classId/teachers/:teacherId', 'staff', 'Remove a teacher from a class', {
    who: CLASS_TEACHER,
    reply: Done,
    fails: ['classes.class_teacher_stays'],
  }),
  handOver: endpoint('PATCH /api/classes/:classId/class-teacher', 'staff', 'Hand a class over to another class teacher', {
    who: CLASS_TEACHER,
    body: input({ teacherId: Id }),
    reply: ClassTeacher,
  }),
  students: endpoint('GET /api/classes/:id/students', 'staff', 'List the students of a class by last name', {
    reply: z.array(ClassStudent),
  }),
  enroll: endpoint('POST /api/classes/:id/enroll', 'staff', 'Enrol a student in a class', {
    who: CLASS_TEACHER,
    status: 201,
    body: input({ studentId: Id }),
    reply: Enrolment,
    fails: ['already_enrolled'],
  }),
  enrollBulk: endpoint('POST /api/classes/:id/enroll/bulk', 'staff', 'Enrol several students in a class, all or none', {
    who: CLASS_TEACHER,
    status: 201,
    body: input({ studentIds: ids({ min: 1, max: limits.studentsPerRequest }) }),
    reply: z.array(Enrolment),
    fails: ['already_enrolled'],
  }),
  unenroll: endpoint('DELETE /api/classes/:id/enroll/:studentId', 'staff', 'Take a student out of a class', {
    who: CLASS_TEACHER,
    reply: Done,
  }),
  studentSubjects: endpoint('GET /api/classes/:id/students/:sid/subjects', 'staff', 'List the subjects of a student in a class', {
    reply: z.array(SubjectRef),
  }),
  subjectsTaken: endpoint('GET /api/classes/:id/subjects', 'staff', 'List the subjects that were given to the students of a class', {
    notes: 'A student without a row takes every subject of the class that has an assessment.',
    reply: z.array(StudentSubject),
  }),
  assignSubjects: endpoint('POST /api/classes/:id/subjects', 'staff', 'Give subjects to a student of a class', {
    who: CLASS_TEACHER,
    status: 201,
    body: input({ studentId: Id, subjectIds: ids({ min: 1, max: limits.subjects }) }),
    reply: z.array(StudentSubject),
    fails: ['classes.not_enrolled'],
  }),
  assignSubjectBulk: endpoint(
    'POST /api/classes/:id/subjects/bulk',
    'staff',
    'Give a subject to several students of a class, all or none',
    {
      who: CLASS_TEACHER,
      status: 201,
      body: input({ subjectId: Id, studentIds: ids({ min: 1, max: limits.studentsPerRequest }) }),
      reply: z.array(StudentSubject),
      fails: ['classes.not_enrolled'],
    },
  ),
  removeStudentSubject: endpoint(
    'DELETE /api/classes/:id/students/:sid/subjects/:subjectId',
    'staff',
    'Take a subject from a student of a class',
    { who: CLASS_TEACHER, reply: Done },
  ),
}
