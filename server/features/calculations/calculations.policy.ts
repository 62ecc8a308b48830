import type { Area } from '@markbook/shared/domain/access'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx } from '../../store/tx.ts'
import { type ClassAccess, classFactsOf, classOf, demand, factsAbout, type PolicyContext, rowOf, termOf, yearOf } from '../policy.ts'
import { classInYear } from './calculations.queries.ts'

type Targets = Readonly<Record<string, string | undefined>>

/** An id without which nothing can be decided; 400 where the request does not name it. */
export function requiredId(targets: Targets, name: string): string {
  const id = targets[name]
  if (id === undefined) throw common.validationFailed({ issues: [{ path: name, message: 'is required' }] })
  return id
}

const otherYear = (path: string) => common.validationFailed({ issues: [{ path, message: 'is not of the year that the class is in' }] })

/** A class whose results the caller may see, and a term: 400 where the term is not of the class's year. */
export async function classAndTerm(
  context: PolicyContext,
  targets: Targets,
  area: Area = 'reports',
): Promise<ClassAccess & { term: Row<'term'> }> {
  const { group, facts } = await classOf(context, area, requiredId(targets, 'studentGroupId'))
  const term = await termOf(context, requiredId(targets, 'termId'))
  if (term.academic_year_id !== group.academic_year_id) throw otherYear('termId')
  return { group, facts, term }
}

export async function classAndYear(
  context: PolicyContext,
  targets: Targets,
): Promise<{ group: Row<'student_group'>; year: Row<'academic_year'> }> {
  const { group } = await classOf(context, 'reports', requiredId(targets, 'studentGroupId'))
  const year = await yearOf(context, requiredId(targets, 'academicYearId'))
  if (year.id !== group.academic_year_id) throw otherYear('academicYearId')
  return { group, year }
}

/** The student's class in a year; null for one who is in none. */
export async function placeIn(tx: ReadTx, student: Pick<Row<'student'>, 'id' | 'school_id'>, yearId: string) {
  const [group] = await classInYear(tx, { school: student.school_id, student: student.id, year: yearId })
  return group ?? null
}

/** A student whose results the caller may see, and their class that year: 404 for the absent, then 403 for a class not theirs. */
async function studentIn(context: PolicyContext, student: Row<'student'>, yearId: string): Promise<Row<'student_group'> | null> {
  const group = await placeIn(context.tx, student, yearId)
  const facts = group
    ? factsAbout(context.caller, await classFactsOf(context, group.id))
    : { role: context.caller.role, isActive: context.caller.is_active }
  demand('readStudentResults', facts)
  return group
}

export async function studentAndTerm(context: PolicyContext, targets: Targets) {
  const student = await rowOf(context, 'student', requiredId(targets, 'studentId'))
  const term = await termOf(context, requiredId(targets, 'termId'))
  return { student, term, group: await studentIn(context, student, term.academic_year_id) }
}

export async function studentAndYear(context: PolicyContext, targets: Targets) {
  const student = await rowOf(context, 'student', requiredId(targets, 'studentId'))
  const year = await yearOf(context, requiredId(targets, 'academicYearId'))
  return { student, year, group: await studentIn(context, student, year.id) }
}

/** A student, a term and a subject: the absent are 404 before rights are judged. */
export async function studentTermAndSubject(context: PolicyContext, targets: Targets) {
  const student = await rowOf(context, 'student', requiredId(targets, 'studentId'))
  const term = await termOf(context, requiredId(targets, 'termId'))
  const subject = await rowOf(context, 'subject', requiredId(targets, 'subjectId'))
  return { student, term, subject, group: await studentIn(context, student, term.academic_year_id) }
}
