import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { Code, Done, Flag, Id, ids, input, Name, row } from './scalars.ts'

export const Subject = row('Subject', { id: Id, name: z.string(), code: z.string(), sort_order: z.int(), is_active: Flag })
export type Subject = z.infer<typeof Subject>
/** A subject as shown beside another row. */
export const SubjectRef = row('SubjectRef', { id: Id, name: z.string(), code: z.string() })
export type SubjectRef = z.infer<typeof SubjectRef>

const SubjectInput = input({ name: Name, code: Code })

export const subjectFailures = failures('subjects', {
  duplicateCode: [409, 'The school already has a subject with that code.'],
  inUse: [409, 'This subject has assessments and cannot be deleted. It can be made inactive.'],
  tooMany: [409, `A school can have at most ${limits.subjects} subjects.`],
  incompleteOrder: [400, 'The new order must name every subject of the school once.'],
})

export const subjects = {
  list: endpoint('GET /api/subjects', 'school', 'List the subjects in order', { reply: z.array(Subject) }),
  create: endpoint('POST /api/subjects', 'admin', 'Create a subject', {
    status: 201,
    body: SubjectInput,
    reply: Subject,
    fails: ['subjects.duplicate_code', 'subjects.too_many'],
  }),
  reorder: endpoint('PATCH /api/subjects/reorder', 'admin', 'Put the subjects in another order', {
    body: input({ subjectIds: ids({ max: limits.subjects }) }),
    reply: z.array(Subject),
    fails: ['subjects.incomplete_order'],
  }),
  get: endpoint('GET /api/subjects/:id', 'school', 'Read a subject', { reply: Subject }),
  classes: endpoint('GET /api/subjects/:id/classes', 'staff', 'List the classes of a term’s year that take a subject', {
    notes:
      'Those where somebody teaches it, where it was given to a student, or where a student has no subjects of their own and so takes every one: whom an assessment of every class is for.',
    query: z.object({ termId: Id }),
    reply: z.array(row('SubjectClass', { id: Id, name: z.string() })),
  }),
  update: endpoint('PATCH /api/subjects/:id', 'admin', 'Change a subject', {
    body: SubjectInput.extend({ isActive: Flag }).partial(),
    reply: Subject,
    fails: ['subjects.duplicate_code'],
  }),
  remove: endpoint('DELETE /api/subjects/:id', 'admin', 'Delete a subject', { reply: Done, fails: ['subjects.in_use'] }),
}
