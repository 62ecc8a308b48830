import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { choice, Id, Instant, row } from './scalars.ts'

/** The kinds of rows whose past can be read, by the names of their tables. */
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
  'assessment',
  'grade',
  'grading_scale',
  'report_book',
  'report_book_entry',
])

/** One write to one row. `actor` is null where no person stood behind it; `node` is the machine, `node_name` what people call it, where this server knows. */
export const HistoryEntry = row('HistoryEntry', {
  id: Id,
  at: Instant,
  actor: z.object({ id: Id, first_name: z.string().nullable(), last_name: z.string().nullable() }).nullable(),
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
  list: endpoint({
    method: 'GET',
    path: '/api/history',
    guard: 'staff',
    summary: 'List the changes of a row, newest first',
    targets: ['id'],
    query: z.object({ entity: HistoryEntity, id: Id }),
    reply: z.array(HistoryEntry),
    list: true,
  }),
  undo: endpoint({
    method: 'POST',
    path: '/api/history/:id/undo',
    guard: 'staff',
    summary: 'Write the earlier value again, as a new change',
    reply: HistoryEntry,
    fails: ['history.cannot_undo', 'history.changed_since', 'reports.locked', 'grades.not_your_subject', 'assessments.not_your_subject'],
  }),
}
