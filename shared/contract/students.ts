import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { choice, Day, Done, Flag, Id, Instant, input, label, Name, note, QueryFlag, row } from './scalars.ts'

export const Gender = choice(['male', 'female', 'other'])

/** `gender` and `date_of_birth` are null for callers who may not see them (`personal_data_for` of the school). */
export const Student = row('Student', {
  id: Id,
  first_name: z.string(),
  last_name: z.string(),
  gender: Gender.nullable(),
  date_of_birth: Day.nullable(),
  enrollment_date: Day.nullable(),
  is_active: Flag,
  student_number: z.string().nullable(),
  created_at: Instant,
  updated_at: Instant,
})
export type Student = z.infer<typeof Student>

export const StudentInput = input({
  firstName: Name,
  lastName: Name,
  gender: Gender,
  dateOfBirth: Day.nullish(),
  enrollmentDate: Day.nullish(),
  studentNumber: label(limits.text.studentNumber).nullish(),
})
export type StudentInput = z.infer<typeof StudentInput>

export const studentFailures = failures('students', {
  duplicateNumber: [409, 'Another student of the school already has that student number.'],
  personalData: [403, 'The birth dates and genders of pupils are for their class teacher and for administrators.'],
  hasResults: [409, 'This student has grades or report books and cannot be deleted. They can be made inactive.'],
})

export const students = {
  list: endpoint('GET /api/students', 'staff', 'List the students by last name', {
    notes: '`search`: a part of the name, or of the student number.',
    query: z.object({ search: note(limits.text.name).optional(), isActive: QueryFlag.optional(), classId: Id.optional() }),
    reply: z.array(Student),
  }),
  create: endpoint('POST /api/students', 'staff', 'Create a student', {
    status: 201,
    body: StudentInput,
    reply: Student,
    fails: ['students.duplicate_number'],
  }),
  importTemplate: endpoint('GET /api/students/import-template', 'admin', 'Download an empty table for the import of students', {
    notes:
      'XLSX, with the classes of the active year to choose from. It is filled in without a connection and sent to `/api/students/import`.',
    reply: 'binary',
  }),
  get: endpoint('GET /api/students/:id', 'staff', 'Read a student', { reply: Student }),
  update: endpoint('PATCH /api/students/:id', 'staff', 'Change a student', {
    notes:
      'Whoever may not see `gender` and `dateOfBirth` may not set them either: null leaves them as they are, anything else is refused.',
    body: StudentInput.extend({ isActive: Flag, gender: Gender.nullable() }).partial(),
    reply: Student,
    fails: ['students.duplicate_number', 'students.personal_data'],
  }),
  remove: endpoint('DELETE /api/students/:id', 'admin', 'Delete a student', { reply: Done, fails: ['students.has_results'] }),
}
