import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultGradingScale as scale } from './letters.ts'
import { standardMarkCodes } from './mark-codes.ts'
import type { Assessment } from './marks.ts'
import { type ClassTermInput, classTermResult, type StudentInput, unplacedTermResult } from './results.ts'

const assessment = (id: string, subject_id: string, more: Partial<Assessment> = {}): Assessment => ({
  id,
  term_id: 'michaelmas',
  subject_id,
  assessment_type: 'coursework',
  max_score: 100,
  weight: null,
  is_excluded: false,
  student_group_id: null,
  ...more,
})

const student = (id: string, last_name: string, scores: Record<string, number>, more: Partial<StudentInput> = {}): StudentInput => ({
  id,
  first_name: 'Ann',
  last_name,
  subject_ids: [],
  grades: Object.entries(scores).map(([assessment_id, score]) => ({ assessment_id, score, is_excluded: false })),
  ...more,
})

/**
 * Class 3B in Michaelmas, coursework 40, exam 60.
 * Maths: quiz out of 20 (weight 1), essay out of 50 (weight 3), exam out of 80. English: coursework out of 100 only.
 * - Byrne: maths coursework (100·15/20 + 3·100·40/50)/4 = (75 + 240)/4 = 78.75; exam 100·50/80 = 62.5;
 *   composite (78.75·40 + 62.5·60)/100 = 31.5 + 37.5 = 69. English 71.5 alone. Overall (69 + 71.5)/2 = 70.25.
 * - Élan: maths coursework 100·20/20 = 100 (essay missing), no exam: 100 alone. English 40.5. Overall 70.25 too.
 * - Okafor: maths only: exam 100·79/80 = 98.75 alone.
 * - Adeyemi: nothing recorded.
 */
const subjects = [
  { id: 'english', name: 'English', code: 'ENG', sort_order: 2 },
  { id: 'maths', name: 'Mathematics', code: 'MAT', sort_order: 1 },
  { id: 'latin', name: 'Latin', code: 'LAT', sort_order: 3 },
]
const class3B: ClassTermInput = {
  term: { id: 'michaelmas', coursework_weight: 40, exam_weight: 60 },
  student_group_id: '3B',
  scale,
  subjects,
  assessments: [
    assessment('quiz', 'maths', { max_score: 20, weight: 1 }),
    assessment('essay', 'maths', { max_score: 50, weight: 3 }),
    assessment('exam', 'maths', { max_score: 80, assessment_type: 'exam', student_group_id: '3B' }),
    assessment('english', 'english'),
    assessment('other class', 'latin', { student_group_id: '3A' }),
    assessment('other term', 'latin', { term_id: 'hilary' }),
  ],
  students: [
    student('s1', 'Okafor', { exam: 79 }, { subject_ids: ['maths'] }),
    student('s2', 'Élan', { quiz: 20, english: 40.5 }),
    student('s3', 'Byrne', { quiz: 15, essay: 40, exam: 50, english: 71.5, 'other class': 1, 'other term': 1 }),
    student('s4', 'Adeyemi', {}),
  ],
}

describe('class 3B in Michaelmas', () => {
  const result = classTermResult(class3B)

  test('students come by last name, with overall, letter and position 1, 2, 2', () => {
    expect(result).toMatchObject({ term_id: 'michaelmas', student_group_id: '3B' })
    expect(
      result.students.map((row) => [row.student.last_name, row.overall_average, row.letter_grade, row.position, row.total_students]),
    ).toEqual([
      ['Adeyemi', null, null, null, 4],
      ['Byrne', 70.25, 'B', 2, 4],
      ['Élan', 70.25, 'B', 2, 4],
      ['Okafor', 98.75, 'A+', 1, 4],
    ])
  })

  test('Byrne’s row has exactly the fields of `student-term` and the name', () => {
    expect(result.students[1]).toEqual({
      student_id: 's3',
      term_id: 'michaelmas',
      student: { id: 's3', first_name: 'Ann', last_name: 'Byrne' },
      subjects: [
        {
          subject_id: 'maths',
          subject_name: 'Mathematics',
          subject_code: 'MAT',
          coursework_average: 78.75,
          exam_average: 62.5,
          term_composite: 69,
          letter_grade: 'C',
          remark: 'Good',
          is_partial: false,
        },
        {
          subject_id: 'english',
          subject_name: 'English',
          subject_code: 'ENG',
          coursework_average: 71.5,
          exam_average: null,
          term_composite: 71.5,
          letter_grade: 'B',
          remark: 'Very good',
          is_partial: true,
        },
      ],
      overall_average: 70.25,
      letter_grade: 'B',
      position: 2,
      total_students: 4,
    })
  })

  test('a student with nothing recorded takes the subjects all the same, without figures', () => {
    expect(result.students[0]?.subjects).toHaveLength(2)
    expect(result.students[0]?.subjects[0]).toMatchObject({
      coursework_average: null,
      term_composite: null,
      letter_grade: null,
      is_partial: false,
    })
  })

  test('an assigned subject is shown though it has no assessment; grades of subjects not assigned are not', () => {
    const [own] = classTermResult({ ...class3B, students: [student('s5', 'Wu', { english: 90 }, { subject_ids: ['latin'] })] }).students
    expect(own?.subjects.map((row) => [row.subject_id, row.term_composite])).toEqual([['latin', null]])
    expect(own?.overall_average).toBeNull()
  })

  test('an excluded grade and an excluded assessment count for nothing', () => {
    const grades = [{ assessment_id: 'english', score: 90, is_excluded: true }]
    const assessments = class3B.assessments.map((row) => (row.id === 'quiz' ? { ...row, is_excluded: true } : row))
    const [own] = classTermResult({
      ...class3B,
      assessments,
      students: [student('s6', 'Wu', {}, { grades: [...grades, { assessment_id: 'quiz', score: 5, is_excluded: false }] })],
    }).students
    expect(own?.subjects.map((row) => row.term_composite)).toEqual([null, null])
  })

  test('the overall takes the printed composites: 66.666… and 0.005 are printed 66.67 and 0.01, their mean is 33.34', () => {
    // The mean of the exact composites, 33.33583…, is 33.34 too; with three they differ: (66.67·2 + 0.01)/3 = 44.45, exact 44.446….
    const assessments = [
      assessment('a', 'maths', { max_score: 3 }),
      assessment('b', 'english', { max_score: 3 }),
      assessment('c', 'latin', { max_score: 20000 }),
    ]
    const overall = (scores: Record<string, number>) =>
      classTermResult({ ...class3B, assessments, students: [student('s7', 'Wu', scores)] }).students[0]?.overall_average
    expect(overall({ a: 2, c: 1 })).toBe(33.34)
    expect(overall({ a: 2, b: 2, c: 1 })).toBe(44.45)
  })

  test('a student without a class has the figures of the school’s assessments, no position and a total of 0', () => {
    const { students, student_group_id: _class, ...rest } = class3B
    const alone = unplacedTermResult(rest, students[2] as StudentInput)
    // Without the exam of 3B maths is its coursework alone: (78.75 + 71.5)/2 = 75.125.
    expect(alone).toMatchObject({ student_id: 's3', overall_average: 75.13, position: null, total_students: 0 })
  })

  test('an empty class is an empty list', () => {
    expect(classTermResult({ ...class3B, students: [] }).students).toEqual([])
  })

  test('the order of rows never matters', () => {
    const grades = class3B.students.map((row) => ({ ...row, grades: [...row.grades].reverse() }))
    const shuffled = <T>(rows: readonly T[]) => fc.shuffledSubarray([...rows], { minLength: rows.length })
    fc.assert(
      fc.property(shuffled(class3B.subjects), shuffled(class3B.assessments), shuffled(grades), (bySubject, assessments, students) => {
        expect(classTermResult({ ...class3B, subjects: bySubject, assessments, students })).toEqual(result)
      }),
    )
  })
})

test('students of one name are ordered by id, so that every machine lists them alike', () => {
  const students = [student('b', 'élan', {}), student('a', 'Elan', {}), student('c', 'Elan', {}, { first_name: 'Abe' })]
  expect(classTermResult({ ...class3B, students }).students.map((row) => row.student_id)).toEqual(['c', 'a', 'b'])
})

/**
 * The same class, with codes. Byrne was absent in the exam: coursework 78.75 alone. Élan's essay is still to come: 100 alone, under review.
 * Okafor handed in late, which changes nothing. Adeyemi was excused from all coursework and has a code that counts as 0 in the exam, out of
 * 80: (0·60)/60 = 0 alone.
 */
describe('codes in place of scores', () => {
  const codes = [...standardMarkCodes, { code: 'np', name: 'No paper', effect: 'zero' as const, printed: true }]
  const coded = (at: number, own: Record<string, [number | null, string]>) => {
    const pupil = class3B.students[at] as StudentInput
    const rows = Object.entries(own).map(([assessment_id, [score, status]]) => ({ assessment_id, score, status, is_excluded: false }))
    return { ...pupil, grades: [...pupil.grades.filter(({ assessment_id }) => !(assessment_id in own)), ...rows] }
  }
  const students = [
    coded(0, { exam: [79, 'late'] }),
    coded(1, { essay: [null, 'inc'] }),
    coded(2, { exam: [null, 'abs'] }),
    coded(3, { quiz: [null, 'ex'], essay: [null, 'abs'], exam: [0, 'np'] }),
  ]
  const mathsOf = (result: ReturnType<typeof classTermResult>, id: string) =>
    result.students.find(({ student_id }) => student_id === id)?.subjects.find(({ subject_id }) => subject_id === 'maths')
  const result = classTermResult({ ...class3B, students, codes })

  test('are left out, counted as zero, or change nothing, and are named where an average would stand', () => {
    expect(mathsOf(result, 's1')).toMatchObject({ exam_average: 98.75, term_composite: 98.75 })
    expect(mathsOf(result, 's2')).toMatchObject({ coursework_average: 100, exam_average: null, under_review: true })
    expect(mathsOf(result, 's3')).toMatchObject({
      coursework_average: 78.75,
      exam_average: null,
      exam_code: 'abs',
      term_composite: 78.75,
      is_partial: true,
    })
    // Of two codes the first in the school's list is named.
    expect(mathsOf(result, 's4')).toMatchObject({ coursework_average: null, coursework_code: 'abs', exam_average: 0, term_composite: 0 })
    expect(mathsOf(result, 's1')).not.toHaveProperty('exam_code')
    expect(mathsOf(result, 's2')).not.toHaveProperty('coursework_code')
    expect(mathsOf(result, 's3')).not.toHaveProperty('under_review')
  })

  test('a code that the school does not print is not named, nor one of an excluded mark or assessment', () => {
    const unprinted = codes.map((code) => ({ ...code, printed: code.code !== 'abs' && code.printed }))
    expect(mathsOf(classTermResult({ ...class3B, students, codes: unprinted }), 's3')).not.toHaveProperty('exam_code')
    expect(mathsOf(classTermResult({ ...class3B, students, codes: unprinted }), 's4')).toMatchObject({ coursework_code: 'ex' })
    const excluded = class3B.assessments.map((one) => ({ ...one, is_excluded: one.id === 'exam' || one.id === 'essay' }))
    const without = classTermResult({ ...class3B, assessments: excluded, students, codes })
    expect(mathsOf(without, 's3')).not.toHaveProperty('exam_code')
    expect(mathsOf(without, 's2')).not.toHaveProperty('under_review')
  })

  test('without a code in any mark every figure is as without codes', () => {
    expect(classTermResult({ ...class3B, codes })).toEqual(classTermResult(class3B))
  })

  test('the order of marks and assessments changes nothing', () => {
    const turned = students.map((pupil) => ({ ...pupil, grades: [...pupil.grades].reverse() }))
    expect(classTermResult({ ...class3B, assessments: [...class3B.assessments].reverse(), students: turned, codes })).toEqual(result)
  })
})
