import { assessmentFailures, type ExclusionInput } from '@markbook/shared/contract/assessments'
import { may } from '@markbook/shared/domain/access'
import { compareText } from '@markbook/shared/domain/fold'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq, isNull, or } from 'drizzle-orm'
import type { z } from 'zod'
import { classesNotTaught } from '../../replication/scope/shared-assessments.ts'
import { setsTaught } from '../../replication/scope/teaching-sets.ts'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import { asSystem, asUser, type ReadTx } from '../../store/tx.ts'
import { classFactsOf, factsAbout, type PolicyContext, teachingInYear } from '../policy.ts'

type Assessment = Row<'assessment'>
/**
 * The assessment, locked for a writer of it or of its grades: whoever holds it reads a maximum and grades that stay as they
 * are. It is always the first row that such a writer locks. The service takes the lock, because a class teacher who writes the
 * grades of a whole-school assessment may not change the assessment itself, and Postgres locks for nobody who may not.
 */
export async function lockedAssessment({ tx, caller }: PolicyContext, id: string | undefined): Promise<Assessment> {
  if (id === undefined) throw common.notFound()
  await tx.actAs(asSystem(caller.user_id))
  const assessment = await tx.find('assessment', caller.school_id, id)
  await tx.actAs(asUser(caller.user_id))
  if (!assessment) throw common.notFound()
  return assessment
}

type Place = Pick<Assessment, 'term_id' | 'subject_id' | 'student_group_id'>

/** 403 unless the caller may write such an assessment: the old row as it is, and the new one as it would be (decisions §2). */
export async function demandMayWrite(context: PolicyContext, place: Place): Promise<void> {
  const { tx, caller } = context
  if (caller.role === 'admin') return
  const teaching = await teachingInYear(tx, { school: caller.school_id, user: caller.user_id, term: place.term_id })
  const isClassTeacher = place.student_group_id !== null && (await classFactsOf(context, place.student_group_id)).isClassTeacher
  const subjectIds = new Set(teaching.flatMap((row) => row.subject_id ?? []))
  if (await teachesItInSet(context, place)) subjectIds.add(place.subject_id)
  if (!may('writeAssessments', factsAbout(caller, { teachesClass: teaching.length > 0, isClassTeacher, subjectIds }, place.subject_id)))
    throw assessmentFailures.notYourSubject()
}

/** Who teaches the subject in sets alone writes assessments of every class, and none of a single one. */
async function teachesItInSet(
  { tx, caller }: PolicyContext,
  { subject_id: subject, term_id: term, student_group_id }: Place,
): Promise<boolean> {
  if (student_group_id !== null) return false
  return (await setsTaught(tx, { school: caller.school_id, user: caller.user_id, subject, term })).length > 0
}

const NAMED = 5

/**
 * 403 where the assessment is of every class and pupils of classes where the caller does not teach its subject have marks in it: only
 * administrators change there what results follow from (decisions §8).
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

/** Every assessment of a term and subject. */
const ofSubject = rowsBy('assessment', { school: 'school_id', term: 'term_id', subject: 'subject_id' })

/** Those of them that one class sits: its own and those of every class. */
const ofClass = statement<{ school: string; term: string; subject: string; group: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.assessment)
    .where(
      and(
        matches(t.assessment, { school_id: p.school, term_id: p.term, subject_id: p.subject }),
        or(isNull(t.assessment.student_group_id), eq(t.assessment.student_group_id, p.group)),
      ),
    ),
)

/** The assessments of a term and subject, in order; with `group`, those that this class sits. */
export async function assessmentsOf(
  tx: ReadTx,
  { group, ...of }: { school: string; term: string; subject: string; group?: string | undefined },
) {
  return inOrder(await (group === undefined ? ofSubject(tx, of) : ofClass(tx, { ...of, group })))
}

/** By `sort_order`, those without one last; equal ones as they were created. SQLite and Postgres put null at different ends. */
export const inOrder = <R extends { id: string; sort_order: number | null; created_at: string }>(rows: readonly R[]): R[] =>
  [...rows].sort(
    (a, b) =>
      (a.sort_order ?? Number.POSITIVE_INFINITY) - (b.sort_order ?? Number.POSITIVE_INFINITY) ||
      compareText(a.created_at, b.created_at) ||
      compareText(a.id, b.id),
  )

type Exclusion = { is_excluded: boolean; exclusion_reason: string | null }

/** The columns after an exclusion: the reason goes with it, and stays where a row that is left out is left out again without one. */
export function exclusionAfter(row: Exclusion, { isExcluded, exclusionReason }: z.output<typeof ExclusionInput>): Exclusion {
  if (!isExcluded) return { is_excluded: false, exclusion_reason: null }
  return { is_excluded: true, exclusion_reason: exclusionReason === undefined ? row.exclusion_reason : exclusionReason }
}
