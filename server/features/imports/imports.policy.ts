import { gradeFailures } from '@markbook/shared/contract/grades'
import { type Area, may } from '@markbook/shared/domain/access'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { heldAssessment, subjectOf, termOf } from '../assessments/assessments.policy.ts'
import { type GradeRights, gradeRights } from '../grades/grades.policy.ts'
import { type Asker, classOf, factsAbout } from '../policy.ts'

type Targets = Readonly<Record<string, string | undefined>>

/** What a whole mark sheet is about. */
export type SheetPlace = { group: Row<'student_group'>; term: Row<'term'>; subjectId: string }
export type AssessmentPlace = { assessment: Row<'assessment'>; mayWrite: GradeRights }

/** A mark sheet is given to whoever reads the class, and taken back from whoever writes its grades in the subject. */
export async function sheetPlace(asker: Asker, area: Extract<Area, 'readClass' | 'writeGrades'>, targets: Targets): Promise<SheetPlace> {
  const { group, facts } = await classOf(asker, 'readClass', targets['studentGroupId'])
  const term = await termOf(asker, targets['termId'])
  const { id: subjectId } = await subjectOf(asker, targets['subjectId'])
  if (!may(area, factsAbout(asker.caller, facts, subjectId))) throw gradeFailures.notYourSubject()
  return { group, term, subjectId }
}

/** 403 where the caller may write no grade at all of the assessment; which students are theirs is for the rows. */
export async function assessmentPlace(asker: Asker, assessmentId: string): Promise<AssessmentPlace> {
  const assessment = await heldAssessment(asker, assessmentId)
  return { assessment, mayWrite: await gradeRights(asker, assessment) }
}

/** A class has no marks in a term of another year. */
export function demandSameYear(group: Row<'student_group'>, term: Row<'term'>): void {
  if (group.academic_year_id === term.academic_year_id) return
  throw common.validationFailed({ issues: [{ path: 'termId', message: 'must be a term of the year of the class' }] })
}
