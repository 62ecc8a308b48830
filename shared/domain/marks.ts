export type AssessmentType = 'exam' | 'coursework'

/** The columns of an assessment that calculations read. `student_group_id` null: an assessment of every class that takes the subject. */
export type Assessment = {
  id: string
  term_id: string
  subject_id: string
  assessment_type: AssessmentType
  max_score: number
  weight: number | null
  is_excluded: boolean
  student_group_id: string | null
}

/** The columns of a student's grade that calculations read. */
export type Grade = {
  assessment_id: string
  score: number
  is_excluded: boolean
}

/** One assessment as it concerns one student; `score` is null when nothing was recorded. */
export type Mark = {
  assessment_id: string
  assessment_type: AssessmentType
  max_score: number
  weight: number | null
  assessment_excluded: boolean
  score: number | null
  grade_excluded: boolean
}

/** A grade that counts (decisions §5): neither it nor its assessment is excluded. A missing mark is not zero. */
export const isUsable = (mark: Mark): mark is Mark & { score: number } =>
  mark.score !== null && !mark.grade_excluded && !mark.assessment_excluded

export const markOf = (assessment: Assessment, grade: Grade | undefined): Mark => ({
  assessment_id: assessment.id,
  assessment_type: assessment.assessment_type,
  max_score: assessment.max_score,
  weight: assessment.weight,
  assessment_excluded: assessment.is_excluded,
  score: grade === undefined ? null : grade.score,
  grade_excluded: grade?.is_excluded ?? false,
})

export type AssessmentsBySubjectId = ReadonlyMap<string, readonly Assessment[]>

/** The assessments of a term that concern a class: the school's and the class's own, grouped by subject. */
export function assessmentsBySubjectId(
  assessments: readonly Assessment[],
  termId: string,
  studentGroupId: string | null,
): AssessmentsBySubjectId {
  const grouped = new Map<string, Assessment[]>()
  for (const assessment of assessments) {
    if (assessment.term_id !== termId) continue
    if (assessment.student_group_id !== null && assessment.student_group_id !== studentGroupId) continue
    const sofar = grouped.get(assessment.subject_id)
    if (sofar) sofar.push(assessment)
    else grouped.set(assessment.subject_id, [assessment])
  }
  return grouped
}
