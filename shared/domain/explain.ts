import type { Explanation, SubjectTerm } from '../contract/calculations.ts'
import type { ExplainedMark } from '../contract/explanation.ts'
import { typeAverages } from './averages.ts'
import { type AverageByCategories, averageByCategories, type Categorised, type Category, categoryGroups } from './categories.ts'
import { withCategories } from './class-marks.ts'
import { averageStep, categoryStep, compositeStep, letterStep, overallStep, percentageOf } from './explain-steps.ts'
import type { GradingScale } from './letters.ts'
import { codeNamed, type MarkCode, type SubjectCodes } from './mark-codes.ts'
import { type Assessment, type Grade, isUsable, type Mark } from './marks.ts'
import { subjectTermResult, type Term } from './results.ts'
import { type DisplayedNumber, shown, shownText } from './shown.ts'
import type { Subject } from './subjects-taken.ts'

/** A mark with its title and the reasons for exclusions. */
export type NamedMark = Mark & {
  title: string
  grade_id?: string
  category_id?: string | null
  sort_order?: number | null
  assessment_exclusion_reason: string | null
  grade_exclusion_reason: string | null
}

/** The mark of a student in an assessment, from the two rows; `grade` is undefined where nothing was recorded. */
export const namedMark = (
  assessment: Assessment & { title: string; exclusion_reason: string | null },
  grade: (Grade & { id?: string; exclusion_reason: string | null }) | undefined,
): NamedMark => ({
  assessment_id: assessment.id,
  title: assessment.title,
  ...(grade?.id !== undefined && { grade_id: grade.id }),
  ...(assessment.category_id != null && { category_id: assessment.category_id }),
  ...(assessment.sort_order != null && { sort_order: assessment.sort_order }),
  assessment_type: assessment.assessment_type,
  max_score: assessment.max_score,
  weight: assessment.weight,
  assessment_excluded: assessment.is_excluded,
  assessment_exclusion_reason: assessment.exclusion_reason,
  score: grade?.score ?? null,
  ...(grade?.status != null && { status: grade.status }),
  grade_excluded: grade?.is_excluded ?? false,
  grade_exclusion_reason: grade?.exclusion_reason ?? null,
})

/** The fields of each subject of the student's term that an explanation reads. */
export type ExplainedSubject = Pick<SubjectTerm, 'subject_id' | 'subject_name' | 'term_composite'> & SubjectCodes

/** `marks`: one for every assessment of the subject in the term that concerns the class. `subjects`: all of the student's term. */
export type ExplainInput = {
  student_id: string
  term: Term
  subject: Omit<Subject, 'sort_order'>
  scale: GradingScale
  codes?: readonly MarkCode[]
  marks: readonly NamedMark[]
  /** The categories of the year. */
  categories?: readonly Category[]
  subjects: readonly ExplainedSubject[]
}

/** The calculation of one subject of one student in one term (`GET /api/calculations/explain`). Each `text` is one sentence. */
// Uses the functions that compute the results, so that the explanation agrees with the report card.
export function explain(input: ExplainInput): Explanation {
  const { student_id, term, subject, scale, codes = [], marks, subjects, categories = [] } = input
  const usable = new Map(marks.map((mark) => [mark.assessment_id, isUsable(mark) ? mark.score : null]))
  const scoreOf = ({ id }: Categorised) => usable.get(id) ?? null
  const groups = categoryGroups(
    marks.map((mark): Categorised => ({ ...mark, id: mark.assessment_id, subject_id: subject.id })),
    categories,
  )
  const averages = withCategories(typeAverages(marks), groups, scoreOf)
  const byCategories = {
    coursework: groups.coursework && averageByCategories(groups.coursework, scoreOf),
    exam: groups.exam && averageByCategories(groups.exam, scoreOf),
  }
  const dropped = droppedIn([byCategories.coursework, byCategories.exam])
  const stepOf = (type: 'coursework' | 'exam') => {
    const by = byCategories[type]
    return by ? categoryStep(marks, type, by) : averageStep(marks, type, averages[type])
  }
  const own = subjects.find(({ subject_id }) => subject_id === subject.id)
  const result = subjectTermResult(subject, averages, term, scale, codesOf(own))
  return {
    student_id,
    term_id: term.id,
    marks: marks.map((mark) => explainedMark(mark, codes, dropped)),
    steps: [stepOf('coursework'), stepOf('exam'), compositeStep(averages, term), letterStep(result, scale), overallStep(subjects)],
    result,
  }
}

const codesOf = ({ under_review, coursework_code, exam_code }: SubjectCodes = {}): SubjectCodes => ({
  ...(under_review && { under_review }),
  ...(coursework_code !== undefined && { coursework_code }),
  ...(exam_code !== undefined && { exam_code }),
})

/** By assessment whose mark was dropped: the name of its category. */
const droppedIn = (averages: readonly (AverageByCategories<Categorised> | null)[]): ReadonlyMap<string, string> =>
  new Map(
    averages
      .flatMap((by) => by?.parts ?? [])
      .flatMap(({ category, dropped }) => dropped.map(({ id }) => [id, category?.name ?? ''] as const)),
  )

function explainedMark(mark: NamedMark, codes: readonly MarkCode[], dropped: ReadonlyMap<string, string>): ExplainedMark {
  const category = dropped.get(mark.assessment_id)
  const left_out = category === undefined ? leftOut(mark) : 'dropped'
  const exclusion_reason =
    left_out === 'excluded_assessment'
      ? mark.assessment_exclusion_reason
      : left_out === 'excluded_grade'
        ? mark.grade_exclusion_reason
        : null
  const percentage = mark.score === null ? null : shown(percentageOf(mark.score, mark.max_score))
  const { assessment_id, title, assessment_type, score, max_score } = mark
  return {
    assessment_id,
    title,
    assessment_type,
    ...(mark.category_id != null && { category_id: mark.category_id }),
    ...(mark.grade_id !== undefined && { grade_id: mark.grade_id }),
    score,
    ...(mark.status != null && { status: mark.status }),
    ...(mark.grade_excluded && { is_excluded: true as const }),
    max_score,
    weight: mark.weight ?? 1,
    percentage,
    used: left_out === null,
    left_out,
    exclusion_reason,
    text:
      category === undefined
        ? markText(mark, left_out, percentage, exclusion_reason, codeNamed(codes, mark.status ?? null))
        : `${mark.title} is dropped: it is among the lowest in ${category}.`,
  }
}

function leftOut(mark: Mark): ExplainedMark['left_out'] {
  if (isUsable(mark)) return null
  if (mark.assessment_excluded) return 'excluded_assessment'
  return mark.score === null ? 'no_mark' : 'excluded_grade'
}

function markText(
  mark: NamedMark,
  left_out: ExplainedMark['left_out'],
  percentage: DisplayedNumber | null,
  reason: string | null,
  code: MarkCode | undefined,
): string {
  const because = reason ? `: ${reason}` : ''
  if (left_out === 'excluded_assessment') return `${mark.title} is left out because the assessment is excluded${because}.`
  if (left_out === 'excluded_grade') return `${mark.title} is left out because this mark is excluded${because}.`
  if (left_out === 'no_mark' && mark.status) {
    const name = code ? `${code.name} (${mark.status})` : mark.status
    return `${mark.title} is left out: ${name}${code?.effect === 'under_review' ? ', a mark is still to come' : ''}.`
  }
  if (left_out === 'no_mark' || percentage === null) return `${mark.title} is left out because no mark has been recorded.`
  const sign = percentage.exact ? '= ' : ''
  const beside = mark.status ? ` (${code?.name ?? mark.status})` : ''
  return `${mark.title}: ${mark.score}${beside} out of ${mark.max_score} ${sign}${shownText(percentage)} %, with weight ${mark.weight ?? 1}.`
}
