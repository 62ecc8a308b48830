import { classes, classFailures } from '@markbook/shared/contract/classes'
import { compareText, sortKey } from '@markbook/shared/domain/fold'
import { inSubjectOrder } from '@markbook/shared/domain/subjects-taken'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { classOf, type PolicyContext } from '../policy.ts'
import { subjectsOf } from '../references.ts'
import { demandTeacher, subjectsTaughtIn, teachersOfClass } from './classes.policy.ts'
import { assignTeacher, setSubjects } from './teachers.assign.ts'
import { groupAssignmentOf, subjectAssignmentsOf, teachersOfSchool } from './teachers.queries.ts'

type Group = Row<'student_group'>
type Named = { id: string; first_name: string | null; last_name: string | null }

const nameKey = ({ first_name, last_name }: Named) => sortKey(last_name ?? '', first_name ?? '')
const byName = (a: Named, b: Named) => compareText(nameKey(a), nameKey(b)) || compareText(a.id, b.id)

/** The teachers of a class: the class teacher first, the others by name. */
async function teachersIn(tx: ReadTx, { school_id, id }: Group) {
  const inClass = { school: school_id, group: id }
  const taught = inSubjectOrder(await subjectsTaughtIn(tx, inClass))
  const people = (await teachersOfClass(tx, inClass)).map((person) => ({ ...person, leads: person.id === person.class_teacher_id }))
  return people
    .sort((a, b) => Number(b.leads) - Number(a.leads) || byName(a, b))
    .map(({ id: teacherId, first_name: firstName, last_name: lastName, leads: isClassTeacher }) => {
      const subjects = taught.filter(({ teacher_id }) => teacher_id === teacherId)
      return { teacherId, firstName, lastName, isClassTeacher, subjects }
    })
}

async function teacherIn(tx: ReadTx, group: Group, teacherId: string) {
  const teacher = (await teachersIn(tx, group)).find((one) => one.teacherId === teacherId)
  if (!teacher) throw common.notFound()
  return teacher
}

async function nameClassTeacher(tx: WriteTx, { id, school_id }: Group, user: string) {
  const before = await tx.find('class_teacher', school_id, id)
  if (before) await tx.update('class_teacher', before, { user_profile_id: user })
  else await tx.insert('class_teacher', { id, school_id, student_group_id: id, user_profile_id: user })
}

/** Loads a class that the caller manages; throws 404 unless the named teacher belongs to the school. */
async function classForTeacher(context: PolicyContext, classId: string, teacherId: string | undefined): Promise<Group> {
  const { group } = await classOf(context, 'manageClass', classId)
  await demandTeacher(context, teacherId)
  return group
}

export const teacherHandlers = {
  schoolTeachers: onGuard(classes.schoolTeachers, async ({ tx, caller }) => {
    const teachers = await teachersOfSchool(tx, { school: caller.school_id })
    return teachers.sort(byName)
  }),

  teachers: on(classes.teachers, {
    load: (context, { params }) => classOf(context, 'readClass', params.classId),
    run: ({ tx }, _input, { group }) => teachersIn(tx, group),
  }),

  addTeacher: on(classes.addTeacher, {
    load: (context, { params, targets }) => classForTeacher(context, params.classId, targets['teacherId']),
    run: async ({ tx }, { body }, group) => {
      const subjects = await subjectsOf(tx, group.school_id, body.subjectIds)
      await assignTeacher(tx, group, body.teacherId)
      await setSubjects(tx, group, body.teacherId, subjects)
      return teacherIn(tx, group, body.teacherId)
    },
  }),

  removeTeacher: on(classes.removeTeacher, {
    load: async (context, { params }) => {
      const { group } = await classOf(context, 'manageClass', params.classId)
      const inClass = { school: group.school_id, group: group.id, user: params.teacherId }
      const [assigned] = await groupAssignmentOf(context.tx, inClass)
      if (!assigned) throw common.notFound()
      const register = await context.tx.find('class_teacher', group.school_id, group.id)
      if (register?.user_profile_id === params.teacherId) throw classFailures.classTeacherStays()
      return { assigned, inClass }
    },
    run: async ({ tx }, _input, { assigned, inClass }) => {
      await tx.remove('teacher_subject_assignment', await subjectAssignmentsOf(tx, inClass))
      await tx.remove('teacher_group_assignment', [assigned])
      return { message: 'The teacher was removed from the class.' }
    },
  }),

  handOver: on(classes.handOver, {
    load: (context, { params, targets }) => classForTeacher(context, params.classId, targets['teacherId']),
    run: async ({ tx }, { body }, group) => {
      await assignTeacher(tx, group, body.teacherId)
      await nameClassTeacher(tx, group, body.teacherId)
      return teacherIn(tx, group, body.teacherId)
    },
  }),
} satisfies Partial<Handlers<typeof classes>>
