import { classes, classFailures } from '@markbook/shared/contract/classes'
import { inSubjectOrder } from '@markbook/shared/domain/subjects-taken'
import { common, type Issue } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on } from '../../http/handler.ts'
import type { WriteTx } from '../../store/tx.ts'
import { classOf, rowOf } from '../policy.ts'
import { inOrder, orNotFound, subjectsOf } from '../references.ts'
import { placeOf, subjectsInClass } from './classes.policy.ts'
import { enrolmentsInClass, studentsById } from './enrolment.queries.ts'
import { studentsOfSubject, subjectsOfStudent } from './student-subjects.queries.ts'

type Group = Row<'student_group'>
type StudentSubject = Row<'student_subject'>
type Pair = { student_id: string; subject_id: string }

const keyOf = ({ student_id, subject_id }: Pair) => `${student_id} ${subject_id}`

/** Throws 400 where one of the students is not in the class; for a list, with an issue for each. */
async function demandEnrolled(tx: WriteTx, { school_id, id: group }: Group, students: readonly Row<'student'>[]) {
  const enrolments = await enrolmentsInClass(tx, { school: school_id, group, ids: JSON.stringify(students.map(({ id }) => id)) })
  const enrolled = new Set(enrolments.map((row) => row.student_id))
  const issues = students.flatMap(({ id, first_name, last_name }, at): Issue[] =>
    enrolled.has(id) ? [] : [{ path: `studentIds.${at}`, message: `${first_name} ${last_name} is not in the class.` }],
  )
  if (issues[0]) throw classFailures.notEnrolled({ message: issues[0].message, ...(students.length > 1 && { issues }) })
}

/** Inserts the pairs that are not in `current`; returns a row for each pair, in order. */
async function give(tx: WriteTx, { id: student_group_id, school_id }: Group, current: readonly StudentSubject[], pairs: readonly Pair[]) {
  const had = new Set(current.map(keyOf))
  const rows = pairs
    .filter((pair) => !had.has(keyOf(pair)))
    .map((pair) => {
      const id = naturalId('student_subject', pair.student_id, pair.subject_id, student_group_id)
      return { id, school_id, ...pair, student_group_id }
    })
  const given = new Map([...current, ...(await tx.insert('student_subject', rows).catch(orNotFound))].map((row) => [keyOf(row), row]))
  return pairs.flatMap((pair) => given.get(keyOf(pair)) ?? [])
}

export const studentSubjectHandlers = {
  studentSubjects: on(classes.studentSubjects, {
    load: async (context, { params }) => {
      const { group } = await classOf(context, 'readClass', params.id)
      return placeOf(context, group, params.sid)
    },
    run: async ({ tx }, _input, { school_id: school, student_group_id: group, student_id: student }) => {
      const given = await subjectsOfStudent(tx, { school, group, student })
      const ids = given.map((row) => row.subject_id)
      return inSubjectOrder(await subjectsOf(tx, school, ids))
    },
  }),

  subjectsTaken: on(classes.subjectsTaken, {
    load: async (context, { params }) => (await classOf(context, 'readClass', params.id)).group,
    run: ({ tx }, _input, { school_id: school, id: group }) => subjectsInClass(tx, { school, group }),
  }),

  assignSubjects: on(classes.assignSubjects, {
    load: async (context, { params, targets }) => {
      const { group } = await classOf(context, 'manageClass', params.id)
      return { group, student: await rowOf(context, 'student', targets['studentId']) }
    },
    run: async ({ tx }, { body }, { group, student }) => {
      const subjects = await subjectsOf(tx, group.school_id, body.subjectIds)
      await demandEnrolled(tx, group, [student])
      const current = await subjectsOfStudent(tx, { school: group.school_id, group: group.id, student: student.id })
      const pairs = subjects.map(({ id: subject_id }) => ({ student_id: student.id, subject_id }))
      return give(tx, group, current, pairs)
    },
  }),

  assignSubjectBulk: on(classes.assignSubjectBulk, {
    load: async (context, { params, targets }) => {
      const { group } = await classOf(context, 'manageClass', params.id)
      if (targets['subjectId']) await subjectsOf(context.tx, group.school_id, [targets['subjectId']])
      return group
    },
    run: async ({ tx }, { body }, group) => {
      const found = await studentsById(tx, { school: group.school_id, ids: JSON.stringify(body.studentIds) })
      const students = inOrder(found, body.studentIds)
      await demandEnrolled(tx, group, students)
      const current = await studentsOfSubject(tx, { school: group.school_id, group: group.id, subject: body.subjectId })
      const pairs = students.map(({ id: student_id }) => ({ student_id, subject_id: body.subjectId }))
      return give(tx, group, current, pairs)
    },
  }),

  removeStudentSubject: on(classes.removeStudentSubject, {
    load: async (context, { params }) => {
      const { group } = await classOf(context, 'manageClass', params.id)
      const inClass = { school: group.school_id, group: group.id, student: params.sid }
      const given = (await subjectsOfStudent(context.tx, inClass)).find((row) => row.subject_id === params.subjectId)
      if (!given) throw common.notFound()
      return given
    },
    run: async ({ tx }, _input, given) => {
      await tx.remove('student_subject', [given])
      return { message: 'The subject was taken from the student.' }
    },
  }),
} satisfies Partial<Handlers<typeof classes>>
