import { type Category, categoryGroups } from '@markbook/shared/domain/categories'
import { defaultGradingScale } from '@markbook/shared/domain/letters'
import { classTermResult } from '@markbook/shared/domain/results'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowFigures } from './figures.ts'

const term = { id: 'term', coursework_weight: 40, exam_weight: 60 }
const ids = ['a', 'b', 'c', 'd', 'e']
const columnsOf = fc.tuple(
  ...ids.map((id) =>
    fc.record({
      id: fc.constant(id),
      term_id: fc.constant('term'),
      subject_id: fc.constant('maths'),
      student_group_id: fc.constant(null),
      assessment_type: fc.constantFrom('exam' as const, 'coursework' as const),
      max_score: fc.constantFrom(10, 100),
      weight: fc.constantFrom(null, 0, 2),
      is_excluded: fc.boolean(),
      category_id: fc.constantFrom(null, 'one', 'extra', 'of exams'),
      sort_order: fc.constantFrom(null, 1, 2),
    }),
  ),
)
const category = (id: string, more: Partial<Category> = {}): Category => ({
  id,
  name: id,
  subject_id: null,
  assessment_type: 'coursework',
  weight: 30,
  drop_lowest: 1,
  is_extra_credit: false,
  sort_order: 1,
  ...more,
})
const categories = [category('one'), category('extra', { is_extra_credit: true }), category('of exams', { assessment_type: 'exam' })]
const mark = fc.option(
  fc.record({ score: fc.option(fc.integer({ min: 0, max: 10 })), status: fc.constant(null), is_excluded: fc.boolean() }),
)

test('computes the figures that the server returns, with and without categories', () => {
  fc.assert(
    fc.property(
      columnsOf,
      fc.array(mark, { minLength: ids.length, maxLength: ids.length }),
      fc.boolean(),
      (columns, marks, hasCategories) => {
        const known = hasCategories ? categories : []
        const shown = rowFigures(columns, marks, term, defaultGradingScale, categoryGroups(columns, known))
        const grades = marks.flatMap((each, at) => (each ? [{ assessment_id: ids[at] ?? '', ...each }] : []))
        const { students } = classTermResult({
          student_group_id: 'class',
          scale: defaultGradingScale,
          subjects: [{ id: 'maths', name: 'Mathematics', code: 'MA', sort_order: 1 }],
          assessments: columns,
          students: [{ id: 'pupil', first_name: 'A', last_name: 'B', subject_ids: ['maths'], grades }],
          categories: known,
          term,
        })
        const { coursework_average, exam_average, term_composite, is_partial, letter_grade } = students[0]?.subjects[0] ?? {}
        expect(shown).toEqual({ coursework_average, exam_average, term_composite, is_partial, letter: letter_grade })
      },
    ),
  )
})
