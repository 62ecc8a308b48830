import { type StudentInput, studentFailures, students } from '@markbook/shared/contract/students'
import { searchTerm } from '@markbook/shared/domain/fold'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import { isReferenceViolation, isUniqueViolation } from '../../store/errors.ts'
import type { WriteTx } from '../../store/tx.ts'
import { importTemplate } from '../imports/import-template.ts'
import { demandInClass, rowOf } from '../policy.ts'
import { holdersOfNumber, resultsOfStudent, studentsFound } from './students.queries.ts'

type Student = Row<'student'>
type Changes = Partial<StudentInput & { isActive: boolean }>

const columnsOf = (body: Changes) => ({
  ...(body.firstName !== undefined && { first_name: body.firstName }),
  ...(body.lastName !== undefined && { last_name: body.lastName }),
  ...(body.gender !== undefined && { gender: body.gender }),
  ...(body.dateOfBirth !== undefined && { date_of_birth: body.dateOfBirth }),
  ...(body.enrollmentDate !== undefined && { enrollment_date: body.enrollmentDate }),
  ...(body.studentNumber !== undefined && { student_number: body.studentNumber }),
  ...(body.isActive !== undefined && { is_active: body.isActive }),
})

async function demandFreeNumber(tx: WriteTx, school: string, number: string | null | undefined, ownId?: string) {
  if (number === null || number === undefined) return
  const holders = await holdersOfNumber(tx, { school, number })
  if (holders.some(({ id }) => id !== ownId)) throw studentFailures.duplicateNumber()
}

const orDuplicate = (error: unknown): never => {
  throw isUniqueViolation(error) ? studentFailures.duplicateNumber() : error
}
/** A mark that was saved between the check and the deletion. */
const orHasResults = (error: unknown): never => {
  throw isReferenceViolation(error) ? studentFailures.hasResults() : error
}

export const studentHandlers: Handlers<typeof students> = {
  list: on(students.list, {
    load: async (scene, { targets }) => {
      if (targets['classId'] === undefined) return
      const group = await rowOf(scene, 'student_group', targets['classId'])
      await demandInClass(scene, 'readClass', group.id)
    },
    run: ({ tx, caller }, { query }) =>
      studentsFound(tx, {
        school: caller.school_id,
        search: searchTerm(query.search ?? ''),
        isActive: query.isActive,
        group: query.classId,
      }),
  }),

  importTemplate,

  get: on(students.get, {
    load: (scene, { params }) => rowOf(scene, 'student', params.id),
    run: async (_scene, _asked, student) => student,
  }),

  create: onGuard(students.create, async ({ tx, caller }, { body }) => {
    await demandFreeNumber(tx, caller.school_id, body.studentNumber)
    const absent = { date_of_birth: null, enrollment_date: null, student_number: null }
    const row = { id: tx.newId(), school_id: caller.school_id, is_active: true, ...absent, ...columnsOf(body) }
    const [student] = await tx.insert('student', [row as Student]).catch(orDuplicate)
    return student as Student
  }),

  update: on(students.update, {
    load: (scene, { params }) => rowOf(scene, 'student', params.id),
    run: async ({ tx }, { body }, student) => {
      await demandFreeNumber(tx, student.school_id, body.studentNumber, student.id)
      const [updated] = await tx.update('student', [{ before: student, patch: columnsOf(body) }]).catch(orDuplicate)
      return updated as Student
    },
  }),

  remove: on(students.remove, {
    load: (scene, { params }) => rowOf(scene, 'student', params.id),
    run: async ({ tx }, _asked, student) => {
      for (const results of resultsOfStudent) {
        if ((await results(tx, { school: student.school_id, student: student.id })).length > 0) throw studentFailures.hasResults()
      }
      await tx.remove('student', [student]).catch(orHasResults)
      return { message: 'The student was deleted.' }
    },
  }),
}
