import type { StudentOfSet } from '@markbook/shared/contract/teaching-sets'
import { byFoldedName } from '@markbook/shared/domain/fold'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { and, asc, eq } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import type { PolicyContext } from '../policy.ts'

/** A set; not locked, since a teacher may not lock rows that only an administrator writes. */
const setById = rowsBy('teaching_set', { school: 'school_id', id: 'id' })
const isTeacherOf = rowsBy('teaching_set_teacher', { school: 'school_id', set: 'teaching_set_id', user: 'user_profile_id' })

/** A set of the caller's school; else 404. */
export async function setNamed({ tx, caller }: PolicyContext, id: string): Promise<Row<'teaching_set'>> {
  const [set] = await setById(tx, { school: caller.school_id, id })
  if (!set) throw common.notFound()
  return set
}

/** A set that the caller teaches, or any for an administrator: 404 where it is absent or another school's, else 403. */
export async function readableSet({ tx, caller }: PolicyContext, id: string | undefined): Promise<Row<'teaching_set'>> {
  const [set] = id === undefined ? [] : await setById(tx, { school: caller.school_id, id })
  if (!set) throw common.notFound()
  if (caller.role === 'admin') return set
  const taught = await isTeacherOf(tx, { school: set.school_id, set: set.id, user: caller.user_id })
  if (caller.role !== 'teacher' || taught.length === 0) throw common.forbidden()
  return set
}

const studentsByName = statement<{ school: string; set: string }>()(({ db, t, p }) => {
  const { teaching_set, teaching_set_member: member, student, enrolment, student_group } = t
  return db
    .select({
      ...pick(student, 'id', 'first_name', 'last_name'),
      class_id: student_group.id,
      class_name: student_group.name,
    })
    .from(teaching_set)
    .innerJoin(member, matches(member, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id }))
    .innerJoin(student, matches(student, { school_id: member.school_id, id: member.student_id }))
    .leftJoin(
      enrolment,
      matches(enrolment, { school_id: student.school_id, student_id: student.id, academic_year_id: teaching_set.academic_year_id }),
    )
    .leftJoin(student_group, matches(student_group, { school_id: enrolment.school_id, id: enrolment.student_group_id }))
    .where(and(eq(teaching_set.school_id, p.school), eq(teaching_set.id, p.set)))
    .orderBy(asc(student.sort_key), asc(student.id))
})

/** Who teaches the students of a class in sets, by name; only people with a membership, whom row-level security shows to colleagues. */
export const setTeachersOfClass = statement<{ school: string; group: string }>()(({ db, t, p }) => {
  const { enrolment, teaching_set_member: member, teaching_set, teaching_set_teacher: taught, school_management, user_profile } = t
  return db
    .select({ student_id: member.student_id, subject_id: teaching_set.subject_id, ...pick(user_profile, 'first_name', 'last_name') })
    .from(enrolment)
    .innerJoin(member, matches(member, { school_id: enrolment.school_id, student_id: enrolment.student_id }))
    .innerJoin(
      teaching_set,
      matches(teaching_set, { school_id: member.school_id, id: member.teaching_set_id, academic_year_id: enrolment.academic_year_id }),
    )
    .innerJoin(taught, matches(taught, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id }))
    .innerJoin(school_management, matches(school_management, { school_id: taught.school_id, user_id: taught.user_profile_id }))
    .innerJoin(user_profile, eq(user_profile.id, taught.user_profile_id))
    .where(matches(enrolment, { school_id: p.school, student_group_id: p.group }))
    .orderBy(asc(user_profile.last_name), asc(user_profile.first_name), asc(user_profile.id))
})

const membersByIds = statement<{ school: string; ids: string }>()(({ db, t, p, dialect }) => {
  const { teaching_set, teaching_set_member: member } = t
  return db
    .select({ ...pick(teaching_set, 'id', 'name'), student_id: member.student_id })
    .from(teaching_set)
    .leftJoin(member, matches(member, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id }))
    .where(and(eq(teaching_set.school_id, p.school), dialect.inList(teaching_set.id, p.ids)))
    .orderBy(asc(member.student_id))
})

/** The students of sets, by set id. */
export async function studentsOfSets(tx: ReadTx, school: string, ids: readonly string[]) {
  const sets = new Map<string, { id: string; name: string; student_ids: Set<string> }>()
  for (const { id, name, student_id } of await membersByIds(tx, { school, ids: JSON.stringify(ids) })) {
    const set = sets.get(id) ?? { id, name, student_ids: new Set() }
    if (student_id !== null) set.student_ids.add(student_id)
    sets.set(id, set)
  }
  return sets
}

/** Adds the students to assessments of teaching sets. */
export async function withSitters<A extends { teaching_set_id: string | null }>(
  tx: ReadTx,
  school: string,
  assessments: readonly A[],
): Promise<(A & { studentsOfSet?: ReadonlySet<string> })[]> {
  const ids = [...new Set(assessments.flatMap(({ teaching_set_id }) => teaching_set_id ?? []))]
  // Most schools have no sets, and then no query is needed.
  const sets = ids.length === 0 ? null : await studentsOfSets(tx, school, ids)
  return assessments.map((one) => {
    const { teaching_set_id: set } = one
    return set === null ? one : { ...one, studentsOfSet: sets?.get(set)?.student_ids ?? new Set<string>() }
  })
}

/** The sets of a year, and of a subject; locked where the transaction writes. */
export const setsOfYear = rowsBy('teaching_set', { school: 'school_id', year: 'academic_year_id' }, { lock: true })
export const setsOfSubject = rowsBy('teaching_set', { school: 'school_id', subject: 'subject_id' }, { lock: true })

/** The sets of a teacher, to be ended with their membership. */
export const setsTaughtBy = rowsBy('teaching_set_teacher', { school: 'school_id', user: 'user_profile_id' }, { lock: true })

/** The students of a set with their class of its year: by class, those without one last, then by name. */
export async function studentsInOrder(tx: ReadTx, { school_id, id }: Row<'teaching_set'>): Promise<StudentOfSet[]> {
  const students = await studentsByName(tx, { school: school_id, set: id })
  return students
    .map(({ class_id, class_name, ...student }) => ({
      ...student,
      class: class_id === null || class_name === null ? null : { id: class_id, name: class_name },
    }))
    .sort((a, b) => Number(a.class === null) - Number(b.class === null) || (a.class && b.class ? byFoldedName(a.class, b.class) : 0))
}

/** Classes by id. `ids` is a JSON array. */
export const rowsOfClasses = rowsBy('student_group', { school: 'school_id', ids: { in: 'id' } })
