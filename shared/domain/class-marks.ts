import { TermMarks, type TypeAverages } from './averages.ts'
import { averageByCategories, type Categorised, type Category, type CategoryGroups, categoryGroups } from './categories.ts'
import type { MarkCode, SubjectCodes } from './mark-codes.ts'
import { type Assessment, type AssessmentType, counts, type Grade, isFor } from './marks.ts'

/** An assessment, and the index of a student's grade in it (`gradesInPlace`). */
export type Slot = { assessment: Assessment; place: number }
/** The slots of one term by subject. */
export type TermSlots = ReadonlyMap<string, readonly Slot[]>

/**
 * The assessments of some terms that concern a class (the school's and the class's own), by term and subject. Built once per class, so
 * that each grade of a student costs one look-up.
 */
export type MarkPlan = {
  slotsByTermId: ReadonlyMap<string, TermSlots>
  placeByAssessmentId: ReadonlyMap<string, number>
  /** By the slots of a subject in a term, only where one of its assessments has a category. */
  groupsBySlots: ReadonlyMap<readonly Slot[], CategoryGroups<Assessment>>
}

export function markPlan(
  assessments: readonly Assessment[],
  termIds: readonly string[],
  studentGroupId: string | null,
  categories: readonly Category[] = [],
): MarkPlan {
  const slotsByTermId = new Map(termIds.map((id) => [id, new Map<string, Slot[]>()]))
  const placeByAssessmentId = new Map<string, number>()
  for (const assessment of assessments) {
    const slotsBySubjectId = slotsByTermId.get(assessment.term_id)
    if (!slotsBySubjectId) continue
    if (assessment.student_group_id !== null && assessment.student_group_id !== studentGroupId) continue
    const place = placeByAssessmentId.size
    placeByAssessmentId.set(assessment.id, place)
    const slots = slotsBySubjectId.get(assessment.subject_id)
    if (slots) slots.push({ assessment, place })
    else slotsBySubjectId.set(assessment.subject_id, [{ assessment, place }])
  }
  const groupsBySlots = new Map<readonly Slot[], CategoryGroups<Assessment>>()
  if (categories.length > 0)
    for (const slotsBySubjectId of slotsByTermId.values())
      for (const slots of slotsBySubjectId.values()) {
        const groups = categoryGroups(
          slots.map(({ assessment }) => assessment),
          categories,
        )
        if (groups.coursework || groups.exam) groupsBySlots.set(slots, groups)
      }
  return { slotsByTermId, placeByAssessmentId, groupsBySlots }
}

/** Whether at least one of these assessments is for the student. `grades` as from `gradesInPlace`. */
export const isAssessed = (slots: readonly Slot[] | undefined, studentId: string, grades: readonly (Grade | undefined)[]): boolean =>
  slots?.some(({ assessment, place }) => isFor(assessment, studentId, () => grades[place] !== undefined)) ?? false

/** The grades of one student, each at the index of its slot. Grades in assessments outside the plan are ignored. */
export function gradesInPlace(plan: MarkPlan, grades: readonly Grade[]): (Grade | undefined)[] {
  const placed: (Grade | undefined)[] = new Array(plan.placeByAssessmentId.size).fill(undefined)
  for (const grade of grades) {
    const place = plan.placeByAssessmentId.get(grade.assessment_id)
    if (place !== undefined) placed[place] = grade
  }
  return placed
}

/** The averages of one student in the subject and term of the slots. */
export function averagesInPlace(plan: MarkPlan, slots: readonly Slot[], grades: readonly (Grade | undefined)[]): TypeAverages {
  const groups = plan.groupsBySlots.get(slots)
  const sums = new TermMarks()
  for (const { assessment, place } of slots) {
    const grade = grades[place]
    if (grade === undefined || grade.score === null || !counts(assessment.is_excluded, grade.is_excluded)) continue
    if (groups?.[assessment.assessment_type]) continue
    sums.add(assessment.assessment_type, grade.score, assessment.max_score, assessment.weight)
  }
  const averages = sums.averages()
  if (!groups) return averages
  const scoreOf = (assessment: Assessment) => {
    const grade = grades[plan.placeByAssessmentId.get(assessment.id) ?? -1]
    return grade && counts(assessment.is_excluded, grade.is_excluded) ? grade.score : null
  }
  return withCategories(averages, groups, scoreOf)
}

/** Replaces the contract's average by the average by categories, in each type that has categories. */
export function withCategories<A extends Categorised>(
  averages: TypeAverages,
  groups: CategoryGroups<A>,
  scoreOf: (assessment: A) => number | null,
): TypeAverages {
  const { coursework, exam } = groups
  return {
    coursework: coursework ? averageByCategories(coursework, scoreOf).average : averages.coursework,
    exam: exam ? averageByCategories(exam, scoreOf).average : averages.exam,
  }
}

/**
 * What the codes of a student's marks mean for a subject in a term. `averages`: of the same slots and grades. Of several codes in one type
 * of assessment, the first in the school's list is printed.
 */
export function codesInPlace(
  slots: readonly Slot[],
  grades: readonly (Grade | undefined)[],
  averages: TypeAverages,
  codes: readonly MarkCode[],
): SubjectCodes {
  const found: Record<AssessmentType, Set<string>> = { coursework: new Set(), exam: new Set() }
  for (const { assessment, place } of slots) {
    const grade = grades[place]
    if (grade?.status && grade.score === null && counts(assessment.is_excluded, grade.is_excluded))
      found[assessment.assessment_type].add(grade.status)
  }
  const first = (type: AssessmentType, isSaid: (code: MarkCode) => boolean) =>
    found[type].size === 0 ? undefined : codes.find((code) => found[type].has(code.code) && isSaid(code))?.code
  const printedOf = (type: AssessmentType) => (averages[type] === null ? first(type, ({ printed }) => printed) : undefined)
  const isAwaited = ({ effect }: MarkCode) => effect === 'under_review'
  const coursework_code = printedOf('coursework')
  const exam_code = printedOf('exam')
  return {
    ...((first('coursework', isAwaited) ?? first('exam', isAwaited)) !== undefined && { under_review: true }),
    ...(coursework_code !== undefined && { coursework_code }),
    ...(exam_code !== undefined && { exam_code }),
  }
}
