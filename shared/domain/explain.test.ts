import { describe, expect, test } from 'vitest'
import type { SubjectTerm } from '../contract/calculations.ts'
import { typeAverages } from './averages.ts'
import { type ExplainInput, explain, type NamedMark, namedMark } from './explain.ts'
import { defaultGradingScale as scale } from './letters.ts'
import { standardMarkCodes } from './mark-codes.ts'
import { subjectTermResult } from './results.ts'

const mark = (title: string, more: Partial<NamedMark>): NamedMark => ({
  assessment_id: title,
  title,
  assessment_type: 'coursework',
  max_score: 100,
  weight: null,
  assessment_excluded: false,
  assessment_exclusion_reason: null,
  score: null,
  grade_excluded: false,
  grade_exclusion_reason: null,
  ...more,
})
const term = { id: 'michaelmas', coursework_weight: 40, exam_weight: 60 }
const subject = { id: 'maths', name: 'Mathematics', code: 'MAT', sort_order: 1 }

/** Coursework (66.666…·1 + 75·3)/4 = 72.91666…; exam 62.5; composite (72.91666…·40 + 62.5·60)/100 = 66.66666…. */
const marks = [
  mark('Quiz', { score: 2, max_score: 3 }),
  mark('Essay', { score: 37.5, max_score: 50, weight: 3 }),
  mark('Project', { score: 9, grade_excluded: true, grade_exclusion_reason: 'was ill' }),
  mark('Poster', { score: 9, assessment_excluded: true, assessment_exclusion_reason: 'wrong paper' }),
  mark('Reading', {}),
  mark('Exam', { assessment_type: 'exam', score: 50, max_score: 80 }),
]
const maths = subjectTermResult(subject, typeAverages(marks), term, scale)
const named = (subject_name: string, term_composite: number | null): SubjectTerm => ({
  ...maths,
  subject_id: subject_name,
  subject_name,
  term_composite,
})
const input: ExplainInput = { student_id: 's1', term, subject, scale, marks, subjects: [maths, named('Art', 70.01), named('Latin', null)] }
const working = explain(input)
const stepOf = (name: string, more: Partial<ExplainInput> = {}) => explain({ ...input, ...more }).steps.find(({ step }) => step === name)

describe('the marks', () => {
  test('every mark is listed, as used or left out, with the reason', () => {
    expect(working.marks.map((row) => [row.title, row.used, row.left_out, row.exclusion_reason])).toEqual([
      ['Quiz', true, null, null],
      ['Essay', true, null, null],
      ['Project', false, 'excluded_grade', 'was ill'],
      ['Poster', false, 'excluded_assessment', 'wrong paper'],
      ['Reading', false, 'no_mark', null],
      ['Exam', true, null, null],
    ])
  })

  test('each says so in a sentence', () => {
    expect(working.marks.map((row) => row.text)).toEqual([
      'Quiz: 2 out of 3 ≈66.666667 %, with weight 1.',
      'Essay: 37.5 out of 50 = 75 %, with weight 3.',
      'Project is left out because this mark is excluded: was ill.',
      'Poster is left out because the assessment is excluded: wrong paper.',
      'Reading is left out because no mark has been recorded.',
      'Exam: 50 out of 80 = 62.5 %, with weight 1.',
    ])
  })

  test('a percentage with further decimals is marked as inexact', () => {
    expect(working.marks[0]).toMatchObject({ percentage: { decimal: 66.666667, exact: false }, weight: 1 })
    expect(working.marks[1]).toMatchObject({ percentage: { decimal: 75, exact: true }, weight: 3 })
    expect(working.marks[4]?.percentage).toBeNull()
  })

  test('the assessment’s exclusion is told before the mark’s own, and before a missing mark; a reason may be absent', () => {
    const twice = mark('T', { score: 1, assessment_excluded: true, grade_excluded: true, grade_exclusion_reason: 'late' })
    const gone = mark('G', { assessment_excluded: true })
    const rows = explain({ ...input, marks: [twice, gone] }).marks
    expect(rows.map((row) => [row.left_out, row.exclusion_reason])).toEqual([
      ['excluded_assessment', null],
      ['excluded_assessment', null],
    ])
    expect(rows[0]?.text).toBe('T is left out because the assessment is excluded.')
  })
})

test('a mark is made of an assessment and, where there is one, a grade', () => {
  const assessment = {
    id: 'a',
    title: 'Quiz',
    term_id: 'michaelmas',
    subject_id: 'maths',
    assessment_type: 'exam' as const,
    max_score: 20,
    weight: 2,
    is_excluded: true,
    exclusion_reason: 'wrong paper',
    student_group_id: null,
  }
  const without = mark('Quiz', {
    assessment_id: 'a',
    assessment_type: 'exam',
    max_score: 20,
    weight: 2,
    assessment_excluded: true,
    assessment_exclusion_reason: 'wrong paper',
  })
  expect(namedMark(assessment, undefined)).toEqual(without)
  expect(namedMark(assessment, { assessment_id: 'a', score: 0, is_excluded: true, exclusion_reason: 'was ill' })).toEqual({
    ...without,
    score: 0,
    grade_excluded: true,
    grade_exclusion_reason: 'was ill',
  })
})

test('a code is named, with what it does', () => {
  const coded = (title: string, score: number | null, status: string) => ({ ...mark(title, { score }), status })
  const all = [coded('Quiz', null, 'abs'), coded('Essay', null, 'inc'), coded('Project', 3, 'late'), coded('Poster', null, 'old')]
  const said = explain({ ...input, marks: all, codes: standardMarkCodes })
  expect(said.marks.map(({ status, left_out, text }) => [status, left_out, text])).toEqual([
    ['abs', 'no_mark', 'Quiz is left out: Absent (abs).'],
    ['inc', 'no_mark', 'Essay is left out: Incomplete (inc), a mark is still to come.'],
    ['late', null, 'Project: 3 (Late) out of 100 = 3 %, with weight 1.'],
    ['old', 'no_mark', 'Poster is left out: old.'],
  ])
  const subjects = [{ ...maths, exam_code: 'abs', under_review: true as const }]
  expect(explain({ ...input, subjects }).result).toMatchObject({ exam_code: 'abs', under_review: true })
})

describe('the steps', () => {
  test('coursework average', () => {
    expect(working.steps[0]).toEqual({
      step: 'coursework_average',
      parts: [
        {
          assessment_id: 'Quiz',
          percentage: { decimal: 66.666667, exact: false },
          weight: 1,
          product: { decimal: 66.666667, exact: false },
        },
        { assessment_id: 'Essay', percentage: { decimal: 75, exact: true }, weight: 3, product: { decimal: 225, exact: true } },
      ],
      weighted_sum: { decimal: 291.666667, exact: false },
      weight_sum: { decimal: 4, exact: true },
      exact: { decimal: 72.916667, exact: false },
      printed: 72.92,
      text: 'Coursework average: (≈66.666667 × 1 + 75 × 3) ÷ 4 ≈72.916667, printed as 72.92.',
    })
  })

  test('exam average', () => {
    expect(working.steps[1]).toMatchObject({ step: 'exam_average', printed: 62.5, text: 'Exam average: (62.5 × 1) ÷ 1 = 62.5.' })
  })

  test('term composite, from the averages before they are rounded', () => {
    expect(working.steps[2]).toEqual({
      step: 'term_composite',
      coursework: { decimal: 72.916667, exact: false },
      coursework_weight: 40,
      exam: { decimal: 62.5, exact: true },
      exam_weight: 60,
      exact: { decimal: 66.666667, exact: false },
      printed: 66.67,
      is_partial: false,
      text: 'Term composite: (≈72.916667 × 40 + 62.5 × 60) ÷ 100 ≈66.666667, printed as 66.67.',
    })
  })

  test('letter', () => {
    expect(working.steps[3]).toEqual({
      step: 'letter_grade',
      average: 66.67,
      minimum: 60,
      letter_grade: 'C',
      remark: 'Good',
      text: 'Letter: 66.67 reaches 60, which is C (Good).',
    })
  })

  test('overall average, from the printed composites: (66.67 + 70.01)/2 = 68.34', () => {
    expect(working.steps[4]).toEqual({
      step: 'overall_average',
      composites: [
        { subject_id: 'maths', subject_name: 'Mathematics', term_composite: 66.67 },
        { subject_id: 'Art', subject_name: 'Art', term_composite: 70.01 },
        { subject_id: 'Latin', subject_name: 'Latin', term_composite: null },
      ],
      sum: 136.68,
      count: 2,
      exact: { decimal: 68.34, exact: true },
      printed: 68.34,
      text: 'Overall average: (66.67 + 70.01) ÷ 2 = 68.34.',
    })
  })

  test('a decimal that ends, but not within two places, is shown in full and as printed', () => {
    expect(stepOf('coursework_average', { marks: [mark('Q', { score: 66.66 }), mark('R', { score: 66.67 })] })?.text).toBe(
      'Coursework average: (66.66 × 1 + 66.67 × 1) ÷ 2 = 66.665, printed as 66.67.',
    )
  })

  test('missing parts are stated', () => {
    const [courseworkOnly, examOnly] = [marks.slice(0, 1), marks.slice(5)]
    const composite = (more: Partial<ExplainInput>) => stepOf('term_composite', more)?.text
    expect(composite({ marks: courseworkOnly })).toBe(
      'Term composite: there is no exam average, so the coursework average counts alone: ≈66.666667, printed as 66.67.',
    )
    expect(composite({ marks: examOnly })).toBe('Term composite: there is no coursework average, so the exam average counts alone: 62.5.')
    expect(composite({ marks: examOnly, term: { ...term, coursework_weight: 100, exam_weight: 0 } })).toBe(
      'Term composite: there is only an exam average, which has weight 0 in this term, so there is none.',
    )
    expect(composite({ marks: [] })).toBe('Term composite: there is neither a coursework nor an exam average.')
    expect(stepOf('exam_average', { marks: [] })?.text).toBe('Exam average: there is no mark to use.')
    expect(stepOf('exam_average', { marks: [mark('E', { assessment_type: 'exam', score: 5, weight: 0 })] })?.text).toBe(
      'Exam average: every mark has weight 0, so there is none.',
    )
    expect(stepOf('letter_grade', { marks: [] })).toMatchObject({
      average: null,
      minimum: null,
      text: 'Letter: without a composite there is none.',
    })
    expect(stepOf('overall_average', { subjects: [] })).toMatchObject({
      count: 0,
      sum: 0,
      printed: null,
      text: 'Overall average: no subject has a composite yet.',
    })
  })
})

test('the result equals that of the report card, and JSON preserves all of it', () => {
  expect(working).toMatchObject({ student_id: 's1', term_id: 'michaelmas', result: maths })
  expect(JSON.parse(JSON.stringify(working))).toEqual(working)
})
