import type { ClassTerm, ClassYear, StudentTerm, StudentYear } from '@markbook/shared/contract/calculations'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx } from '../../store/tx.ts'
import { termsOfYear } from '../terms/terms.queries.ts'
import { classTermResults, classYearResults, unplacedTermResults, unplacedYearResults } from './class-results.ts'
import { withReview } from './under-review.ts'

type Group = Row<'student_group'>
type Term = Row<'term'>
type Year = Row<'academic_year'>
type Student = Row<'student'>

// The results as people look at them: with what is under review. What is printed in a report book is decided when it is made.

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
