import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { choice, Day, Done, Flag, Id, Instant, input, Name, QueryFlag, row, Search, StudentNumber } from './scalars.ts'

export const Gender = choice(['male', 'female', 'other'])

export const Student = row('Student', {
  id: Id,
  first_name: z.string(),
  last_name: z.string(),
  gender: Gender,
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
  studentNumber: StudentNumber.nullish(),
})
export type StudentInput = z.infer<typeof StudentInput>

export const studentFailures = failures('students', {
  duplicateNumber: [409, 'Another student of the school already has that student number.'],
  hasResults: [409, 'This student has grades or report books and cannot be deleted. They can be made inactive.'],
})

export const students = {
  list: endpoint({
    method: 'GET',
    path: '/api/students',
    guard: 'staff',
    summary: 'List the students by last name',
    notes: '`search`: a part of the name, or of the student number.',
    targets: ['classId'],
    query: z.object({ search: Search.optional(), isActive: QueryFlag.optional(), classId: Id.optional() }),
    reply: z.array(Student),
    list: true,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/students',
    guard: 'staff',
    summary: 'Create a student',
    status: 201,
    body: StudentInput,
    reply: Student,
    fails: ['students.duplicate_number'],
  }),
  importTemplate: endpoint({
    method: 'GET',
    path: '/api/students/import-template',
    guard: 'admin',
    summary: 'Download an empty table for the import of students',
    notes:
      'XLSX, with the classes of the active year to choose from. It is filled in without a connection and sent to `/api/students/import`.',
    reply: 'binary',
  }),
  get: endpoint({ method: 'GET', path: '/api/students/:id', guard: 'staff', summary: 'Read a student', reply: Student }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/students/:id',
    guard: 'staff',
    summary: 'Change a student',
    body: StudentInput.extend({ isActive: Flag }).partial(),
    reply: Student,
    fails: ['students.duplicate_number'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/students/:id',
    guard: 'admin',
    summary: 'Delete a student',
    reply: Done,
    fails: ['students.has_results'],
  }),
}
