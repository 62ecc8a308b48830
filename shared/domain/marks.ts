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
  /** Of an assessment of a teaching set: who is in it. */
  sitters?: ReadonlySet<string>
  category_id?: string | null
  sort_order?: number | null
}

/** Whether an assessment that concerns the class is for one of its students: of a teaching set for who is in it, or has a grade in it all the same. */
export const isFor = ({ sitters }: Pick<Assessment, 'sitters'>, studentId: string, hasGrade: () => boolean): boolean =>
  sitters === undefined || sitters.has(studentId) || hasGrade()

/** The columns of a student's grade that calculations read. `score` null: a code stands in its place, or nothing. */
export type Grade = {
  assessment_id: string
  score: number | null
  status?: string | null
  is_excluded: boolean
}

/** One assessment as it concerns one student; `score` is null when nothing was recorded, or a code. */
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

/** What makes a mark count (decisions §5): neither the grade nor its assessment is excluded. A missing mark is not zero. */
export const isUsable = (mark: Mark): mark is Mark & { score: number } =>
  mark.score !== null && counts(mark.assessment_excluded, mark.grade_excluded)

export const counts = (assessmentExcluded: boolean, gradeExcluded: boolean): boolean => !assessmentExcluded && !gradeExcluded
