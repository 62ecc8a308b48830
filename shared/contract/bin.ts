import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { choice, Id, Instant, Person, row } from './scalars.ts'

/** The kinds of rows whose deletion can be undone, by table name. */
export const BinEntity = choice(['assessment', 'student', 'student_group', 'subject', 'teaching_set', 'term'])
export type BinEntity = z.infer<typeof BinEntity>

/** The kinds of rows to which a row in the bin can belong. */
const BinOwner = choice(['subject', 'student_group', 'teaching_set', 'term', 'academic_year'])
export type BinOwner = z.infer<typeof BinOwner>

/**
 * A deleted row. `name`: its last name. `belongs_to`: the rows that it names, with their present names, or their last ones where they were
 * deleted too; an assessment of every class names no class. `actor` deleted it; null where the service did. The figures count the rows that
 * were deleted with it and are restored with it; `set_places`: students in teaching sets, `set_teachers`: their teachers.
 */
export const BinItem = row('BinItem', {
  id: Id,
  entity: BinEntity,
  row_id: Id,
  name: z.string(),
  belongs_to: z.array(z.object({ entity: BinOwner, id: Id, name: z.string() })),
  deleted_at: Instant,
  actor: Person.nullable(),
  restorable_until: Instant,
  marks: z.int(),
  assessments: z.int(),
  enrolments: z.int(),
  assignments: z.int(),
  report_books: z.int(),
  set_places: z.int(),
  set_teachers: z.int(),
})
export type BinItem = z.infer<typeof BinItem>

export const binFailures = failures('bin', {
  gone: [409, 'This is not in the bin any more: it was restored, or its time is over.'],
  inTheWay: [409, 'Something that was changed since is in the way.'],
})

export const bin = {
  list: endpoint('GET /api/bin', 'staff', 'List what was deleted in the last 30 days and can be restored, newest first', {
    who: 'Administrators see everything; teachers the assessments that they deleted themselves.',
    reply: z.array(BinItem),
  }),
  restore: endpoint('POST /api/bin/:id/restore', 'staff', 'Bring back what was deleted, with all that went with it', {
    who: 'Administrators; of an assessment also whoever deleted it.',
    notes:
      'All or nothing, but for what is of a student who was deleted since, or of a person who left the school, and for the places of a student in teaching sets that were deleted since: `left_out` counts it.',
    reply: row('Restored', { message: z.string(), entity: BinEntity, row_id: Id, restored: z.int(), left_out: z.int() }),
    fails: ['bin.gone', 'bin.in_the_way', 'assessments.not_your_subject'],
  }),
}
