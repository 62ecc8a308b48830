import type { Explanation } from '@markbook/shared/contract/calculations'
import { explain, namedMark } from '@markbook/shared/domain/explain'
import { compareText } from '@markbook/shared/domain/fold'
import { classTermResult } from '@markbook/shared/domain/results'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx } from '../../store/tx.ts'
import { markCodesOf } from '../schools/mark-codes.policy.ts'
import { type ClassMarks, marksOfStudent } from './calculations.policy.ts'
import { gradesWithReasons } from './calculations.queries.ts'
import { withReview } from './reviewed-results.ts'

type ExplainedRows = {
  student: Row<'student'>
  term: Row<'term'>
  subject: Row<'subject'>
  group: Row<'student_group'> | null
  seesOthers: boolean
}
type Assessment = ClassMarks['assessments'][number]

/** In the order of the mark grid: by `sort_order`, null last. */
const inOrder = (a: Assessment, b: Assessment) =>
  (a.sort_order ?? Number.MAX_SAFE_INTEGER) - (b.sort_order ?? Number.MAX_SAFE_INTEGER) || compareText(a.id, b.id)

/**
 * The explanation of one subject of one student (decisions §5, `explain`), from the same marks as the result itself. Without `seesOthers`
 * it has no step of the overall average, which contains the results of other subjects.
 */
export async function explanationOf(tx: ReadTx, { student, term, subject, group, seesOthers }: ExplainedRows): Promise<Explanation> {
  const marks = await marksOfStudent(tx, student, group, term)
  const grades = await gradesWithReasons(tx, { school: student.school_id, student: student.id, term: term.id })
  const gradesByAssessmentId = new Map(grades.map((grade) => [grade.assessment_id, grade]))
  const [result] = await withReview(tx, student.school_id, [term.id], classTermResult({ ...marks, term }).students)
  const working = explain({
    student_id: student.id,
    term,
    subject,
    scale: marks.scale,
    codes: grades.some(({ status }) => status !== null) ? await markCodesOf(tx, student.school_id) : [],
    marks: marks.assessments
      .filter(({ subject_id }) => subject_id === subject.id)
      .sort(inOrder)
      .map((assessment) => namedMark(assessment, gradesByAssessmentId.get(assessment.id))),
    categories: marks.categories ?? [],
    subjects: result?.subjects ?? [],
  })
  return seesOthers ? working : { ...working, steps: working.steps.filter(({ step }) => step !== 'overall_average') }
}
