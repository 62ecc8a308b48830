import { classes, enrolmentFailures } from '@markbook/shared/contract/classes'
import { fullName } from '@markbook/shared/domain/full-name'
import type { Issue } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on } from '../../http/handler.ts'
import { personalDataSeenBy, seenPupil } from '../../replication/scope/personal-data.ts'
import type { WriteTx } from '../../store/tx.ts'
import { classOf, rowOf } from '../policy.ts'
import { inOrder } from '../references.ts'
import { enrolmentsInYear, placeOf, studentsOfClass } from './classes.policy.ts'
import { studentsById } from './enrolment.queries.ts'
import { subjectsOfStudent } from './student-subjects.queries.ts'

type Student = Row<'student'>
type Enrolment = Row<'enrolment'>

const alreadyIn = (student: Student, className: string) => `${fullName(student)} is already in the class ${className} that year.`

/**
 * Enrols students, whose rows are locked, in a class; returns a row for each, in order. A student of the class keeps their row. A student
 * of another class of the year makes the whole request a 409.
 */
async function enrol(tx: WriteTx, group: Row<'student_group'>, students: readonly Student[]): Promise<Enrolment[]> {
  const { id: student_group_id, school_id, academic_year_id } = group
  const ids = JSON.stringify(students.map(({ id }) => id))
  const places = await enrolmentsInYear(tx, { school: school_id, year: academic_year_id, ids })
  const placeByStudent = new Map(places.map((place) => [place.student_id, place]))
  const issues = students.flatMap((student, at): Issue[] => {
    const place = placeByStudent.get(student.id)
    const elsewhere = place && place.student_group_id !== student_group_id
    return elsewhere ? [{ path: `studentIds.${at}`, message: alreadyIn(student, place.class_name) }] : []
  })
  if (issues[0]) throw enrolmentFailures.alreadyEnrolled({ message: issues[0].message, ...(students.length > 1 && { issues }) })
  const rows = students
    .filter(({ id }) => !placeByStudent.has(id))
    .map(({ id: student_id }) => {
      const id = naturalId('enrolment', student_id, academic_year_id)
      return { id, school_id, student_id, student_group_id, academic_year_id, enrolled_at: tx.now }
    })
  const rowByStudent = new Map([...places, ...(await tx.insert('enrolment', rows))].map((row) => [row.student_id, row]))
  return students.flatMap(({ id }) => rowByStudent.get(id) ?? [])
}

export const enrolmentHandlers = {
  students: on(classes.students, {
    load: (context, { params }) => classOf(context, 'readClass', params.id),
    run: async (context, _input, { group }) => {
      const pupils = await studentsOfClass(context.tx, { school: group.school_id, group: group.id })
      return pupils.map(seenPupil(await personalDataSeenBy(context)))
    },
  }),

  enroll: on(classes.enroll, {
    load: async (context, { params, targets }) => {
      const { group } = await classOf(context, 'manageClass', params.id)
      return { group, student: await rowOf(context, 'student', targets['studentId']) }
    },
    run: async ({ tx }, _input, { group, student }) => {
      const [enrolment] = await enrol(tx, group, [student])
      return enrolment as Enrolment
    },
  }),

  enrollBulk: on(classes.enrollBulk, {
    load: (context, { params }) => classOf(context, 'manageClass', params.id),
    run: async ({ tx }, { body }, { group }) => {
      const students = await studentsById(tx, { school: group.school_id, ids: JSON.stringify(body.studentIds) })
      return enrol(tx, group, inOrder(students, body.studentIds))
    },
  }),

  unenroll: on(classes.unenroll, {
    load: async (context, { params }) => {
      const { group } = await classOf(context, 'manageClass', params.id)
      return placeOf(context, group, params.studentId)
    },
    run: async ({ tx }, _input, enrolment) => {
      const { school_id: school, student_group_id: group, student_id: student } = enrolment
      await tx.remove('student_subject', await subjectsOfStudent(tx, { school, group, student }))
      await tx.remove('enrolment', [enrolment])
      return { message: 'The student was taken out of the class.' }
    },
  }),
} satisfies Partial<Handlers<typeof classes>>
