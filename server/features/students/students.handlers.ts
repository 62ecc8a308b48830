import { studentFailures, students } from '@markbook/shared/contract/students'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onGuard, onLoaded } from '../../http/handler.ts'
import { personalDataSeenBy, seenPupil } from '../../replication/scope/personal-data.ts'
import { isReferenceViolation, isUniqueViolation } from '../../store/errors.ts'
import type { WriteTx } from '../../store/tx.ts'
import { columnsOf } from '../columns.ts'
import { demandInClass, rowOf } from '../policy.ts'
import { anyFound, failureFor } from '../references.ts'
import { holdersOfNumber, resultsOfStudent, studentsFound } from './students.queries.ts'

async function demandFreeNumber(tx: WriteTx, school: string, number: string | null | undefined, ownId?: string) {
  if (number === null || number === undefined) return
  const holders = await holdersOfNumber(tx, { school, number })
  if (holders.some(({ id }) => id !== ownId)) throw studentFailures.duplicateNumber()
}

type Personal = { gender: Row<'student'>['gender'] | null | undefined; dateOfBirth: string | null | undefined }

/** The patch of the columns that not everybody sees: a gender is never cleared, and nobody overwrites what they cannot see. */
function personalPatch({ gender, dateOfBirth }: Personal, isSeen: boolean) {
  if (!isSeen && (gender ?? dateOfBirth)) throw studentFailures.personalData()
  return { ...(gender && { gender }), ...(isSeen && dateOfBirth !== undefined && { date_of_birth: dateOfBirth }) }
}

const orDuplicate = failureFor(isUniqueViolation, studentFailures.duplicateNumber)
/** For a mark that was saved between the check and the deletion. */
const orHasResults = failureFor(isReferenceViolation, studentFailures.hasResults)

export const studentHandlers: Omit<Handlers<typeof students>, 'importTemplate'> = {
  list: on(students.list, {
    load: async (context, { targets }) => {
      if (targets['classId'] === undefined) return
      const group = await rowOf(context, 'student_group', targets['classId'])
      await demandInClass(context, 'readClass', group.id)
    },
    run: async (context, { query }) => {
      const found = await studentsFound(context.tx, {
        school: context.caller.school_id,
        search: query.search ?? '',
        isActive: query.isActive,
        group: query.classId,
      })
      return found.map(seenPupil(await personalDataSeenBy(context)))
    },
  }),

  get: onLoaded(students.get, async (context, { params }) => {
    const student = await rowOf(context, 'student', params.id)
    return seenPupil(await personalDataSeenBy(context))(student)
  }),

  create: onGuard(students.create, async (context, { body }) => {
    const { tx, caller } = context
    await demandFreeNumber(tx, caller.school_id, body.studentNumber)
    const row = { id: tx.newId(), school_id: caller.school_id, is_active: true, ...columnsOf(body) }
    const student = await tx.insert('student', row).catch(orDuplicate)
    return seenPupil(await personalDataSeenBy(context))(student)
  }),

  update: on(students.update, {
    load: (context, { params }) => rowOf(context, 'student', params.id),
    run: async (context, { body: { gender, dateOfBirth, ...body } }, student) => {
      const { tx } = context
      const sees = await personalDataSeenBy(context)
      await demandFreeNumber(tx, student.school_id, body.studentNumber, student.id)
      const personal = personalPatch({ gender, dateOfBirth }, sees(student.id))
      const changed = await tx.update('student', student, { ...columnsOf(body), ...personal }).catch(orDuplicate)
      return seenPupil(sees)(changed)
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
