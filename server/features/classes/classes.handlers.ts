import { classes, classFailures } from '@markbook/shared/contract/classes'
import { byFoldedName, compareText } from '@markbook/shared/domain/fold'
import { inSubjectOrder } from '@markbook/shared/domain/subjects-taken'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on } from '../../http/handler.ts'
import { isUniqueViolation } from '../../store/errors.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { classOf, rowOf, yearOf } from '../policy.ts'
import { failureFor, orNotFound, subjectsOf } from '../references.ts'
import { staysTeacher } from './classes.policy.ts'
import { assessmentsOfClass, classesFor, classesNamed, reportsOfClass, subjectsOfSchool } from './classes.queries.ts'
import { enrolmentHandlers } from './enrolment.handlers.ts'
import { progress } from './progress.handler.ts'
import { enrolledIn } from './progress.queries.ts'
import { studentSubjectHandlers } from './student-subjects.handlers.ts'
import { assignTeacher, setSubjects } from './teachers.assign.ts'
import { teacherHandlers } from './teachers.handlers.ts'

type Group = Row<'student_group'>

async function demandFreeName(
  tx: ReadTx,
  { school_id, academic_year_id, name }: Pick<Group, 'school_id' | 'academic_year_id' | 'name'>,
  ownId?: string,
) {
  const namesakes = await classesNamed(tx, { school: school_id, year: academic_year_id, name })
  if (namesakes.some(({ id }) => id !== ownId)) throw classFailures.duplicateName()
}

const orDuplicate = failureFor(isUniqueViolation, classFailures.duplicateName)

type Listed = Awaited<ReturnType<typeof classesFor>>[number]
/** Newest year first, then by name; years with the same first day are not mixed. */
const byYearAndName = (a: Listed, b: Listed) =>
  compareText(b.start_date, a.start_date) || compareText(a.academic_year_id, b.academic_year_id) || byFoldedName(a, b)

async function openClass(tx: WriteTx, row: Pick<Group, 'school_id' | 'academic_year_id' | 'name' | 'created_by'>, user: string) {
  const group = await tx
    .insert('student_group', { id: tx.newId(), ...row })
    .catch(orDuplicate)
    .catch(orNotFound)
  const { id, school_id } = group
  await assignTeacher(tx, group, user)
  await tx.insert('class_teacher', { id, school_id, student_group_id: id, user_profile_id: user })
  return group
}

const ownHandlers = {
  list: on(classes.list, {
    load: async (context, { targets }) => {
      if (targets['academicYearId'] !== undefined) await rowOf(context, 'academic_year', targets['academicYearId'])
    },
    run: async ({ tx, caller }, { query }) => {
      const rows = await classesFor(tx, caller)
      return rows
        .filter((row) => query.academicYearId === undefined || row.academic_year_id === query.academicYearId)
        .sort(byYearAndName)
        .map(({ id, name, academic_year_id, class_teacher_id, leader_id, first_name, last_name }) => ({
          id,
          name,
          academicYearId: academic_year_id,
          isClassTeacher: class_teacher_id === caller.user_id,
          class_teacher: leader_id === null ? null : { id: leader_id, first_name, last_name },
        }))
    },
  }),

  create: on(classes.create, {
    load: async (context, { targets }) => {
      const { caller } = context
      const first = targets['classTeacherId'] ?? caller.user_id
      if (first !== caller.user_id && caller.role !== 'admin') throw common.forbidden()
      if (!(await staysTeacher(context, first))) throw first === caller.user_id ? common.forbidden() : common.notFound()
      return { year: await yearOf(context, targets['academicYearId']), first }
    },
    run: async ({ tx, caller }, { body }, { year, first }) => {
      const subjects = await subjectsOf(tx, year.school_id, body.subjectIds ?? [])
      const row = { school_id: year.school_id, academic_year_id: year.id, name: body.name }
      await demandFreeName(tx, row)
      const group = await openClass(tx, { ...row, created_by: caller.user_id }, first)
      await setSubjects(tx, group, first, subjects)
      return group
    },
  }),

  get: on(classes.get, {
    load: (context, { params }) => classOf(context, 'readClass', params.classId),
    run: async (_context, _input, { group, facts }) => ({ ...group, is_class_teacher: facts.isClassTeacher }),
  }),

  update: on(classes.update, {
    load: (context, { params }) => classOf(context, 'manageClass', params.classId),
    run: async ({ tx }, { body }, { group }) => {
      const patch = body.name === undefined ? {} : { name: body.name }
      await demandFreeName(tx, { ...group, ...patch }, group.id)
      return tx.update('student_group', group, patch).catch(orDuplicate)
    },
  }),

  remove: on(classes.remove, {
    load: (context, { params }) => classOf(context, 'manageClass', params.classId),
    run: async ({ tx }, _input, { group }) => {
      const inClass = { school: group.school_id, group: group.id }
      await assessmentsOfClass(tx, inClass)
      const reports = await reportsOfClass(tx, inClass)
      if (reports.some(({ status }) => status === 'sent_to_ministry')) throw classFailures.sentReports()
      await tx.remove('student_group', [group])
      return { message: 'The class was deleted.' }
    },
  }),

  mySubjects: on(classes.mySubjects, {
    load: (context, { params }) => classOf(context, 'readClass', params.classId),
    run: async ({ tx, caller }, _input, { group, facts }) => {
      const subjects = inSubjectOrder(await subjectsOfSchool(tx, { school: group.school_id }))
      const every = caller.role === 'admin' || facts.isClassTeacher
      return every ? subjects : subjects.filter(({ id }) => facts.subjectIds.has(id))
    },
  }),
} satisfies Partial<Handlers<typeof classes>>

export const classHandlers: Handlers<typeof classes> = {
  places: on(classes.places, {
    load: (context, { targets }) => rowOf(context, 'academic_year', targets['academicYearId']),
    run: async ({ tx, caller }, _input, year) => {
      const all = await classesFor(tx, caller)
      const groups = all.flatMap(({ id, academic_year_id }) => (academic_year_id === year.id ? [id] : []))
      return enrolledIn(tx, { school: caller.school_id, groups: JSON.stringify(groups) })
    },
  }),

  progress,
  ...ownHandlers,
  ...teacherHandlers,
  ...enrolmentHandlers,
  ...studentSubjectHandlers,
}
