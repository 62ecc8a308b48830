import { aoife, elan, lukasz, mei, sean, zoe } from '@markbook/shared/story/marks'
import { class3B, english, hilary, irish, maths, michaelmas, science, thisYear, trinity } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const termOf3B = { termId: michaelmas.id, studentGroupId: class3B.id }
const yearOf3B = { academicYearId: thisYear.id, studentGroupId: class3B.id }

/** Michaelmas counts coursework 40 and exam 60. The lines say coursework, exam, composite and letter, worked out by hand. */
const michaelmasBySubject = [
  // Quiz of 20 and homework of 10, then the exam of 100.
  // Élan: (87.5 + 80) / 2 = 83.75, no exam, so coursework alone.
  { student: elan, subject: maths, figures: [83.75, null, 83.75, 'A', true] },
  // Zoë: the quiz is left out, 90; 90·0.4 + 71·0.6 = 36 + 42.6.
  { student: zoe, subject: maths, figures: [90, 71, 78.6, 'B', false] },
  // Seán: (60 + 65) / 2; 62.5·0.4 + 55·0.6 = 25 + 33.
  { student: sean, subject: maths, figures: [62.5, 55, 58, 'D', false] },
  // Aoife: 100·0.4 + 96·0.6 = 40 + 57.6.
  { student: aoife, subject: maths, figures: [100, 96, 97.6, 'A+', false] },
  // Łukasz: (46.25 + 40) / 2 = 43.125, printed 43.13 but carried on whole: 17.25 + 23.1.
  { student: lukasz, subject: maths, figures: [43.13, 38.5, 40.35, 'F', false] },
  // Mei: (70 + 70) / 2; 28 + 40.2.
  { student: mei, subject: maths, figures: [70, 67, 68.2, 'C', false] },
  // Essay of 50, exam of 100. Élan: 82·0.4 + 74·0.6 = 32.8 + 44.4.
  { student: elan, subject: english, figures: [82, 74, 77.2, 'B', false] },
  { student: lukasz, subject: english, figures: [60, 49, 53.4, 'D', false] },
  // Only an oral of 40: 31 / 40; coursework, with weight 40, is missing.
  { student: elan, subject: irish, figures: [null, 77.5, 77.5, 'B', true] },
  { student: lukasz, subject: irish, figures: [null, null, null, null, false] },
] as const

describe('GET /api/calculations/student-term', () => {
  test.each(michaelmasBySubject)('$student.first_name in $subject.name', async ({ student, subject, figures }) => {
    const result = await st.as.byrne.calculations.studentTerm({ query: { studentId: student.id, termId: michaelmas.id } })
    const own = result.subjects.find(({ subject_id }) => subject_id === subject.id)
    expect([own?.coursework_average, own?.exam_average, own?.term_composite, own?.letter_grade, own?.is_partial]).toEqual(figures)
  })

  test('the overall average is the mean of the printed composites, with the place in the class', async () => {
    const result = await st.as.byrne.calculations.studentTerm({ query: { studentId: elan.id, termId: michaelmas.id } })
    // (83.75 + 77.2 + 77.5) / 3 = 238.45 / 3 = 79.483…
    expect(result).toMatchObject({ student_id: elan.id, overall_average: 79.48, letter_grade: 'B', position: 2, total_students: 6 })
    expect(result.subjects.map(({ subject_code }) => subject_code)).toEqual(['MA', 'EN', 'GA'])
    expect(result).not.toHaveProperty('student')
  })
})

describe('GET /api/calculations/missing-marks', () => {
  test('the assessments that count with the pupils who have no mark in them', async () => {
    const rows = await st.as.byrne.calculations.missingMarks({ query: termOf3B })
    expect(rows.map(({ subject_code, title, assessment_type, students }) => [subject_code, title, assessment_type, students])).toEqual([
      ['MA', 'Christmas exam', 'exam', [{ id: elan.id, first_name: elan.first_name, last_name: elan.last_name }]],
      ['GA', 'Oral', 'exam', [{ id: lukasz.id, first_name: lukasz.first_name, last_name: lukasz.last_name }]],
    ])
  })

  test('nothing where nothing was set; everybody where nothing was marked', async () => {
    const inHilary = await st.as.byrne.calculations.missingMarks({ query: { ...termOf3B, termId: hilary.id } })
    expect(inHilary.map(({ subject_code, students }) => [subject_code, students.length])).toEqual([['SC', 6]])
  })
})

describe('GET /api/calculations/class-term', () => {
  test('every student by last name, ranked by what is printed', async () => {
    const { students, ...named } = await st.as.byrne.calculations.classTerm({ query: termOf3B })
    expect(named).toEqual({ term_id: michaelmas.id, student_group_id: class3B.id })
    expect(
      students.map(({ student, overall_average, letter_grade, position }) => [student.first_name, overall_average, letter_grade, position]),
    ).toEqual([
      ['Zoë', 65.73, 'C', 4], // (78.6 + 63.6 + 55) / 3 = 197.2 / 3
      ['Mei', 68.2, 'C', 3], // (68.2 + 71.4 + 65) / 3 = 204.6 / 3
      ['Aoife', 94.33, 'A+', 1], // (97.6 + 90.4 + 95) / 3 = 283 / 3
      ['Seán', 54.23, 'D', 5], // (58 + 57.2 + 47.5) / 3 = 162.7 / 3
      ['Élan', 79.48, 'B', 2],
      ['Łukasz', 46.88, 'F', 6], // (40.35 + 53.4) / 2 = 46.875
    ])
  })

  test('a term without marks ranks nobody', async () => {
    const { students } = await st.as.byrne.calculations.classTerm({ query: { ...termOf3B, termId: trinity.id } })
    expect(students.map(({ overall_average, position, total_students }) => [overall_average, position, total_students])).toEqual(
      Array(6).fill([null, null, 6]),
    )
  })
})

describe('GET /api/calculations/class-summary', () => {
  test('the figures of the class, read from the printed overalls', async () => {
    const { subjects, by_gender, ...summary } = await st.as.byrne.calculations.classSummary({ query: termOf3B })
    expect(summary).toEqual({
      term_id: michaelmas.id,
      student_group_id: class3B.id,
      total_students: 6,
      ranked_students: 6,
      class_average: 68.14, // 408.85 / 6 = 68.1416…
      median: 66.97, // (65.73 + 68.2) / 2 = 66.965
      highest: 94.33,
      lowest: 46.88,
      pass_count: 5,
      fail_count: 1,
      pass_rate: 83.33,
      distribution: [
        { letter: 'A+', count: 1 },
        { letter: 'A', count: 0 },
        { letter: 'B', count: 1 },
        { letter: 'C', count: 2 },
        { letter: 'D', count: 1 },
        { letter: 'F', count: 1 },
      ],
    })
    expect(by_gender).toEqual([
      { gender: 'male', count: 3, class_average: 60.2, pass_rate: 66.67 }, // (79.48 + 54.23 + 46.88) / 3 = 60.196…
      { gender: 'female', count: 2, class_average: 80.03, pass_rate: 100 }, // (65.73 + 94.33) / 2
      { gender: 'other', count: 1, class_average: 68.2, pass_rate: 100 },
    ])
    // Irish: 77.5, 55, 47.5, 95 and 65 make 340, of five.
    expect(subjects.find(({ subject_id }) => subject_id === irish.id)).toMatchObject({
      total_students: 6,
      ranked_students: 5,
      class_average: 68,
      median: 65,
      pass_count: 4,
      pass_rate: 80,
    })
  })
})

describe('GET /api/calculations/student-year and class-year', () => {
  test('before the last exam the year grade is the mean of the terms alone, and says that it is partial', async () => {
    const result = await st.as.byrne.calculations.studentYear({ query: { studentId: elan.id, academicYearId: thisYear.id } })
    const [own, , , projects] = result.subjects
    // Hilary: 44 / 60 = 73.33; T = (83.75 + 73.33) / 2 = 78.54.
    expect(own).toMatchObject({
      subject_id: maths.id,
      terms: [
        { term_id: michaelmas.id, name: 'michaelmas', term_composite: 83.75 },
        { term_id: hilary.id, name: 'hilary', term_composite: 73.33 },
        { term_id: trinity.id, name: 'trinity', term_composite: null },
      ],
      coursework_total: null,
      exam_total: null,
      end_of_year_exam: null,
      year_grade: 78.54,
      letter_grade: 'B',
      is_partial: true,
    })
    expect(projects).toMatchObject({ subject_id: science.id, year_grade: null, is_partial: false })
    // (78.54 + 77.2 + 77.5) / 3 = 233.24 / 3 = 77.746…
    expect(result).toMatchObject({ calculation_model: 'weighted_continuous', year_overall: 77.75, letter_grade: 'B', position: 2 })
  })

  test('the class by last name', async () => {
    const { students } = await st.as.byrne.calculations.classYear({ query: yearOf3B })
    expect(students.map(({ student, year_overall, position }) => [student.first_name, year_overall, position])).toEqual([
      ['Zoë', 63.47, 4], // ((78.6 + 65) / 2 = 71.8, 63.6, 55): 190.4 / 3
      ['Mei', 68.22, 3], // ((68.2 + 68.33) / 2 = 68.265, so 68.27, 71.4, 65): 204.67 / 3
      ['Aoife', 93.9, 1], // ((97.6 + 95) / 2 = 96.3, 90.4, 95): 281.7 / 3
      ['Seán', 53.18, 5], // ((58 + 51.67) / 2 = 54.835, so 54.84, 57.2, 47.5): 159.54 / 3
      ['Élan', 77.75, 2],
      ['Łukasz', 45.96, 6], // ((40.35 + 36.67) / 2 = 38.51, 53.4): 91.91 / 2 = 45.955
    ])
  })
})

describe('GET /api/calculations/explain', () => {
  const input = (student: { id: string }, subject: { id: string }) => ({
    query: { studentId: student.id, termId: michaelmas.id, subjectId: subject.id },
  })

  test('every mark, used or left out and why, and the printed result', async () => {
    const working = await st.as.ada.calculations.explain(input(zoe, maths))
    expect(working.marks.map(({ title, used, left_out, exclusion_reason }) => [title, used, left_out, exclusion_reason])).toEqual([
      ['Quiz 1', false, 'excluded_grade', 'was ill'],
      ['Homework', true, null, null],
      ['Christmas exam', true, null, null],
    ])
    expect(working.result).toMatchObject({ coursework_average: 90, exam_average: 71, term_composite: 78.6, letter_grade: 'B' })
    expect(working.steps.map(({ step }) => step)).toEqual([
      'coursework_average',
      'exam_average',
      'term_composite',
      'letter_grade',
      'overall_average',
    ])
    expect(working.steps.at(-1)).toMatchObject({ sum: 197.2, count: 3, printed: 65.73 })
  })

  test('agrees with the result itself', async () => {
    const result = await st.as.byrne.calculations.studentTerm({ query: { studentId: lukasz.id, termId: michaelmas.id } })
    for (const subject of result.subjects) {
      expect((await st.as.byrne.calculations.explain(input(lukasz, { id: subject.subject_id }))).result).toEqual(subject)
    }
  })

  test('a missing mark is not zero', async () => {
    const working = await st.as.byrne.calculations.explain(input(elan, maths))
    expect(working.marks.at(-1)).toMatchObject({ title: 'Christmas exam', score: null, used: false, left_out: 'no_mark' })
  })
})
