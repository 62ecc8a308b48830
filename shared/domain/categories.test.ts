import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { typeAverages } from './averages.ts'
import { averageByCategories, type Categorised, type Category, categoryGroups, weightLeft } from './categories.ts'
import { withCategories } from './class-marks.ts'
import { compare, printed, ratio } from './exact.ts'
import { explain } from './explain.ts'
import { defaultGradingScale } from './letters.ts'
import { classTermResult } from './results.ts'

const category = (id: string, weight: number, more: Partial<Category> = {}): Category => ({
  id,
  name: id,
  subject_id: null,
  assessment_type: 'coursework',
  weight,
  drop_lowest: 0,
  is_extra_credit: false,
  sort_order: 0,
  ...more,
})
const test100 = (id: string, category_id: string | null, more: Partial<Categorised> = {}): Categorised => ({
  id,
  subject_id: 'maths',
  assessment_type: 'coursework',
  max_score: 100,
  weight: null,
  category_id,
  ...more,
})

/** The printed coursework average of somebody with these scores. */
function averageOf(assessments: readonly Categorised[], categories: readonly Category[], scores: Readonly<Record<string, number>>) {
  const { coursework } = categoryGroups(assessments, categories)
  if (!coursework) throw new Error('no assessment has a category')
  return averageByCategories(coursework, ({ id }) => scores[id] ?? null)
}
const printedOf = (...of: Parameters<typeof averageOf>) => printed(averageOf(...of).average)

describe('the average by categories, computed by hand', () => {
  const categories = [category('quizzes', 40, { drop_lowest: 1 }), category('project', 60, { sort_order: 1 })]
  const assessments = [test100('q1', 'quizzes'), test100('q2', 'quizzes'), test100('q3', 'quizzes'), test100('p', 'project')]

  test('quizzes 50, 80, 90 without the lowest are 85; 85 × 40 % + 70 × 60 % = 76', () => {
    const by = averageOf(assessments, categories, { q1: 50, q2: 80, q3: 90, p: 70 })
    expect(printed(by.average)).toBe(76)
    expect(by.parts.map(({ dropped }) => dropped.map(({ id }) => id))).toEqual([['q1'], []])
  })

  test('a category without marks does not count: 85 alone', () => {
    expect(printedOf(assessments, categories, { q1: 50, q2: 80, q3: 90 })).toBe(85)
  })

  test('the last mark that counts is never dropped', () => {
    expect(printedOf(assessments, [category('quizzes', 100, { drop_lowest: 10 })], { q1: 50, q2: 20 })).toBe(50)
    expect(printedOf(assessments, [category('quizzes', 100, { drop_lowest: 10 })], { q1: 50 })).toBe(50)
  })

  test('of equal percentages the later in order is dropped, whatever the order of the list', () => {
    const pair = [test100('a', 'quizzes', { sort_order: 2, weight: 3 }), test100('b', 'quizzes', { sort_order: 1 })]
    for (const list of [pair, [...pair].reverse()]) {
      const by = averageOf(list, [category('quizzes', 100, { drop_lowest: 1 })], { a: 50, b: 50 })
      expect(by.parts[0]?.dropped.map(({ id }) => id)).toEqual(['a'])
    }
  })

  test('a mark of weight 0 does not count, so it is not dropped either', () => {
    const list = [test100('a', 'quizzes', { weight: 0 }), test100('b', 'quizzes')]
    expect(printedOf(list, [category('quizzes', 100, { drop_lowest: 1 })], { a: 90, b: 40 })).toBe(40)
  })

  test('assessments without a category have the remaining weight: (80 × 30 + 50 × 70) / 100', () => {
    const list = [test100('q', 'quizzes'), test100('x', null), test100('y', null)]
    expect(printedOf(list, [category('quizzes', 30)], { q: 80, x: 40, y: 60 })).toBe(59)
  })

  test('without remaining weight they do not count, also where the sum is above 100', () => {
    const list = [test100('q', 'quizzes'), test100('p', 'project'), test100('x', null)]
    expect(printedOf(list, [category('quizzes', 90), category('project', 60)], { q: 80, p: 30, x: 0 })).toBe(60)
  })

  test('when all weights that have a value are 0, each counts alike', () => {
    const list = [test100('q', 'quizzes'), test100('p', 'project')]
    const none = [category('quizzes', 0), category('project', 0), category('exams', 100)]
    expect(printedOf(list, none, { q: 80, p: 30 })).toBe(55)
  })

  test('without extra credit an average is not cut at 100, as in the contract', () => {
    expect(printedOf([test100('p', 'project')], [category('project', 100)], { p: 104 })).toBe(104)
  })

  test('extra credit adds average × weight ÷ 100, at most up to 100; alone it gives no average', () => {
    const list = [test100('q', 'quizzes'), test100('e', 'extra')]
    const with5 = [category('quizzes', 100), category('extra', 5, { is_extra_credit: true })]
    expect(printedOf(list, with5, { q: 80, e: 60 })).toBe(83)
    expect(printedOf(list, with5, { q: 98, e: 60 })).toBe(100)
    expect(printedOf(list, with5, { e: 60 })).toBeNull()
  })

  test('a category of another subject or type, or one that is gone, counts as none', () => {
    const list = [test100('q', 'quizzes')]
    expect(categoryGroups(list, [category('quizzes', 40, { assessment_type: 'exam' })]).coursework).toBeNull()
    expect(categoryGroups(list, [category('quizzes', 40, { subject_id: 'irish' })]).coursework).toBeNull()
    expect(categoryGroups(list, []).coursework).toBeNull()
  })

  test.each([
    [[33.33, 33.33], 33.34],
    [[100], 0],
    [[70, 70], 0],
    [[], 100],
  ])('of weights %j, %d is left', (weights, left) => {
    expect(weightLeft(weights.map((weight) => ({ weight, is_extra_credit: false })))).toBe(left)
  })
})

const ids = ['a', 'b', 'c', 'd', 'e', 'f']
const categoryOf = fc.constantFrom(null, 'one', 'two', 'extra')
const world = fc.record({
  assessments: fc.tuple(
    ...ids.map((id) =>
      fc.record({
        id: fc.constant(id),
        subject_id: fc.constant('maths'),
        assessment_type: fc.constant('coursework' as const),
        max_score: fc.constantFrom(10, 12.5, 30, 100),
        weight: fc.constantFrom(null, 0, 1, 2.5),
        category_id: categoryOf,
        sort_order: fc.constantFrom(null, 1, 2),
      }),
    ),
  ),
  shares: fc.array(fc.option(fc.integer({ min: 0, max: 100 })), { minLength: ids.length, maxLength: ids.length }),
  weights: fc.tuple(fc.constantFrom(0, 30, 33.33, 70, 100), fc.constantFrom(0, 30, 60), fc.constantFrom(0, 5, 100)),
  drops: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
})
type World = typeof world extends fc.Arbitrary<infer W> ? W : never
const categoriesOf = ({ weights, drops }: World) => [
  category('one', weights[0], { drop_lowest: drops[0] }),
  category('two', weights[1], { drop_lowest: drops[1] }),
  category('extra', weights[2], { is_extra_credit: true }),
]
const scoreIn =
  ({ shares, assessments }: World) =>
  ({ id, max_score }: Categorised) => {
    const share = shares[assessments.findIndex((each) => each.id === id)]
    return share == null ? null : Math.floor(max_score * share) / 100
  }
const resultOf = (of: World, categories = categoriesOf(of), assessments: readonly Categorised[] = of.assessments) => {
  const { coursework } = categoryGroups(assessments, categories)
  return coursework && averageByCategories(coursework, scoreIn(of)).average
}

describe('whatever the marks', () => {
  test('the order of the lists changes nothing, and the result lies within 0 and 100', () => {
    fc.assert(
      fc.property(world, fc.shuffledSubarray([...ids], { minLength: ids.length }), (of, order) => {
        const result = resultOf(of)
        const shuffled = order.map((id) => of.assessments.find((each) => each.id === id) as Categorised)
        expect(printed(resultOf(of, [...categoriesOf(of)].reverse(), shuffled))).toBe(printed(result))
        if (result) expect([compare(result, ratio(0, 1)) >= 0, compare(result, ratio(100, 1)) <= 0]).toEqual([true, true])
      }),
    )
  })

  test('dropping more never lowers the result', () => {
    fc.assert(
      fc.property(world, (of) => {
        const categories = categoriesOf(of)
        const [before, after] = [categories, categories.map((each) => ({ ...each, drop_lowest: each.drop_lowest + 1 }))].map((each) =>
          resultOf(of, each),
        )
        if (before && after) expect(compare(after, before)).toBeGreaterThanOrEqual(0)
        expect(after === null).toBe(before === null)
      }),
    )
  })

  test('extra credit never lowers the result', () => {
    fc.assert(
      fc.property(world, (of) => {
        const without = resultOf(
          of,
          categoriesOf(of).map((each) => (each.is_extra_credit ? { ...each, weight: 0 } : each)),
        )
        const result = resultOf(of)
        if (result && without) expect(compare(result, without)).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  const exam = { is_excluded: false, student_group_id: null, term_id: 'term' }
  const term = { id: 'term', coursework_weight: 40, exam_weight: 60 }
  const inputOf = (of: World, categories: readonly Category[]) => ({
    student_group_id: 'class',
    scale: defaultGradingScale,
    subjects: [{ id: 'maths', name: 'Mathematics', code: 'MA', sort_order: 1 }],
    assessments: of.assessments.map((each) => ({ ...each, ...exam })),
    students: [
      {
        id: 'pupil',
        first_name: 'A',
        last_name: 'B',
        subject_ids: ['maths'],
        grades: of.assessments.map((each) => ({ assessment_id: each.id, score: scoreIn(of)(each), is_excluded: false })),
      },
    ],
    categories,
    term,
  })
  const marksOf = (of: World) =>
    of.assessments.map((each) => ({
      ...each,
      assessment_id: each.id,
      title: each.id,
      score: scoreIn(of)(each),
      assessment_excluded: false,
      grade_excluded: false,
      assessment_exclusion_reason: null,
      grade_exclusion_reason: null,
    }))

  test('without categories, the results equal those of the contract’s formula to the last digit', () => {
    fc.assert(
      fc.property(world, (of) => {
        const plain = { ...of, assessments: of.assessments.map((each) => ({ ...each, category_id: null })) } as unknown as World
        const found = classTermResult(inputOf(plain, categoriesOf(of)))
        expect(found).toEqual(classTermResult(inputOf(plain, [])))
        const averages = typeAverages(marksOf(plain))
        expect(withCategories(averages, categoryGroups(plain.assessments, categoriesOf(of)), scoreIn(of))).toEqual(averages)
      }),
    )
  })

  test('the class result, the explanation and the rule itself agree', () => {
    fc.assert(
      fc.property(world, (of) => {
        const categories = categoriesOf(of)
        const subjects = classTermResult(inputOf(of, categories)).students[0]?.subjects ?? []
        const working = explain({
          student_id: 'pupil',
          term,
          subject: { id: 'maths', name: 'Mathematics', code: 'MA' },
          scale: defaultGradingScale,
          marks: marksOf(of),
          categories,
          subjects,
        })
        expect(working.result).toEqual(subjects[0])
        expect(working.steps[0]).toMatchObject({ step: 'coursework_average', printed: subjects[0]?.coursework_average })
        if (of.assessments.some(({ category_id }) => category_id !== null))
          expect(subjects[0]?.coursework_average).toBe(printed(resultOf(of)))
      }),
    )
  })
})

test('the explanation names dropped marks, averages and extra points', () => {
  const assessments = [test100('q1', 'quizzes'), test100('q2', 'quizzes'), test100('e', 'extra'), test100('x', null)]
  const categories = [
    category('quizzes', 100, { name: 'Quizzes', drop_lowest: 1 }),
    category('extra', 5, { name: 'Extra', is_extra_credit: true, sort_order: 1 }),
  ]
  const scores: Record<string, number> = { q1: 40, q2: 80, e: 60, x: 10 }
  const { marks, steps } = explain({
    student_id: 'pupil',
    term: { id: 'term', coursework_weight: 100, exam_weight: 0 },
    subject: { id: 'maths', name: 'Mathematics', code: 'MA' },
    scale: defaultGradingScale,
    marks: assessments.map((each) => ({
      ...each,
      assessment_id: each.id,
      title: each.id,
      score: scores[each.id] ?? null,
      assessment_excluded: false,
      grade_excluded: false,
      assessment_exclusion_reason: null,
      grade_exclusion_reason: null,
    })),
    categories,
    subjects: [],
  })
  expect(marks[0]).toMatchObject({ used: false, left_out: 'dropped', text: 'q1 is dropped: it is among the lowest in Quizzes.' })
  expect(steps[0]).toMatchObject({
    printed: 83,
    extra_points: { decimal: 3, exact: true },
    categories: [
      { name: 'Quizzes', average: { decimal: 80 }, dropped: ['q1'], counts: true },
      { name: 'Extra', average: { decimal: 60 }, is_extra_credit: true, counts: true },
      { category_id: null, weight: 0, counts: false },
    ],
    text: 'Coursework average: Quizzes 80, 1 lowest dropped, weight 100; Extra 60, extra credit of 5; without a category 10, weight 0, so it does not count; (80 × 100) ÷ 100 + 3 of extra credit, at most 100, = 83.',
  })
})
