import type { Area } from '@markbook/shared/domain/access'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx } from '../../store/tx.ts'
import { type Asker, type ClassAccess, classFactsOf, classOf, demand, factsAbout, rowOf } from '../policy.ts'
import { classInYear, termById, yearById } from './calculations.queries.ts'

type Targets = Readonly<Record<string, string | undefined>>

/** An id without which nothing can be decided; 400 where the request does not name it. */
export function named(targets: Targets, name: string): string {
  const id = targets[name]
  if (id === undefined) throw common.validationFailed({ issues: [{ path: name, message: 'is required' }] })
  return id
}

/** 404 for a term that is absent or another school's. Not locked, in a writing transaction either: only administrators may. */
export async function termOf({ tx, caller }: Asker, id: string): Promise<Row<'term'>> {
  const [term] = await termById(tx, { school: caller.school_id, id })
  if (!term) throw common.notFound()
  return term
}

export async function yearOf({ tx, caller }: Asker, id: string): Promise<Row<'academic_year'>> {
  const [year] = await yearById(tx, { school: caller.school_id, id })
  if (!year) throw common.notFound()
  return year
}

const otherYear = (path: string) => common.validationFailed({ issues: [{ path, message: 'is not of the year that the class is in' }] })

/** A class whose results the caller may see, and a term: 400 where the term is not of the class's year. */
export async function classAndTerm(asker: Asker, targets: Targets, area: Area = 'reports'): Promise<ClassAccess & { term: Row<'term'> }> {
  const { group, facts } = await classOf(asker, area, named(targets, 'studentGroupId'))
  const term = await termOf(asker, named(targets, 'termId'))
  if (term.academic_year_id !== group.academic_year_id) throw otherYear('termId')
  return { group, facts, term }
}

export async function classAndYear(asker: Asker, targets: Targets): Promise<{ group: Row<'student_group'>; year: Row<'academic_year'> }> {
  const { group } = await classOf(asker, 'reports', named(targets, 'studentGroupId'))
  const year = await yearOf(asker, named(targets, 'academicYearId'))
  if (year.id !== group.academic_year_id) throw otherYear('academicYearId')
  return { group, year }
}

/** The student's class in a year; null for one who is in none. */
export async function placeIn(tx: ReadTx, student: Pick<Row<'student'>, 'id' | 'school_id'>, yearId: string) {
  const [group] = await classInYear(tx, { school: student.school_id, student: student.id, year: yearId })
  return group ?? null
}

/** A student whose results the caller may see, and their class that year: 404 for the absent, then 403 for a class not theirs. */
export async function studentIn(asker: Asker, student: Row<'student'>, yearId: string): Promise<Row<'student_group'> | null> {
  const group = await placeIn(asker.tx, student, yearId)
  const facts = group
    ? factsAbout(asker.caller, await classFactsOf(asker, group.id))
    : { role: asker.caller.role, isActive: asker.caller.is_active }
  demand('readStudentResults', facts)
  return group
}

export async function studentAndTerm(asker: Asker, targets: Targets) {
  const student = await rowOf(asker, 'student', named(targets, 'studentId'))
  const term = await termOf(asker, named(targets, 'termId'))
  return { student, term, group: await studentIn(asker, student, term.academic_year_id) }
}

export async function studentAndYear(asker: Asker, targets: Targets) {
  const student = await rowOf(asker, 'student', named(targets, 'studentId'))
  const year = await yearOf(asker, named(targets, 'academicYearId'))
  return { student, year, group: await studentIn(asker, student, year.id) }
}

/** A student, a term and a subject: the absent are 404 before rights are judged. */
export async function studentTermAndSubject(asker: Asker, targets: Targets) {
  const student = await rowOf(asker, 'student', named(targets, 'studentId'))
  const term = await termOf(asker, named(targets, 'termId'))
  const subject = await rowOf(asker, 'subject', named(targets, 'subjectId'))
  return { student, term, subject, group: await studentIn(asker, student, term.academic_year_id) }
}
