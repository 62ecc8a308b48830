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
  /** For an assessment of a teaching set: the ids of its students. */
  studentsOfSet?: ReadonlySet<string>
  category_id?: string | null
  sort_order?: number | null
}

/**
 * Whether an assessment that concerns the class is for this student: an assessment of a teaching set is for the set's students, and for
 * anybody who has a grade in it.
 */
export const isFor = ({ studentsOfSet }: Pick<Assessment, 'studentsOfSet'>, studentId: string, hasGrade: () => boolean): boolean =>
  studentsOfSet === undefined || studentsOfSet.has(studentId) || hasGrade()

/** The columns of a student's grade that calculations read. `score` null: a code replaces it, or nothing is recorded. */
export type Grade = {
  assessment_id: string
  score: number | null
  status?: string | null
  is_excluded: boolean
}

/** One assessment as it concerns one student; `score` is null where nothing, or a code, was recorded. */
export type Mark = {
  assessment_id: string
  assessment_type: AssessmentType
  max_score: number
  weight: number | null
  assessment_excluded: boolean
  score: number | null
  status?: string | null
  grade_excluded: boolean
}

/**
 * Whether a mark counts (decisions §5): it has a score, and neither the grade nor its assessment is excluded. A missing mark is not zero.
 */
export const isUsable = (mark: Mark): mark is Mark & { score: number } =>
  mark.score !== null && counts(mark.assessment_excluded, mark.grade_excluded)

export const counts = (assessmentExcluded: boolean, gradeExcluded: boolean): boolean => !assessmentExcluded && !gradeExcluded
