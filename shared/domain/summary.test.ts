import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClassTerm } from '../contract/calculations.ts'
import { defaultGradingScale as scale } from './letters.ts'
import { classSummary, groupFigures, mayShowByGender } from './summary.ts'

const distribution = (counts: Record<string, number>) => scale.bands.map(({ letter }) => ({ letter, count: counts[letter] ?? 0 }))

describe('figures of a group', () => {
  test('80, 49.99, 50, none: average 179.99/3 = 59.996…, median 50, two of three pass', () => {
    expect(groupFigures([80, 49.99, null, 50], scale)).toEqual({
      total_students: 4,
      ranked_students: 3,
      class_average: 60,
      median: 50,
      highest: 80,
      lowest: 49.99,
      pass_count: 2,
      fail_count: 1,
      pass_rate: 66.67,
      distribution: distribution({ A: 1, D: 1, F: 1 }),
    })
  })

  test('the median of an even number is the mean of the middle two, half up: (66.66 + 66.67)/2 = 66.665', () => {
    expect(groupFigures([100, 66.67, 9, 66.66], scale).median).toBe(66.67)
    expect(groupFigures([10, 9], scale).median).toBe(9.5)
    expect(groupFigures([42.42], scale).median).toBe(42.42)
  })

  test.each([{ averages: [] }, { averages: [null, null] }])(
    'nobody ranked: counts 0, averages and rates null ($averages)',
    ({ averages }) => {
      expect(groupFigures(averages, scale)).toEqual({
        total_students: averages.length,
        ranked_students: 0,
        class_average: null,
        median: null,
        highest: null,
        lowest: null,
        pass_count: 0,
        fail_count: 0,
        pass_rate: null,
        distribution: distribution({}),
      })
    },
  )

  test('the pass mark is the school’s', () => {
    expect(groupFigures([60, 59.99], { ...scale, passMark: 60 })).toMatchObject({ pass_count: 1, fail_count: 1, pass_rate: 50 })
  })

  test('counts add up, figures lie between lowest and highest, order does not matter', () => {
    const average = fc.option(fc.integer({ min: 0, max: 10_000 }).map((n) => n / 100))
    fc.assert(
      fc.property(fc.array(average, { maxLength: 40 }), (averages) => {
        const figures = groupFigures(averages, scale)
        const { ranked_students, class_average, median, lowest, highest } = figures
        expect(figures.pass_count + figures.fail_count).toBe(ranked_students)
        expect(figures.distribution.reduce((sum, { count }) => sum + count, 0)).toBe(ranked_students)
        expect(groupFigures([...averages].reverse(), scale)).toEqual(figures)
        if (class_average === null || median === null || lowest === null || highest === null) {
          expect(ranked_students).toBe(0)
          return
        }
        for (const figure of [class_average, median]) expect(figure >= lowest && figure <= highest).toBe(true)
        const below = averages.filter((value) => value !== null && value < median).length
        expect(below).toBeLessThanOrEqual(ranked_students / 2)
      }),
    )
  })
})

describe('class-summary', () => {
  const row = (id: string, overall_average: number | null, composites: Record<string, number | null>): ClassTerm['students'][number] => ({
    student_id: id,
    term_id: 'michaelmas',
    student: { id, first_name: 'Ann', last_name: id },
    subjects: Object.entries(composites).map(([subject_id, term_composite]) => ({
      subject_id,
      subject_name: subject_id,
      subject_code: subject_id,
      coursework_average: null,
      exam_average: null,
      term_composite,
      letter_grade: null,
      remark: null,
      is_partial: false,
    })),
    overall_average,
    letter_grade: null,
    position: null,
    total_students: 4,
  })
  const subjects = ['latin', 'maths', 'art', 'unused'].map((id, index) => ({ id, name: id, code: id, sort_order: 9 - index }))
  const summary = classSummary({
    result: {
      term_id: 'michaelmas',
      student_group_id: '3B',
      students: [
        row('s1', 70, { maths: 80, latin: 60 }),
        row('s2', 40, { maths: 40, art: null }),
        row('s3', null, { maths: null }),
        row('s4', 55.55, { maths: 55.55 }),
      ],
    },
    scale,
    subjects,
    students: [
      { id: 's4', gender: 'female' },
      { id: 's3', gender: 'other' },
      { id: 's2', gender: 'male' },
      { id: 's1', gender: 'female' },
    ],
  })

  test('the class: (70 + 40 + 55.55)/3 = 55.183…', () => {
    const { subjects: _subjects, by_gender: _genders, ...figures } = summary
    expect(figures).toEqual({
      term_id: 'michaelmas',
      student_group_id: '3B',
      total_students: 4,
      ranked_students: 3,
      class_average: 55.18,
      median: 55.55,
      highest: 70,
      lowest: 40,
      pass_count: 2,
      fail_count: 1,
      pass_rate: 66.67,
      distribution: distribution({ B: 1, D: 1, F: 1 }),
    })
  })

  test('subjects with students, in the school’s order, each over its own students', () => {
    expect(summary.subjects.map((subject) => subject.subject_id)).toEqual(['art', 'maths', 'latin'])
    expect(summary.subjects[0]).toMatchObject({ total_students: 1, ranked_students: 0, class_average: null, pass_rate: null })
    // (80 + 40 + 55.55)/3 = 58.516…
    expect(summary.subjects[1]).toEqual({
      subject_id: 'maths',
      subject_name: 'maths',
      subject_code: 'maths',
      total_students: 4,
      ranked_students: 3,
      class_average: 58.52,
      median: 55.55,
      highest: 80,
      lowest: 40,
      pass_count: 2,
      fail_count: 1,
      pass_rate: 66.67,
      distribution: distribution({ A: 1, D: 1, F: 1 }),
    })
  })

  test('genders in a fixed order; (70 + 55.55)/2 = 62.775 is 62.78', () => {
    expect(summary.by_gender).toEqual([
      { gender: 'male', count: 1, class_average: 40, pass_rate: 0 },
      { gender: 'female', count: 2, class_average: 62.78, pass_rate: 100 },
      { gender: 'other', count: 1, class_average: null, pass_rate: null },
    ])
  })
})

test.each([
  [[], true],
  [[5, 7, 0], true],
  [[12], true],
  [[4, 20], false],
  [[1, 0, 30], false],
] as const)('by gender with %j pupils: %s', (counts, may) => expect(mayShowByGender(counts)).toBe(may))
