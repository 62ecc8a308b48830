import type { ClassTerm, ClassYear, StudentTerm, StudentYear } from '@markbook/shared/contract/calculations'
import type { Row } from '@markbook/shared/tables/tables'
import { and } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { termsOfYear } from '../terms/terms.policy.ts'
import { classTermResults, classYearResults, unplacedTermResults, unplacedYearResults } from './calculations.policy.ts'

type Group = Row<'student_group'>
type Term = Row<'term'>
type Year = Row<'academic_year'>
type Student = Row<'student'>

// Results for the screen, marked as under review where that applies. A report book decides that when it is generated.

export async function reviewedClassTerm(tx: ReadTx, group: Group, term: Term): Promise<ClassTerm> {
  const result = await classTermResults(tx, group, term)
  return { ...result, students: await withReview(tx, group.school_id, [term.id], result.students) }
}

export async function reviewedClassYear(tx: ReadTx, group: Group, year: Year): Promise<ClassYear> {
  const result = await classYearResults(tx, group, year)
  return { ...result, students: await withReview(tx, year.school_id, await termIds(tx, year), result.students) }
}

export async function reviewedTerm(tx: ReadTx, student: Student, term: Term): Promise<StudentTerm> {
  const [reviewed] = await withReview(tx, student.school_id, [term.id], [await unplacedTermResults(tx, student, term)])
  return reviewed as StudentTerm
}

export async function reviewedYear(tx: ReadTx, student: Student, year: Year): Promise<StudentYear> {
  const [reviewed] = await withReview(tx, year.school_id, await termIds(tx, year), [await unplacedYearResults(tx, student, year)])
  return reviewed as StudentYear
}

const termIds = async (tx: ReadTx, year: Year) => (await termsOfYear(tx, { school: year.school_id, year: year.id })).map(({ id }) => id)

/** The students and subjects with a mark in open conflict. `terms` is a JSON array. */
const marksInConflict = statement<{ school: string; terms: string }>()(({ db, t, p, dialect }) => {
  const { sync_conflict, grade, assessment } = t
  return db
    .selectDistinct({ student_id: grade.student_id, subject_id: assessment.subject_id })
    .from(sync_conflict)
    .innerJoin(grade, matches(grade, { school_id: sync_conflict.school_id, id: sync_conflict.row_id }))
    .innerJoin(assessment, matches(assessment, { school_id: grade.school_id, id: grade.assessment_id }))
    .where(and(matches(sync_conflict, { school_id: p.school, status: 'open', entity: 'grade' }), dialect.inList(grade.term_id, p.terms)))
})

type Result = { student_id: string; subjects: readonly { subject_id: string }[] }

/** Adds `under_review: true` to each subject with a mark in open conflict (sync/SPEC.md, «Conflicts»). */
export async function withReview<R extends Result>(tx: ReadTx, school: string, terms: readonly string[], results: R[]): Promise<R[]> {
  const found = await marksInConflict(tx, { school, terms: JSON.stringify(terms) })
  if (found.length === 0) return results
  const keys = new Set(found.map(({ student_id, subject_id }) => `${student_id}:${subject_id}`))
  return results.map((result) => ({
    ...result,
    subjects: result.subjects.map((subject) =>
      keys.has(`${result.student_id}:${subject.subject_id}`) ? { ...subject, under_review: true } : subject,
    ),
  }))
}
