import { subjectFailures, subjects } from '@markbook/shared/contract/subjects'
import { byFoldedName } from '@markbook/shared/domain/fold'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onGuard, onLoaded } from '../../http/handler.ts'
import { isReferenceViolation } from '../../store/errors.ts'
import { categoriesOfSubject } from '../assessment-categories/assessment-categories.policy.ts'
import { columnsOf } from '../columns.ts'
import { ownSchool, rowOf, termOf } from '../policy.ts'
import { anyFound, failureFor, subjectOf } from '../references.ts'
import { setsOfSubject } from '../teaching-sets/teaching-sets.policy.ts'
import { classesTaking, subjectsOf, takersOfSubject, teachersOfSubject, usesOfSubject } from './subjects.queries.ts'

const demandFreeCode = (all: readonly Row<'subject'>[], code: string | undefined, ownId?: string) => {
  if (all.some((other) => other.code === code && other.id !== ownId)) throw subjectFailures.duplicateCode()
}

/** For a row that was recorded in the subject after the check. */
const orInUse = failureFor(isReferenceViolation, subjectFailures.inUse)

export const subjectHandlers: Handlers<typeof subjects> = {
  list: onGuard(subjects.list, ({ tx, caller }) => subjectsOf(tx, { school: caller.school_id })),

  get: onLoaded(subjects.get, (context, { params }) => rowOf(context, 'subject', params.id)),

  classes: on(subjects.classes, {
    load: async (context, { params, targets }) => {
      const subject = await subjectOf(context, params.id)
      return { school: subject.school_id, subject: subject.id, term: (await termOf(context, targets['termId'])).id }
    },
    run: async ({ tx }, _input, place) => (await classesTaking(tx, place)).sort(byFoldedName),
  }),

  create: on(subjects.create, {
    load: ownSchool,
    run: async ({ tx }, { body }, { id: school }) => {
      const all = await subjectsOf(tx, { school })
      demandFreeCode(all, body.code)
      if (all.length >= limits.subjects) throw subjectFailures.tooMany()
      const sort_order = Math.max(0, ...all.map((other) => other.sort_order)) + 1
      const row = { id: tx.newId(), school_id: school, sort_order, is_active: true, ...columnsOf(body) }
      return tx.insert('subject', row)
    },
  }),

  reorder: on(subjects.reorder, {
    load: ownSchool,
    run: async ({ tx }, { body }, { id: school }) => {
      const byId = new Map((await subjectsOf(tx, { school })).map((subject) => [subject.id, subject]))
      const ordered = body.subjectIds.flatMap((id) => byId.get(id) ?? [])
      if (ordered.length !== body.subjectIds.length || ordered.length !== byId.size) throw subjectFailures.incompleteOrder()
      const changes = ordered.map((before, at) => ({ before, patch: { sort_order: at + 1 } }))
      return tx.update('subject', changes)
    },
  }),

  update: on(subjects.update, {
    load: async (context, { params }) => {
      await ownSchool(context)
      return rowOf(context, 'subject', params.id)
    },
    run: async ({ tx }, { body }, subject) => {
      demandFreeCode(await subjectsOf(tx, { school: subject.school_id }), body.code, subject.id)
      return tx.update('subject', subject, columnsOf(body))
    },
  }),

  remove: on(subjects.remove, {
    load: (context, { params }) => rowOf(context, 'subject', params.id),
    run: async ({ tx }, _input, subject) => {
      const place = { school: subject.school_id, subject: subject.id }
      if (await anyFound(usesOfSubject, tx, place)) throw subjectFailures.inUse()
      await tx.remove('teacher_subject_assignment', await teachersOfSubject(tx, place))
      await tx.remove('student_subject', await takersOfSubject(tx, place))
      await tx.remove('teaching_set', await setsOfSubject(tx, place))
      await tx.remove('assessment_category', await categoriesOfSubject(tx, place))
      await tx.remove('subject', [subject]).catch(orInUse)
      return { message: 'The subject was deleted.' }
    },
  }),
}
