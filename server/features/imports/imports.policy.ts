import { gradeFailures } from '@markbook/shared/contract/grades'
import { type Area, may } from '@markbook/shared/domain/access'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx } from '../../store/tx.ts'
import { assessmentsOf, lockedAssessment } from '../assessments/assessments.policy.ts'
import { gradeRights, type MayWrite } from '../grades/grades.policy.ts'
import { classOf, factsAbout, type PolicyContext, termOf } from '../policy.ts'
import { subjectOf } from '../references.ts'
import { readableSet, studentsInOrder } from '../teaching-sets/teaching-sets.policy.ts'
import { studentsOfSetInYear } from './imports.queries.ts'

/** The class or the teaching set, the term and the subject of a whole mark sheet. */
export type SheetPlace = { of: { group: Row<'student_group'> } | { set: Row<'teaching_set'> }; term: Row<'term'>; subjectId: string }
export type AssessmentPlace = { assessment: Row<'assessment'>; mayWrite: MayWrite }

/**
 * Loads the place of a mark sheet. To download it, the caller must be allowed to read the class; to import it, to write grades of the
 * subject in the class. For a set, both need its teacher. Null where a query names no sheet; its schema, checked next, refuses it.
 */
export async function sheetIfNamed(
  context: PolicyContext,
  area: Extract<Area, 'readClass' | 'writeGrades'>,
  targets: Readonly<Record<string, string | undefined>>,
): Promise<SheetPlace | null> {
  const { studentGroupId, teachingSetId, termId, subjectId } = targets
  if (teachingSetId !== undefined && termId !== undefined) {
    const set = await readableSet(context, teachingSetId)
    return { of: { set }, term: await termOf(context, termId), subjectId: set.subject_id }
  }
  if (studentGroupId === undefined || termId === undefined || subjectId === undefined) return null
  const { group, facts } = await classOf(context, 'readClass', studentGroupId)
  const term = await termOf(context, termId)
  const { id } = await subjectOf(context, subjectId)
  if (!may(area, factsAbout(context.caller, facts, id))) throw gradeFailures.notYourSubject()
  return { of: { group }, term, subjectId: id }
}

/** The assessments that concern the pupils of a sheet, in order. */
export const assessmentsOfSheet = (tx: ReadTx, { of, term, subjectId }: SheetPlace): Promise<Row<'assessment'>[]> =>
  assessmentsOf(tx, {
    school: term.school_id,
    term: term.id,
    subject: subjectId,
    ...('set' in of ? { set: of.set.id } : { group: of.group.id }),
  })

/** The students of a teaching set, by class and then by name, with their class in the year of a term. */
export async function studentsOfSet(tx: ReadTx, set: Row<'teaching_set'>, term: Row<'term'>) {
  // The query also returns students who have left the set and have a mark.
  const all = await studentsOfSetInYear(tx, { school: set.school_id, term: term.id, set: set.id })
  const byId = new Map(all.map((student) => [student.id, student]))
  return (await studentsInOrder(tx, set)).flatMap(({ id }) => byId.get(id) ?? [])
}

/** Throws 403 where the caller may write no grade of the assessment; the rights to single students are checked row by row. */
export async function assessmentPlace(context: PolicyContext, assessmentId: string): Promise<AssessmentPlace> {
  const assessment = await lockedAssessment(context, assessmentId)
  return { assessment, mayWrite: await (await gradeRights(context, assessment)).bySet() }
}

/** Throws unless the term belongs to the year of the class or teaching set. */
export function demandSameYear({ of, term }: SheetPlace): void {
  const [{ academic_year_id }, whose] = 'set' in of ? [of.set, 'teaching set'] : [of.group, 'class']
  if (academic_year_id === term.academic_year_id) return
  throw common.validationFailed({ issues: [{ path: 'termId', message: `must be a term of the year of the ${whose}` }] })
}
