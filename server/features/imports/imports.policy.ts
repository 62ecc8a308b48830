import { gradeFailures } from '@markbook/shared/contract/grades'
import { type Area, may } from '@markbook/shared/domain/access'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { lockedAssessment } from '../assessments/assessments.policy.ts'
import { gradeRights, type MayWrite } from '../grades/grades.policy.ts'
import { classOf, factsAbout, type PolicyContext, termOf } from '../policy.ts'
import { subjectOf } from '../references.ts'

/** The class, term and subject of a whole mark sheet. */
export type SheetPlace = { group: Row<'student_group'>; term: Row<'term'>; subjectId: string }
export type AssessmentPlace = { assessment: Row<'assessment'>; mayWrite: MayWrite }

/** Whoever reads the class may download a mark sheet; whoever writes its grades in the subject may import one. */
export async function sheetPlace(
  context: PolicyContext,
  area: Extract<Area, 'readClass' | 'writeGrades'>,
  targets: Readonly<Record<string, string | undefined>>,
): Promise<SheetPlace> {
  const { group, facts } = await classOf(context, 'readClass', targets['studentGroupId'])
  const term = await termOf(context, targets['termId'])
  const { id: subjectId } = await subjectOf(context, targets['subjectId'])
  if (!may(area, factsAbout(context.caller, facts, subjectId))) throw gradeFailures.notYourSubject()
  return { group, term, subjectId }
}

/** 403 where the caller may write no grade at all of the assessment; which students are theirs is decided row by row. */
export async function assessmentPlace(context: PolicyContext, assessmentId: string): Promise<AssessmentPlace> {
  const assessment = await lockedAssessment(context, assessmentId)
  return { assessment, mayWrite: await (await gradeRights(context, assessment)).bySet() }
}

/** A class has no marks in a term of another year. */
export function demandSameYear(group: Row<'student_group'>, term: Row<'term'>): void {
  if (group.academic_year_id === term.academic_year_id) return
  throw common.validationFailed({ issues: [{ path: 'termId', message: 'must be a term of the year of the class' }] })
}
