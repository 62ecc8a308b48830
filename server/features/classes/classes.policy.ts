import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { and, asc, eq, getTableColumns } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import { asSystem, asUser } from '../../store/tx.ts'
import { type PolicyContext, rowOf } from '../policy.ts'
import { membershipOf } from '../schools/schools.policy.ts'
import { enrolmentsInClass } from './enrolment.queries.ts'

/**
 * Whether a user is an active teacher or administrator of the caller's school. Locks their membership until the commit, as the service,
 * because Postgres locks no row that the caller may not change.
 */
export async function staysTeacher({ tx, caller }: PolicyContext, userId: string): Promise<boolean> {
  await tx.actAs(asSystem(caller.user_id))
  const [membership] = await membershipOf(tx, { school: caller.school_id, user: userId })
  await tx.actAs(asUser(caller.user_id))
  return membership?.is_active === true && membership.role !== 'member'
}

/** Throws 404 for a user who is not such a teacher. */
export async function demandTeacher(context: PolicyContext, userId: string | undefined): Promise<void> {
  if (userId !== undefined && !(await staysTeacher(context, userId))) throw common.notFound()
}

/** The enrolments of these students in a year, with the name of the class. `ids` is a JSON array. */
export const enrolmentsInYear = statement<{ school: string; year: string; ids: string }>()(({ db, t, p, dialect }) => {
  const { enrolment, student_group } = t
  return db
    .select({ ...getTableColumns(enrolment), class_name: student_group.name })
    .from(enrolment)
    .innerJoin(student_group, matches(student_group, { school_id: enrolment.school_id, id: enrolment.student_group_id }))
    .where(and(matches(enrolment, { school_id: p.school, academic_year_id: p.year }), dialect.inList(enrolment.student_id, p.ids)))
})

/** A student's enrolment in the class; 404 where the student is absent, another school's, or not in the class. */
export async function placeOf(context: PolicyContext, group: Row<'student_group'>, studentId: string): Promise<Row<'enrolment'>> {
  await rowOf(context, 'student', studentId)
  const inClass = { school: group.school_id, group: group.id, ids: JSON.stringify([studentId]) }
  const [enrolment] = await enrolmentsInClass(context.tx, inClass)
  if (!enrolment) throw common.notFound()
  return enrolment
}

/** The students of a class with their enrolment, by last name, first name, id. */
export const studentsOfClass = statement<{ school: string; group: string }>()(({ db, t, p }) => {
  const { student, enrolment } = t
  return db
    .select({ ...getTableColumns(student), enrollment_id: enrolment.id })
    .from(enrolment)
    .innerJoin(student, matches(student, { school_id: enrolment.school_id, id: enrolment.student_id }))
    .where(matches(enrolment, { school_id: p.school, student_group_id: p.group }))
    .orderBy(asc(student.sort_key), asc(student.id))
})

/** The subjects assigned to the students of a class. */
export const subjectsInClass = rowsBy(
  'student_subject',
  { school: 'school_id', group: 'student_group_id' },
  { orderBy: ['student_id', 'id'] },
)

/** The teachers assigned to a class; only people with a membership, whom row-level security shows to colleagues. */
export const teachersOfClass = statement<{ school: string; group: string }>()(({ db, t, p }) => {
  const { teacher_group_assignment: assignment, school_management, user_profile, class_teacher } = t
  return db
    .select({ ...pick(user_profile, 'id', 'first_name', 'last_name'), class_teacher_id: class_teacher.user_profile_id })
    .from(assignment)
    .innerJoin(school_management, matches(school_management, { school_id: assignment.school_id, user_id: assignment.user_profile_id }))
    .innerJoin(user_profile, eq(user_profile.id, assignment.user_profile_id))
    .leftJoin(class_teacher, matches(class_teacher, { school_id: assignment.school_id, student_group_id: assignment.student_group_id }))
    .where(matches(assignment, { school_id: p.school, student_group_id: p.group }))
})

/** The subject teachers of a class. */
export const subjectsTaughtIn = statement<{ school: string; group: string }>()(({ db, t, p }) => {
  const { teacher_subject_assignment: assignment, subject } = t
  return db
    .select({ teacher_id: assignment.user_profile_id, ...pick(subject, 'id', 'name', 'code', 'sort_order') })
    .from(assignment)
    .innerJoin(subject, matches(subject, { school_id: assignment.school_id, id: assignment.subject_id }))
    .where(matches(assignment, { school_id: p.school, student_group_id: p.group }))
})
