import { subjectFailures, subjects } from '@markbook/shared/contract/subjects'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import { isReferenceViolation } from '../../store/errors.ts'
import { rowOf } from '../policy.ts'
import { subjectsOf, takersOfSubject, teachersOfSubject, usesOfSubject } from './subjects.queries.ts'

type Subject = Row<'subject'>

/** The school's row, locked: whoever counts or orders its subjects does so alone. */
async function lockSchool(scene: Parameters<typeof rowOf>[0]): Promise<string> {
  const school = await scene.tx.find('school', scene.caller.school_id, scene.caller.school_id)
  if (!school) throw common.notFound()
  return school.id
}

const demandFreeCode = (all: readonly Subject[], code: string | undefined, ownId?: string) => {
  if (all.some((other) => other.code === code && other.id !== ownId)) throw subjectFailures.duplicateCode()
}

/** Something was recorded in the subject since it was looked for. */
const orInUse = (error: unknown): never => {
  throw isReferenceViolation(error) ? subjectFailures.inUse() : error
}

export const subjectHandlers: Handlers<typeof subjects> = {
  list: onGuard(subjects.list, ({ tx, caller }) => subjectsOf(tx, { school: caller.school_id })),

  get: on(subjects.get, {
    load: (scene, { params }) => rowOf(scene, 'subject', params.id),
    run: async (_scene, _asked, subject) => subject,
  }),

  create: on(subjects.create, {
    load: lockSchool,
    run: async ({ tx }, { body }, school) => {
      const all = await subjectsOf(tx, { school })
      demandFreeCode(all, body.code)
      if (all.length >= limits.subjects) throw subjectFailures.tooMany()
      const sort_order = Math.max(0, ...all.map((other) => other.sort_order)) + 1
      const row = { id: tx.newId(), school_id: school, name: body.name, code: body.code, sort_order, is_active: true }
      const [subject] = await tx.insert('subject', [row])
      return subject as Subject
    },
  }),

  reorder: on(subjects.reorder, {
    load: lockSchool,
    run: async ({ tx }, { body }, school) => {
      const byId = new Map((await subjectsOf(tx, { school })).map((subject) => [subject.id, subject]))
      const ordered = body.subjectIds.flatMap((id) => byId.get(id) ?? [])
      if (ordered.length !== body.subjectIds.length || ordered.length !== byId.size) throw subjectFailures.incompleteOrder()
      return tx.update(
        'subject',
        ordered.map((before, at) => ({ before, patch: { sort_order: at + 1 } })),
      )
    },
  }),

  update: on(subjects.update, {
    load: async (scene, { params }) => {
      await lockSchool(scene)
      return rowOf(scene, 'subject', params.id)
    },
    run: async ({ tx }, { body: { isActive, ...named } }, subject) => {
      demandFreeCode(await subjectsOf(tx, { school: subject.school_id }), named.code, subject.id)
      const patch = { ...named, ...(isActive !== undefined && { is_active: isActive }) }
      const [updated] = await tx.update('subject', [{ before: subject, patch }])
      return updated as Subject
    },
  }),

  remove: on(subjects.remove, {
    load: (scene, { params }) => rowOf(scene, 'subject', params.id),
    run: async ({ tx }, _asked, subject) => {
      const place = { school: subject.school_id, subject: subject.id }
      for (const uses of usesOfSubject) if ((await uses(tx, place)).length > 0) throw subjectFailures.inUse()
      await tx.remove('teacher_subject_assignment', await teachersOfSubject(tx, place))
      await tx.remove('student_subject', await takersOfSubject(tx, place))
      await tx.remove('subject', [subject]).catch(orInUse)
      return { message: 'The subject was deleted.' }
    },
  }),
}
