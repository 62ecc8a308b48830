import { type Area, type CallerFacts, may } from '@markbook/shared/domain/access'
import { common } from '@markbook/shared/failures'
import type { Replicated, Row, Tables } from '@markbook/shared/tables/tables'
import type { SchoolCaller } from '../http/caller.ts'
import { matches, pick } from '../store/conditions.ts'
import { rowsBy, statement } from '../store/statement.ts'
import type { ReadTx, WriteTx } from '../store/tx.ts'

/** The part of a handler's context that policies need. */
export type PolicyContext = { tx: ReadTx; caller: SchoolCaller }
/** The same for a handler that writes. */
export type WriteContext = PolicyContext & { tx: WriteTx }

/** A row of the caller's school; 404 where it is absent or another school's, which must be indistinguishable (decisions §1). */
export async function rowOf<T extends Replicated>({ tx, caller }: PolicyContext, table: T, id: string | undefined): Promise<Row<T>> {
  const row = id === undefined ? undefined : await tx.find(table, caller.school_id, id)
  if (!row) throw common.notFound()
  return row
}

/** The caller's school, locked where the transaction writes, so that counting or ordering its rows is safe. */
export const ownSchool = (context: PolicyContext): Promise<Row<'school'>> => rowOf(context, 'school', context.caller.school_id)

const assignment = statement<{ school: string; user: string; group: string }>()(({ db, t, p }) => {
  const { teacher_group_assignment: assigned, teacher_subject_assignment: taught, class_teacher } = t
  return db
    .select({ teacher: assigned.user_profile_id, class_teacher: class_teacher.user_profile_id, subject_id: taught.subject_id })
    .from(assigned)
    .leftJoin(class_teacher, matches(class_teacher, { school_id: assigned.school_id, student_group_id: assigned.student_group_id }))
    .leftJoin(taught, matches(taught, ownIn(assigned)))
    .where(matches(assigned, { school_id: p.school, user_profile_id: p.user, student_group_id: p.group }))
})

/** The condition of the same person in the same class. */
export const ownIn = (assigned: Tables['teacher_group_assignment']) => pick(assigned, 'school_id', 'student_group_id', 'user_profile_id')

/** The caller's relation to a class: assigned, class teacher, and their subjects there. */
export type ClassFacts = { isClassTeacher: boolean; teachesClass: boolean; subjectIds: ReadonlySet<string> }

export async function classFactsOf({ tx, caller }: PolicyContext, classId: string): Promise<ClassFacts> {
  const rows = await assignment(tx, { school: caller.school_id, user: caller.user_id, group: classId })
  return {
    teachesClass: rows.length > 0,
    isClassTeacher: rows[0]?.class_teacher === caller.user_id,
    subjectIds: new Set(rows.flatMap((row) => row.subject_id ?? [])),
  }
}

/** The facts for the rights table, about one class and, where it matters, one subject. */
export const factsAbout = (caller: SchoolCaller, facts: ClassFacts, subjectId?: string): CallerFacts => ({
  role: caller.role,
  isActive: caller.is_active,
  isClassTeacher: facts.isClassTeacher,
  teachesClass: facts.teachesClass,
  teachesSubject: subjectId !== undefined && facts.subjectIds.has(subjectId),
})

/** Throws 403 where the rights table refuses. */
export function demand(area: Area, facts: CallerFacts): void {
  if (!may(area, facts)) throw common.forbidden()
}

export type ClassAccess = { group: Row<'student_group'>; facts: ClassFacts }

/**
 * A class that the caller may use for `area` (ClassTeacherGuard for `manageClass` and `reports`). A caller without the right gets 403,
 * whether the class is absent, foreign or another teacher's; an admin gets 404 for one that is absent or foreign (decisions §1).
 */
export async function classOf(context: PolicyContext, area: Area, classId: string | undefined): Promise<ClassAccess> {
  const { caller } = context
  const group = classId === undefined ? undefined : await context.tx.find('student_group', caller.school_id, classId)
  if (!group) throw caller.role === 'admin' ? common.notFound() : common.forbidden()
  const facts = await classFactsOf(context, group.id)
  demand(area, factsAbout(caller, facts))
  return { group, facts }
}

/** For a loaded row of a class: throws 403 where the caller lacks the right `area` in the class. */
export async function demandInClass(context: PolicyContext, area: Area, classId: string, subjectId?: string): Promise<ClassFacts> {
  const facts = await classFactsOf(context, classId)
  demand(area, factsAbout(context.caller, facts, subjectId))
  return facts
}

/**
 * A term, readable for everybody in the school. Not `tx.find`: that locks in a writing transaction, and on Postgres a teacher would find
 * nothing, since row-level security allows no lock on rows that the person may not change.
 */
export const termById = rowsBy('term', { school: 'school_id', id: 'id' })

/** An academic year; not locked either. */
export const yearById = rowsBy('academic_year', { school: 'school_id', id: 'id' })

const foundBy =
  <R>(query: (tx: ReadTx, input: { school: string; id: string }) => Promise<R[]>) =>
  async ({ tx, caller }: PolicyContext, id: string | undefined): Promise<R> => {
    const [row] = id === undefined ? [] : await query(tx, { school: caller.school_id, id })
    if (!row) throw common.notFound()
    return row
  }

/** A term or year of the caller's school, not locked; 404 where it is absent or another school's. */
export const termOf = foundBy(termById)
export const yearOf = foundBy(yearById)

/**
 * The classes to which a person is assigned in the year of a term: one row for each subject taught there, or one row with `subject_id`
 * null. `class_teacher_id`: the class teacher of the class.
 */
export const teachingInYear = statement<{ school: string; user: string; term: string }>()(({ db, t, p }) => {
  const { teacher_group_assignment: assigned, teacher_subject_assignment: taught, class_teacher, term } = t
  return db
    .select({ group_id: assigned.student_group_id, class_teacher_id: class_teacher.user_profile_id, subject_id: taught.subject_id })
    .from(term)
    .innerJoin(assigned, matches(assigned, { school_id: term.school_id, academic_year_id: term.academic_year_id, user_profile_id: p.user }))
    .leftJoin(class_teacher, matches(class_teacher, { school_id: assigned.school_id, student_group_id: assigned.student_group_id }))
    .leftJoin(taught, matches(taught, ownIn(assigned)))
    .where(matches(term, { school_id: p.school, id: p.term }))
})
