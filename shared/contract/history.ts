import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { choice, Id, Instant, Person, row } from './scalars.ts'

/** The kinds of rows whose history can be read, by table name. */
export const HistoryEntity = choice([
  'school',
  'academic_year',
  'active_year',
  'term',
  'subject',
  'student',
  'student_group',
  'class_teacher',
  'enrolment',
  'teacher_group_assignment',
  'teacher_subject_assignment',
  'student_subject',
  'teaching_set',
  'teaching_set_teacher',
  'teaching_set_member',
  'attendance_register',
  'attendance_mark',
  'assessment',
  'assessment_category',
  'grade',
  'grading_scale',
  'report_book',
  'report_book_entry',
])

/** One write to one row. `actor` is null where the service wrote; `node` is the machine, `node_name` its name where this server knows it. */
export const HistoryEntry = row('HistoryEntry', {
  id: Id,
  at: Instant,
  actor: Person.nullable(),
  node: z.string(),
  node_name: z.string().nullable(),
  action: choice(['create', 'update', 'delete']),
  changes: z.record(z.string(), z.object({ before: z.unknown(), after: z.unknown() })),
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

export const historyFailures = failures('history', {
  cannotUndo: [409, 'This change cannot be undone.'],
  changedSince: [409, 'The row has been changed since. Please look at it again.'],
})

export const history = {
  list: endpoint('GET /api/history', 'staff', 'List the changes of a row, newest first', {
    query: z.object({ entity: HistoryEntity, id: Id }),
    reply: z.array(HistoryEntry),
  }),
  undo: endpoint('POST /api/history/:id/undo', 'staff', 'Write the earlier value again, as a new change', {
    reply: HistoryEntry,
    fails: [
      'history.cannot_undo',
      'history.changed_since',
      'reports.locked',
      'grades.not_your_subject',
      'assessments.not_your_subject',
      'assessments.shared',
      'students.personal_data',
    ],
  }),
}
