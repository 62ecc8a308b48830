import { academicYears } from '@markbook/shared/contract/academic-years'
import { assessmentCategories } from '@markbook/shared/contract/assessment-categories'
import { assessments } from '@markbook/shared/contract/assessments'
import { attendance } from '@markbook/shared/contract/attendance'
import { classes } from '@markbook/shared/contract/classes'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { gradingScale } from '@markbook/shared/contract/grading-scale'
import { replicationFailures } from '@markbook/shared/contract/replication'
import { students } from '@markbook/shared/contract/students'
import { subjects } from '@markbook/shared/contract/subjects'
import { teachingSets } from '@markbook/shared/contract/teaching-sets'
import { terms } from '@markbook/shared/contract/terms'
import type { Replicated } from '@markbook/shared/tables/tables'
import { linksFrom, parentIdOf } from '../../store/replica/links.ts'
import type { WriteTx } from '../../store/tx.ts'
import { academicYearHandlers } from '../academic-years/academic-years.handlers.ts'
import { assessmentCategoryHandlers } from '../assessment-categories/assessment-categories.handlers.ts'
import { assessmentHandlers } from '../assessments/assessments.handlers.ts'
import { attendanceHandlers } from '../attendance/attendance.handlers.ts'
import { classHandlers } from '../classes/classes.handlers.ts'
import { staysTeacher } from '../classes/classes.policy.ts'
import { subjectAssignmentsOf } from '../classes/teachers.queries.ts'
import { columnOf } from '../columns.ts'
import { gradingScaleHandlers } from '../grading-scale/grading-scale.handlers.ts'
import type { UndoContext } from '../history/undo.ts'
import { loadRequest, runRequest, type WriteRequest, writeRequest } from '../history/write-request.ts'
import { studentHandlers } from '../students/students.handlers.ts'
import { subjectHandlers } from '../subjects/subjects.handlers.ts'
import { teachingSetHandlers } from '../teaching-sets/teaching-sets.handlers.ts'
import { membersOfSet, teachersOfSet } from '../teaching-sets/teaching-sets.queries.ts'
import { termHandlers } from '../terms/terms.handlers.ts'
import { toUndoingFailure } from './writers.ts'

type Values = Readonly<Record<string, unknown>>
/** `units`: parts of the row that the endpoint does not write when it makes it. They are written after that. */
type Maker = { ask(row: Values, context: UndoContext): WriteRequest | Promise<WriteRequest>; units?: readonly string[] }

/** The body has the columns of its fields; null is left out, as by a person who leaves a field empty. */
function created(endpoint: Endpoint, handler: unknown, units: readonly string[] = []): Maker {
  const { body } = endpoint
  const fields = body === undefined || body === 'multipart' || !('shape' in body) ? [] : Object.keys(body.shape as object)
  return {
    ask: (row) => {
      const said = fields.flatMap((field) => (row[columnOf(field)] == null ? [] : [[field, row[columnOf(field)]]]))
      return writeRequest(endpoint, handler, {}, Object.fromEntries(said))
    },
    units,
  }
}

const registered = ({ student_group_id: classId, day, lesson }: Values, marks: readonly Values[]): WriteRequest =>
  writeRequest(attendance.take, attendanceHandlers.take, { classId }, { day, lesson, marks })

type Ask = Maker['ask']

/** The endpoint sets all subjects of a teacher in a class: the present ones, and this one. */
const taught: Ask = async ({ student_group_id: classId, user_profile_id: teacherId, subject_id }, { tx, caller }) => {
  const own = await subjectAssignmentsOf(tx, { school: caller.school_id, group: classId as string, user: teacherId as string })
  const subjectIds = withOne(subject_id, own, 'subject_id')
  return writeRequest(classes.addTeacher, classHandlers.addTeacher, { classId }, { teacherId, subjectIds })
}

const setChanged = (id: unknown, body: Values) => writeRequest(teachingSets.update, teachingSetHandlers.update, { id }, body)
/** Likewise all teachers of a set. */
const teachesSet: Ask = async ({ teaching_set_id: id, user_profile_id }, { tx, caller }) => {
  const own = await teachersOfSet(tx, { school: caller.school_id, set: id as string })
  return setChanged(id, { teacherIds: withOne(user_profile_id, own, 'user_profile_id') })
}
/** Likewise all students of a set. */
const isInSet: Ask = async ({ teaching_set_id: id, student_id }, { tx, caller }) => {
  const own = await membersOfSet(tx, { school: caller.school_id, set: id as string })
  return setChanged(id, { studentIds: withOne(student_id, own, 'student_id') })
}

/** Its class teacher is the person who created it or, where that person is no longer a teacher, the one who keeps it. */
const openedClass: Ask = async ({ name, academic_year_id: academicYearId, created_by }, context) => {
  const isTeacher = typeof created_by === 'string' && (await staysTeacher(context, created_by))
  return writeRequest(classes.create, classHandlers.create, {}, { name, academicYearId, ...(isTeacher && { classTeacherId: created_by }) })
}

/** This column of the rows, and the value where none has it and there is one. */
function withOne<K extends string>(value: unknown, rows: readonly Record<K, unknown>[], column: K): unknown[] {
  const all = rows.map((row) => row[column])
  return value === undefined || all.includes(value) ? all : [...all, value]
}

/**
 * The endpoint that creates such a row. Absent for tables that are computed (a report book is generated again) and for those that no laptop
 * writes (a member).
 */
const makers: Partial<Record<string, Maker>> = {
  academic_year: created(academicYears.create, academicYearHandlers.create),
  active_year: {
    ask: ({ academic_year_id: id }) => writeRequest(academicYears.activate, academicYearHandlers.activate, { id }),
  },
  term: created(terms.create, termHandlers.create),
  subject: created(subjects.create, subjectHandlers.create, ['is_active']),
  grading_scale: created(gradingScale.put, gradingScaleHandlers.put),
  student: created(students.create, studentHandlers.create, ['is_active']),
  student_group: { ask: openedClass },
  teacher_group_assignment: { ask: taught },
  teacher_subject_assignment: { ask: taught },
  class_teacher: {
    ask: ({ student_group_id: classId, user_profile_id: teacherId }) =>
      writeRequest(classes.handOver, classHandlers.handOver, { classId }, { teacherId }),
  },
  enrolment: {
    ask: ({ student_group_id: id, student_id: studentId }) => writeRequest(classes.enroll, classHandlers.enroll, { id }, { studentId }),
  },
  student_subject: {
    ask: ({ student_group_id: id, student_id: studentId, subject_id }) =>
      writeRequest(classes.assignSubjects, classHandlers.assignSubjects, { id }, { studentId, subjectIds: [subject_id] }),
  },
  teaching_set: created(teachingSets.create, teachingSetHandlers.create),
  teaching_set_teacher: { ask: teachesSet },
  teaching_set_member: { ask: isInSet },
  assessment_category: created(assessmentCategories.create, assessmentCategoryHandlers.create),
  assessment: created(assessments.create, assessmentHandlers.create, ['exclusion']),
  attendance_register: { ask: (row) => registered(row, []) },
  attendance_mark: { ask: (row) => registered(row, [{ studentId: row['student_id'], code: row['code'], note: row['note'] ?? null }]) },
}

/** Whether rows of this table are created through an endpoint. */
export const isMade = (entity: string): boolean => Object.hasOwn(makers, entity)

/**
 * Creates a row that is not here, under the id that it had: rows that name it stay valid, and a row that is kept at two nodes is one row.
 * Returns the units that the endpoint did not write. Throws 409 where the table has no such endpoint, or a parent row is missing.
 */
export async function makeAgain(context: UndoContext, entity: string, row: Values): Promise<readonly string[]> {
  const maker = makers[entity]
  if (!maker) throw replicationFailures.cannotResolve()
  // Locks the parent rows before a list that is set as a whole is read.
  await demandParents(context, entity, row)
  const request = await maker.ask(row, context)
  const own = { ...context, tx: withFirstId(context.tx as WriteTx, row['id'] as string) } as UndoContext
  await runRequest(own, request, await loadRequest(own, request).catch(toUndoingFailure))
  return maker.units ?? []
}

/** The same transaction, in which the next new row gets this id. */
function withFirstId(tx: WriteTx, id: string): WriteTx {
  let isTaken = false
  const newId = () => {
    if (isTaken) return tx.newId()
    isTaken = true
    return id
  }
  return { ...tx, newId }
}

/** Rows that the endpoint of a row makes with it, and people, who are not deleted. */
const MADE_WITH_IT: readonly string[] = ['teacher_group_assignment', 'user_profile', 'school']

/** Throws 409 where something that the row belongs to is not here, as its class, its assessment or its pupil. */
export async function demandParents({ tx, caller }: UndoContext, entity: string, row: Values): Promise<void> {
  for (const link of linksFrom(entity as Replicated)) {
    const id = MADE_WITH_IT.includes(link.parent) ? null : parentIdOf(link, row as { id: string })
    if (id !== null && !(await tx.find(link.parent, caller.school_id, id))) throw replicationFailures.belongsToNothing()
  }
}
