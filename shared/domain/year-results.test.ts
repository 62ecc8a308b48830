import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultGradingScale as scale } from './letters.ts'
import type { Assessment } from './marks.ts'
import type { StudentInput } from './results.ts'
import { type ClassYearInput, classYearResult, inTermOrder, unplacedYearResult } from './year-results.ts'

const assessment = (id: string, term_id: string, more: Partial<Assessment> = {}): Assessment => ({
  id,
  term_id,
  subject_id: 'maths',
  assessment_type: 'coursework',
  max_score: 100,
  weight: null,
  is_excluded: false,
  student_group_id: null,
  ...more,
})
const student = (id: string, last_name: string, scores: Record<string, number>): StudentInput => ({
  id,
  first_name: 'Ann',
  last_name,
  subject_ids: [],
  grades: Object.entries(scores).map(([assessment_id, score]) => ({ assessment_id, score, is_excluded: false })),
})
const term = (id: string, name: ClassYearInput['terms'][number]['name'], sort_order: number) => ({
  id,
  name,
  sort_order,
  exam_weight: 50,
  coursework_weight: 50,
})

/**
 * Year 40 coursework, 60 exam; each term 50, 50.
 * - Byrne, maths: Michaelmas 70 (coursework alone), Hilary (60 + 80)/2 = 70, Trinity (90 + 65)/2 = 77.5;
 *   T = 217.5/3 = 72.5, X = 65: 72.5·40/100 + 65·60/100 = 29 + 39 = 68. English only in Hilary: 80, no last exam: 80 alone.
 *   Overall (68 + 80)/2 = 74.
 * - Wu: Michaelmas 50 only; no exam in Trinity: 50 alone.
 */
const year3B: ClassYearInput = {
  year: { id: 'year', calculation_model: 'continuous_cumulative', year_coursework_weight: 40, year_exam_weight: 60 },
  terms: [term('t3', 'trinity', 3), term('t1', 'michaelmas', 1), term('t2', 'hilary', 2)],
  student_group_id: '3B',
  scale,
  subjects: [
    { id: 'english', name: 'English', code: 'ENG', sort_order: 2 },
    { id: 'maths', name: 'Mathematics', code: 'MAT', sort_order: 1 },
  ],
  assessments: [
    assessment('m1', 't1'),
    assessment('m2', 't2'),
    assessment('e2', 't2', { assessment_type: 'exam' }),
    assessment('m3', 't3'),
    assessment('e3', 't3', { assessment_type: 'exam' }),
    assessment('english', 't2', { subject_id: 'english' }),
  ],
  students: [student('s2', 'Wu', { m1: 50 }), student('s1', 'Byrne', { m1: 70, m2: 60, e2: 80, m3: 90, e3: 65, english: 80 })],
}

describe('class 3B over the year', () => {
  const result = classYearResult(year3B)

  test('Byrne’s row has exactly the fields of `student-year` and the name', () => {
    expect(result).toMatchObject({ academic_year_id: 'year', student_group_id: '3B', calculation_model: 'continuous_cumulative' })
    expect(result.students[0]).toEqual({
      student_id: 's1',
      academic_year_id: 'year',
      calculation_model: 'continuous_cumulative',
      student: { id: 's1', first_name: 'Ann', last_name: 'Byrne' },
      subjects: [
        {
          subject_id: 'maths',
          subject_name: 'Mathematics',
          subject_code: 'MAT',
          terms: [
            // Michaelmas has coursework alone, which the year does not count as partial.
            { term_id: 't1', name: 'michaelmas', term_composite: 70, is_partial: true },
            { term_id: 't2', name: 'hilary', term_composite: 70 },
            { term_id: 't3', name: 'trinity', term_composite: 77.5 },
          ],
          coursework_total: 29,
          exam_total: 39,
          end_of_year_exam: 65,
          year_grade: 68,
          letter_grade: 'C',
          remark: 'Good',
          is_partial: false,
        },
        {
          subject_id: 'english',
          subject_name: 'English',
          subject_code: 'ENG',
          terms: [
            { term_id: 't1', name: 'michaelmas', term_composite: null },
            { term_id: 't2', name: 'hilary', term_composite: 80, is_partial: true },
            { term_id: 't3', name: 'trinity', term_composite: null },
          ],
          coursework_total: 32,
          exam_total: null,
          end_of_year_exam: null,
          year_grade: 80,
          letter_grade: 'A',
          remark: 'Excellent',
          is_partial: true,
        },
      ],
      year_overall: 74,
      letter_grade: 'B',
      position: 1,
      total_students: 2,
    })
  })

  test('Wu has one composite, no end-of-year exam, and the second place', () => {
    const own = result.students.find(({ student_id }) => student_id === 's2')
    expect(own).toMatchObject({ year_overall: 50, letter_grade: 'D', position: 2, total_students: 2 })
    expect(own?.subjects[0]).toMatchObject({ coursework_total: 20, exam_total: null, year_grade: 50, is_partial: true })
    expect(own?.subjects[1]).toMatchObject({ year_grade: null, letter_grade: null, is_partial: false })
  })

  test('the end-of-year exam is that of the last term, even where an earlier term has the only exam', () => {
    const [own] = classYearResult({ ...year3B, assessments: year3B.assessments.filter((row) => row.id !== 'e3') }).students
    expect(own?.subjects[0]).toMatchObject({ end_of_year_exam: null, exam_total: null, is_partial: true })
  })

  test('a student without a class has the figures, no position and a total of 0', () => {
    const { students, student_group_id: _class, ...rest } = year3B
    const alone = unplacedYearResult(rest, students[1] as StudentInput)
    expect(alone).toMatchObject({ year_overall: 74, position: null, total_students: 0 })
  })

  test('the order of rows never matters', () => {
    const shuffled = <T>(rows: readonly T[]) => fc.shuffledSubarray([...rows], { minLength: rows.length })
    fc.assert(
      fc.property(shuffled(year3B.terms), shuffled(year3B.assessments), shuffled(year3B.students), (terms, assessments, students) => {
        expect(classYearResult({ ...year3B, terms, assessments, students })).toEqual(result)
      }),
    )
  })
})

test('terms with the same sort_order are ordered by id', () => {
  expect(inTermOrder([term('b', 'hilary', 1), term('a', 'trinity', 1), term('c', 'michaelmas', 0)]).map(({ id }) => id)).toEqual([
    'c',
    'a',
    'b',
  ])
})
