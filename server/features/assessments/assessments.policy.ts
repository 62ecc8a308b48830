import { assessmentFailures } from '@markbook/shared/contract/assessments'
import { may } from '@markbook/shared/domain/access'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { asSystem, asUser, type ReadTx } from '../../store/tx.ts'
import { type Asker, classFactsOf, factsAbout } from '../policy.ts'
import { subjectById, teachingInYear, termById } from './assessments.queries.ts'

type Assessment = Row<'assessment'>
type InSchool = { school: string; id: string }

const foundBy =
  <R>(query: (tx: ReadTx, asked: InSchool) => Promise<R[]>) =>
  async ({ tx, caller }: Asker, id: string | undefined): Promise<R> => {
    const [row] = id === undefined ? [] : await query(tx, { school: caller.school_id, id })
    if (!row) throw common.notFound()
    return row
  }

/** A term or subject of the caller's school for reading, locked by nobody; 404 where absent or another school's. */
export const termOf = foundBy(termById)
export const subjectOf = foundBy(subjectById)

/**
 * The assessment, locked for a writer of it or of its grades: whoever holds it reads a maximum and grades that stay as they
 * are. It is always the first row that such a writer locks. The service takes the lock, because a class teacher who writes the
 * grades of a whole-school assessment may not change the assessment itself, and Postgres locks for nobody who may not.
 */
export async function heldAssessment({ tx, caller }: Asker, id: string): Promise<Assessment> {
  await tx.actAs(asSystem(caller.user_id))
  const assessment = await tx.find('assessment', caller.school_id, id)
  await tx.actAs(asUser(caller.user_id))
  if (!assessment) throw common.notFound()
  return assessment
}

/** 403 unless the caller may write such an assessment: the old row as it is, and the new one as it would be (decisions §2). */
export async function demandMayWrite(asker: Asker, place: Pick<Assessment, 'term_id' | 'subject_id' | 'student_group_id'>): Promise<void> {
  const { tx, caller } = asker
  if (caller.role === 'admin') return
  const teaching = await teachingInYear(tx, { school: caller.school_id, user: caller.user_id, term: place.term_id })
  const isClassTeacher = place.student_group_id !== null && (await classFactsOf(asker, place.student_group_id)).isClassTeacher
  const subjectIds = new Set(teaching.flatMap((row) => row.subject_id ?? []))
  if (!may('writeAssessments', factsAbout(caller, { teachesClass: teaching.length > 0, isClassTeacher, subjectIds }, place.subject_id)))
    throw assessmentFailures.notYourSubject()
}
