import type { Explanation, StudentYear, SubjectTerm, SubjectYear } from '../contract/calculations.ts'
import type { ExplainedMark } from '../contract/explanation.ts'
import type { Category } from './categories.ts'
import { type ExplainedSubject, explain, type NamedMark } from './explain.ts'
import { type GradingScale, letterFor } from './letters.ts'
import { type EnteredMark, type MarkCode, markAfter } from './mark-codes.ts'
import { classTermResult, meanOfPrinted, type Term } from './results.ts'
import type { Subject } from './subjects-taken.ts'
import { type YearModel, yearFigures } from './year.ts'

/** A trial value for a mark: `mark` null removes the mark; an absent field keeps its value. */
export type TriedMark = { mark?: EnteredMark | null; is_excluded?: boolean }
/** Keyed by assessment id. */
export type TriedMarks = ReadonlyMap<string, TriedMark>
/** The inputs of a result that an explanation does not contain: scale and categories of the year, codes of the school. */
export type ResultRules = { scale: GradingScale; codes: readonly MarkCode[]; categories: readonly Category[] }

/**
 * The explanation with trial marks, computed by the functions that compute results. Writes nothing. Without trial marks it equals the
 * present explanation.
 */
export function whatIf(present: Explanation, rules: ResultRules, tried: TriedMarks): Explanation {
  const { student_id, result } = present
  const term = { id: present.term_id, ...weightsOf(present) }
  const subject = { id: result.subject_id, name: result.subject_name, code: result.subject_code, sort_order: 0 }
  const known = present.marks.map(namedAgain)
  const resultOf = (marks: readonly NamedMark[]) => resultAlone({ ...rules, student_id, term, subject, marks })
  const marks = known.map((mark) => markWith(mark, tried.get(mark.assessment_id), rules.codes))
  // The marks do not show that one is in open conflict.
  const isInConflict = result.under_review === true && !resultOf(known)?.under_review
  const alone = resultOf(marks)
  const own = alone && isInConflict ? { ...alone, under_review: true as const } : alone
  const overall = present.steps.find(({ step }) => step === 'overall_average')
  const composites = overall?.step === 'overall_average' ? overall.composites : null
  const others = composites?.map((other): ExplainedSubject => (own && other.subject_id === subject.id ? own : other))
  const working = explain({ ...rules, student_id, term, subject, marks, subjects: others ?? (own ? [own] : []) })
  // Without the right to the other subjects there is no step of the overall average.
  return overall ? working : { ...working, steps: working.steps.filter(({ step }) => step !== 'overall_average') }
}

type Alone = ResultRules & { student_id: string; term: Term; subject: Subject; marks: readonly NamedMark[] }

/** The result of one subject, computed from its own marks only. */
function resultAlone({ student_id, term, subject, marks, ...rules }: Alone): SubjectTerm | undefined {
  const [student] = classTermResult({
    ...rules,
    term,
    student_group_id: null,
    subjects: [subject],
    assessments: marks.map(({ assessment_id, assessment_excluded, ...mark }) => ({
      ...mark,
      id: assessment_id,
      term_id: term.id,
      subject_id: subject.id,
      student_group_id: null,
      is_excluded: assessment_excluded,
    })),
    students: [{ id: student_id, first_name: '', last_name: '', subject_ids: [subject.id], grades: gradesOf(marks) }],
  }).students
  return student?.subjects[0]
}

function weightsOf({ steps }: Explanation) {
  const composite = steps.find(({ step }) => step === 'term_composite')
  if (composite?.step !== 'term_composite') throw new Error('an explanation has the weights of its term')
  return { coursework_weight: composite.coursework_weight, exam_weight: composite.exam_weight }
}

/** The mark behind an explained mark. `at` is its position: explained marks stand in the order of the grid. */
const namedAgain = (mark: ExplainedMark, at: number): NamedMark => ({
  assessment_id: mark.assessment_id,
  title: mark.title,
  ...(mark.grade_id !== undefined && { grade_id: mark.grade_id }),
  ...(mark.category_id !== undefined && { category_id: mark.category_id }),
  sort_order: at,
  assessment_type: mark.assessment_type,
  max_score: mark.max_score,
  weight: mark.weight,
  assessment_excluded: mark.left_out === 'excluded_assessment',
  assessment_exclusion_reason: mark.exclusion_reason,
  score: mark.score,
  ...(mark.status !== undefined && { status: mark.status }),
  grade_excluded: mark.is_excluded === true,
  grade_exclusion_reason: mark.exclusion_reason,
})

function markWith(mark: NamedMark, tried: TriedMark | undefined, codes: readonly MarkCode[]): NamedMark {
  if (!tried) return mark
  const { status: before = null, ...named } = mark
  const grade_excluded = tried.is_excluded ?? mark.grade_excluded
  if (tried.mark === null) return { ...named, score: null, grade_excluded: false }
  if (tried.mark === undefined) return { ...mark, grade_excluded }
  const after = markAfter({ score: mark.score, status: before }, tried.mark, codes)
  if (typeof after === 'string') return { ...mark, grade_excluded }
  return { ...named, score: after.score, ...(after.status !== null && { status: after.status }), grade_excluded }
}

const gradesOf = (marks: readonly NamedMark[]) =>
  marks.map(({ assessment_id, score, status = null, grade_excluded }) => ({ assessment_id, score, status, is_excluded: grade_excluded }))

type YearResult = Omit<SubjectYear, 'under_review'> & { year_overall: number | null }

/**
 * The student's year grade in the subject, and the overall average, with this result of one term; null where the year has no such subject.
 */
export function whatIfYear(
  present: StudentYear,
  year: YearModel,
  scale: GradingScale,
  termId: string,
  tried: Pick<SubjectTerm, 'subject_id' | 'term_composite' | 'exam_average' | 'is_partial'>,
): YearResult | null {
  const { under_review: _review, ...own } = present.subjects.find(({ subject_id }) => subject_id === tried.subject_id) ?? {}
  if (!('terms' in own)) return null
  const { term_composite, is_partial } = tried
  const terms = own.terms.map(({ is_partial: was, ...term }) =>
    term.term_id === termId ? { ...term, term_composite, ...(is_partial && { is_partial }) } : { ...term, ...(was && { is_partial: was }) },
  )
  // The end-of-year exam is that of the last term.
  const lastExam = own.terms.at(-1)?.term_id === termId ? tried.exam_average : own.end_of_year_exam
  const figures = yearFigures(
    year,
    terms.map(({ term_composite }) => term_composite),
    lastExam,
  )
  const letter = letterFor(scale, figures.year_grade)
  return {
    ...own,
    ...figures,
    terms,
    letter_grade: letter?.letter ?? null,
    remark: letter?.remark ?? null,
    year_overall: meanOfPrinted(
      present.subjects.map(({ subject_id, year_grade }) => (subject_id === tried.subject_id ? figures.year_grade : year_grade)),
    ),
  }
}
