import { assessmentFailures, type ExclusionInput, type ListedAssessment } from '@markbook/shared/contract/assessments'
import { may } from '@markbook/shared/domain/access'
import { compareText } from '@markbook/shared/domain/fold'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq, exists, inArray, isNull, or } from 'drizzle-orm'
import type { z } from 'zod'
import { classesNotTaught } from '../../replication/scope/shared-assessments.ts'
import { setsTaught } from '../../replication/scope/teaching-sets.ts'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import { asSystem, asUser, type ReadTx } from '../../store/tx.ts'
import { classFactsOf, factsAbout, type PolicyContext, teachingInYear } from '../policy.ts'
import { studentsOfSets } from '../teaching-sets/teaching-sets.policy.ts'

type Assessment = Row<'assessment'>
/**
 * Locks an assessment for writing it or its grades, so that its maximum and grades stay as read. Such a writer always locks it before any
 * other row. The service takes the lock: a class teacher who writes grades of a whole-school assessment may not change the assessment, and
 * Postgres locks no row that row-level security does not let the person change.
 */
export async function lockedAssessment({ tx, caller }: PolicyContext, id: string | undefined): Promise<Assessment> {
  if (id === undefined) throw common.notFound()
  await tx.actAs(asSystem(caller.user_id))
  const assessment = await tx.find('assessment', caller.school_id, id)
  await tx.actAs(asUser(caller.user_id))
  if (!assessment) throw common.notFound()
  return assessment
}

type AssessmentScope = Pick<Assessment, 'term_id' | 'subject_id' | 'student_group_id' | 'teaching_set_id'>

/** Throws 403 unless the caller may write such an assessment. Called for the old row and for the new one (decisions §2). */
export async function demandMayWrite(context: PolicyContext, place: AssessmentScope): Promise<void> {
  const { tx, caller } = context
  if (caller.role === 'admin') return
  const teaching = await teachingInYear(tx, { school: caller.school_id, user: caller.user_id, term: place.term_id })
  const isClassTeacher = place.student_group_id !== null && (await classFactsOf(context, place.student_group_id)).isClassTeacher
  const isOfSet = place.teaching_set_id !== null
  const subjectIds = new Set(isOfSet ? [] : teaching.flatMap((row) => row.subject_id ?? []))
  if (await teachesItInSet(context, place)) subjectIds.add(place.subject_id)
  if (!may('writeAssessments', factsAbout(caller, { teachesClass: teaching.length > 0, isClassTeacher, subjectIds }, place.subject_id)))
    throw assessmentFailures.notYourSubject()
}

/**
 * Whether the caller teaches the subject in a set: then they may write assessments of every class and of that set, but none of a single
 * class. For an assessment of a set, they must teach that set.
 */
async function teachesItInSet(
  { tx, caller }: PolicyContext,
  { subject_id: subject, term_id: term, student_group_id, teaching_set_id }: AssessmentScope,
): Promise<boolean> {
  if (student_group_id !== null) return false
  const taught = await setsTaught(tx, { school: caller.school_id, user: caller.user_id, subject, term })
  return taught.some(({ id }) => teaching_set_id === null || id === teaching_set_id)
}

const NAMED = 5

/**
 * Throws 403 for an assessment of every class in which pupils of classes have marks where the caller does not teach its subject: only
 * administrators may change what results there depend on (decisions §8).
 */
export async function demandNotShared({ tx, caller }: PolicyContext, { school_id, id }: Assessment): Promise<void> {
  if (caller.role === 'admin') return
  const others = await classesNotTaught(tx, { school: school_id, assessment: id, user: caller.user_id })
  if (others.length === 0) return
  const named = others.slice(0, NAMED).map(({ name }) => name)
  const more = others.length - named.length
  const classes = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const message = `Pupils of other classes have marks in this assessment: ${classes}. Only an administrator can change how it counts, or delete it.`
  const values = { classes: `${named.join(', ')}${more > 0 ? ` … (+${more})` : ''}` }
  throw assessmentFailures.shared({ message, issues: [{ path: 'classes', message, values }] })
}

/** All assessments of a term and subject. */
const ofSubject = rowsBy('assessment', { school: 'school_id', term: 'term_id', subject: 'subject_id' })

/** The ones that concern a class: its own, those of every class, and those of sets in which a pupil of the class is or has a mark. */
const ofClass = statement<{ school: string; term: string; subject: string; group: string }>()(({ db, t, p }) => {
  const { assessment, enrolment, grade, teaching_set_member: member } = t
  const inClass = (of: typeof member | typeof grade) =>
    matches(enrolment, { school_id: of.school_id, student_id: of.student_id, student_group_id: p.group })
  const inSet = db
    .select({ id: member.id })
    .from(member)
    .innerJoin(enrolment, inClass(member))
    .where(matches(member, { school_id: assessment.school_id, teaching_set_id: assessment.teaching_set_id }))
  const marked = db
    .select({ id: grade.id })
    .from(grade)
    .innerJoin(enrolment, inClass(grade))
    .where(matches(grade, { school_id: assessment.school_id, assessment_id: assessment.id }))
  return db
    .select()
    .from(assessment)
    .where(
      and(
        matches(assessment, { school_id: p.school, term_id: p.term, subject_id: p.subject }),
        or(isNull(assessment.student_group_id), eq(assessment.student_group_id, p.group)),
        or(isNull(assessment.teaching_set_id), exists(inSet), exists(marked)),
      ),
    )
})

/**
 * The ones that concern the pupils of a teaching set: those of every class and of their classes, and those of sets in which one of them is
 * or has a mark.
 */
const ofSet = statement<{ school: string; term: string; subject: string; set: string }>()(({ db, t, p }) => {
  const { assessment, enrolment, grade, teaching_set_member: member } = t
  const pupils = db
    .select({ id: member.student_id })
    .from(member)
    .where(matches(member, { school_id: p.school, teaching_set_id: p.set }))
  const inClass = db
    .select({ id: member.id })
    .from(member)
    .innerJoin(enrolment, matches(enrolment, { school_id: member.school_id, student_id: member.student_id }))
    .where(
      and(
        matches(member, { school_id: assessment.school_id, teaching_set_id: p.set }),
        matches(enrolment, { student_group_id: assessment.student_group_id }),
      ),
    )
  const inSet = db
    .select({ id: member.id })
    .from(member)
    .where(
      and(
        matches(member, { school_id: assessment.school_id, teaching_set_id: assessment.teaching_set_id }),
        inArray(member.student_id, pupils),
      ),
    )
  const marked = db
    .select({ id: grade.id })
    .from(grade)
    .innerJoin(member, matches(member, { school_id: grade.school_id, student_id: grade.student_id, teaching_set_id: p.set }))
    .where(matches(grade, { school_id: assessment.school_id, assessment_id: assessment.id }))
  return db
    .select()
    .from(assessment)
    .where(
      and(
        matches(assessment, { school_id: p.school, term_id: p.term, subject_id: p.subject }),
        or(isNull(assessment.student_group_id), exists(inClass)),
        or(isNull(assessment.teaching_set_id), eq(assessment.teaching_set_id, p.set), exists(inSet), exists(marked)),
      ),
    )
})

/**
 * The assessments of a term and subject, in order; with `group`, those that concern this class, with `set`, those that concern its pupils.
 */
export async function assessmentsOf(
  tx: ReadTx,
  { group, set, ...of }: { school: string; term: string; subject: string; group?: string | undefined; set?: string | undefined },
) {
  if (set !== undefined) return inOrder(await ofSet(tx, { ...of, set }))
  return inOrder(await (group === undefined ? ofSubject(tx, of) : ofClass(tx, { ...of, group })))
}

/** The same with the sets that they are for, and the students of these. */
export async function withSets(
  tx: ReadTx,
  school: string,
  rows: readonly Assessment[],
): Promise<(Assessment & Pick<ListedAssessment, 'teaching_set'>)[]> {
  const ids = [...new Set(rows.flatMap(({ teaching_set_id }) => teaching_set_id ?? []))]
  // Most subjects have no sets, and then no query is needed.
  if (ids.length === 0) return [...rows]
  const sets = await studentsOfSets(tx, school, ids)
  return rows.map((row) => {
    const set = row.teaching_set_id === null ? undefined : sets.get(row.teaching_set_id)
    return set ? { ...row, teaching_set: { ...set, student_ids: [...set.student_ids] } } : row
  })
}

/** By `sort_order`, null last; ties in order of creation. SQLite and Postgres sort null to different ends. */
export const inOrder = <R extends { id: string; sort_order: number | null; created_at: string }>(rows: readonly R[]): R[] =>
  [...rows].sort(
    (a, b) =>
      (a.sort_order ?? Number.POSITIVE_INFINITY) - (b.sort_order ?? Number.POSITIVE_INFINITY) ||
      compareText(a.created_at, b.created_at) ||
      compareText(a.id, b.id),
  )

type Exclusion = { is_excluded: boolean; exclusion_reason: string | null }

/** The columns after an exclusion: including a row clears its reason; excluding an excluded row without a reason keeps the old one. */
export function exclusionAfter(row: Exclusion, { isExcluded, exclusionReason }: z.output<typeof ExclusionInput>): Exclusion {
  if (!isExcluded) return { is_excluded: false, exclusion_reason: null }
  return { is_excluded: true, exclusion_reason: exclusionReason === undefined ? row.exclusion_reason : exclusionReason }
}
