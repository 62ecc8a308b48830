import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { Done, Flag, Id, Instant, ids, input, label, Person, row, StudentName } from './scalars.ts'
import { SubjectRef } from './subjects.ts'

/** A group of pupils from several classes who are taught one subject together in one year. */
export const TeachingSet = row('TeachingSet', {
  id: Id,
  academic_year_id: Id,
  subject_id: Id,
  name: z.string(),
  created_at: Instant,
  updated_at: Instant,
})
export const TeachingSetTeacher = row('TeachingSetTeacher', { id: Id, teaching_set_id: Id, user_profile_id: Id })
export const TeachingSetMember = row('TeachingSetMember', { id: Id, teaching_set_id: Id, student_id: Id })

/** A set in a list. `students`: how many; `is_own`: the caller teaches it. */
export const ListedTeachingSet = row('ListedTeachingSet', {
  ...TeachingSet.shape,
  subject: SubjectRef,
  teachers: z.array(Person),
  students: z.int(),
  is_own: Flag,
})
export type ListedTeachingSet = z.infer<typeof ListedTeachingSet>

/** A student of a set, with their class of the year; `class` is null where they are in none any more. */
export const StudentOfSet = row('StudentOfSet', { ...StudentName.shape, class: z.object({ id: Id, name: z.string() }).nullable() })
export type StudentOfSet = z.infer<typeof StudentOfSet>

/**
 * How many marks of a set are recorded in a term. `expected`: one for each student and each assessment that is for them, without extra
 * credit; `recorded`: how many of these exist.
 */
export const TeachingSetProgress = row('TeachingSetProgress', {
  teaching_set: z.object({ id: Id, name: z.string() }),
  subject: SubjectRef,
  is_own: Flag,
  expected: z.int(),
  recorded: z.int(),
})
export type TeachingSetProgress = z.infer<typeof TeachingSetProgress>

const SetName = label(limits.text.teachingSetName)
const TeacherIds = ids({ max: limits.teachingSets.teachersPerSet })
const StudentIds = ids({ max: limits.teachingSets.studentsPerSet })

export const teachingSetFailures = failures('teaching_sets', {
  duplicateName: [409, 'This subject already has a set with that name in that year.'],
  tooMany: [409, `A year can have at most ${limits.teachingSets.perYear} teaching sets.`],
  hasMarks: [409, 'Assessments of this set have marks. Make them assessments of every class, or delete them first.'],
  inNoClass: [400, 'A student of a set must be in a class of its year.'],
})

const LISTED = 'Teachers see those that they teach; administrators every one.'
const OWN = 'For those who teach the set and for administrators.'

export const teachingSets = {
  list: endpoint('GET /api/teaching-sets', 'staff', 'List the teaching sets of a year by subject and name', {
    who: LISTED,
    query: z.object({ academicYearId: Id }),
    reply: z.array(ListedTeachingSet),
  }),
  progress: endpoint('GET /api/teaching-sets/progress', 'staff', 'Say how many marks of each teaching set are missing in a term', {
    who: LISTED,
    query: z.object({ termId: Id }),
    reply: z.array(TeachingSetProgress),
  }),
  create: endpoint('POST /api/teaching-sets', 'admin', 'Create a teaching set', {
    status: 201,
    notes: 'With its teachers and students, or none where they are absent: all of it, or nothing.',
    body: input({ academicYearId: Id, subjectId: Id, name: SetName, teacherIds: TeacherIds.optional(), studentIds: StudentIds.optional() }),
    reply: ListedTeachingSet,
    fails: ['teaching_sets.duplicate_name', 'teaching_sets.too_many', 'teaching_sets.in_no_class'],
  }),
  get: endpoint('GET /api/teaching-sets/:id', 'staff', 'Read a teaching set', { who: OWN, reply: ListedTeachingSet }),
  update: endpoint('PATCH /api/teaching-sets/:id', 'admin', 'Change a teaching set; its year and subject stay', {
    notes: 'Teachers and students that are named replace those of the set. All of it is changed, or nothing.',
    body: input({ name: SetName, teacherIds: TeacherIds, studentIds: StudentIds }).partial(),
    reply: ListedTeachingSet,
    fails: ['teaching_sets.duplicate_name', 'teaching_sets.in_no_class'],
  }),
  remove: endpoint('DELETE /api/teaching-sets/:id', 'admin', 'Delete a teaching set; classes and marks stay', {
    notes: 'Its assessments without marks go with it.',
    reply: Done,
    fails: ['teaching_sets.has_marks'],
  }),
  setTeachers: endpoint('PUT /api/teaching-sets/:id/teachers', 'admin', 'Say who teaches a set', {
    notes: 'Replaces the teachers. A teacher of a set counts as teaching its subject to its students.',
    body: input({ teacherIds: TeacherIds }),
    reply: ListedTeachingSet,
  }),
  students: endpoint('GET /api/teaching-sets/:id/students', 'staff', 'List the students of a set by class, then by last name', {
    who: OWN,
    reply: z.array(StudentOfSet),
  }),
  setStudents: endpoint('PUT /api/teaching-sets/:id/students', 'admin', 'Say who is in a set', {
    notes: 'Replaces the students. Whoever is added must be in a class of the year.',
    body: input({ studentIds: StudentIds }),
    reply: z.array(StudentOfSet),
    fails: ['teaching_sets.in_no_class'],
  }),
}
