import { studentFailures, students } from '@markbook/shared/contract/students'
import { searchTerm } from '@markbook/shared/domain/fold'
import { type Handlers, on, onGuard, onLoaded } from '../../http/handler.ts'
import { isReferenceViolation, isUniqueViolation } from '../../store/errors.ts'
import type { WriteTx } from '../../store/tx.ts'
import { columnsOf } from '../columns.ts'
import { demandInClass, rowOf } from '../policy.ts'
import { anyFound, refusedAs } from '../references.ts'
import { holdersOfNumber, resultsOfStudent, studentsFound } from './students.queries.ts'

async function demandFreeNumber(tx: WriteTx, school: string, number: string | null | undefined, ownId?: string) {
  if (number === null || number === undefined) return
  const holders = await holdersOfNumber(tx, { school, number })
  if (holders.some(({ id }) => id !== ownId)) throw studentFailures.duplicateNumber()
}

const orDuplicate = refusedAs(isUniqueViolation, studentFailures.duplicateNumber)
/** A mark that was saved between the check and the deletion. */
const orHasResults = refusedAs(isReferenceViolation, studentFailures.hasResults)

export const studentHandlers: Omit<Handlers<typeof students>, 'importTemplate'> = {
  list: on(students.list, {
    load: async (context, { targets }) => {
      if (targets['classId'] === undefined) return
      const group = await rowOf(context, 'student_group', targets['classId'])
      await demandInClass(context, 'readClass', group.id)
    },
    run: ({ tx, caller }, { query }) =>
      studentsFound(tx, {
        school: caller.school_id,
        search: searchTerm(query.search ?? ''),
        isActive: query.isActive,
        group: query.classId,
      }),
  }),

  get: onLoaded(students.get, (context, { params }) => rowOf(context, 'student', params.id)),

  create: onGuard(students.create, async ({ tx, caller }, { body }) => {
    await demandFreeNumber(tx, caller.school_id, body.studentNumber)
    return tx.insert('student', { id: tx.newId(), school_id: caller.school_id, is_active: true, ...columnsOf(body) }).catch(orDuplicate)
  }),

  update: on(students.update, {
    load: (context, { params }) => rowOf(context, 'student', params.id),
    run: async ({ tx }, { body }, student) => {
      await demandFreeNumber(tx, student.school_id, body.studentNumber, student.id)
      return tx.update('student', student, columnsOf(body)).catch(orDuplicate)
    },
  }),

  remove: on(students.remove, {
    load: (context, { params }) => rowOf(context, 'student', params.id),
    run: async ({ tx }, _input, student) => {
      const isAny = await anyFound(resultsOfStudent, tx, { school: student.school_id, student: student.id })
      if (isAny) throw studentFailures.hasResults()
      await tx.remove('student', [student]).catch(orHasResults)
      return { message: 'The student was deleted.' }
    },
  }),
}
