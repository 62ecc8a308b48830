import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { standardMarkCodes } from './mark-codes.ts'
import { missingMarks } from './missing-marks.ts'

const subject = (id: string, sort_order: number) => ({ id, name: id.toUpperCase(), code: id, sort_order })
const assessment = (
  id: string,
  subject_id: string,
  more: { is_excluded?: boolean; sort_order?: number | null; category_id?: string } = {},
) => ({
  id,
  term_id: 'term',
  subject_id,
  student_group_id: null,
  title: `Test ${id}`,
  assessment_type: 'exam' as const,
  max_score: 10,
  weight: null,
  is_excluded: false,
  sort_order: null,
  ...more,
})
const pupil = (id: string, marked: readonly string[], subject_ids: readonly string[] = []) => ({
  id,
  first_name: id,
  last_name: 'Pupil',
  subject_ids,
  grades: marked.map((assessment_id) => ({ assessment_id, score: 0, is_excluded: false })),
})
const subjects = [subject('irish', 2), subject('maths', 1)]
const found = (...input: Parameters<typeof missingMarks>) =>
  missingMarks(...input).map(({ assessment_id, students }) => [assessment_id, students.map(({ id }) => id)])

describe('missing marks', () => {
  test('ordered by subject, then as in the grid; a student with a mark, even a zero, is not listed', () => {
    const assessments = [assessment('c', 'irish'), assessment('b', 'maths', { sort_order: 2 }), assessment('a', 'maths', { sort_order: 1 })]
    const students = [pupil('zoe', ['a']), pupil('mei', ['a', 'b']), pupil('sean', [])]
    expect(found({ subjects, assessments, students })).toEqual([
      ['a', ['sean']],
      ['b', ['zoe', 'sean']],
      ['c', ['zoe', 'mei', 'sean']],
    ])
  })

  test('an assessment of a teaching set lacks marks only of the set’s students', () => {
    const ofSet = { ...assessment('a', 'maths'), studentsOfSet: new Set(['zoe', 'mei']) }
    const students = [pupil('zoe', []), pupil('mei', ['a']), pupil('sean', []), pupil('elan', ['a'])]
    expect(found({ subjects, assessments: [ofSet], students })).toEqual([['a', ['zoe']]])
    expect(found({ subjects, assessments: [ofSet, assessment('b', 'maths')], students })).toEqual([
      ['a', ['zoe']],
      ['b', ['zoe', 'mei', 'sean', 'elan']],
    ])
    const byMei = students.map((student) => ({ ...student, subject_ids: student.id === 'mei' ? ['irish'] : [] }))
    const both = [ofSet, { ...assessment('c', 'maths'), studentsOfSet: new Set(['sean']) }]
    expect(found({ subjects, assessments: both, students: byMei })).toEqual([
      ['a', ['zoe']],
      ['c', ['sean']],
    ])
  })

  test('an excluded assessment lacks no marks; an excluded mark is a mark', () => {
    const left = { assessment_id: 'b', score: 3, is_excluded: true }
    const students = [{ ...pupil('zoe', []), grades: [left] }]
    expect(found({ subjects, assessments: [assessment('a', 'maths', { is_excluded: true }), assessment('b', 'maths')], students })).toEqual(
      [],
    )
  })

  test('extra credit lacks no marks; another category does', () => {
    const category = { name: '', subject_id: null, assessment_type: 'exam' as const, weight: 5, drop_lowest: 0, sort_order: 1 }
    const categories = [
      { ...category, id: 'bonus', is_extra_credit: true },
      { ...category, id: 'quizzes', is_extra_credit: false },
    ]
    const assessments = [assessment('a', 'maths', { category_id: 'bonus' }), assessment('b', 'maths', { category_id: 'quizzes' })]
    expect(found({ subjects, assessments, students: [pupil('zoe', [])], categories })).toEqual([['b', ['zoe']]])
  })

  test('a student of other subjects has no missing marks', () => {
    const assessments = [assessment('a', 'maths'), assessment('c', 'irish')]
    expect(found({ subjects, assessments, students: [pupil('zoe', [], ['irish'])] })).toEqual([['c', ['zoe']]])
  })

  test('names exactly the pairs without a mark', () => {
    const ids = ['a', 'b', 'c', 'd']
    const assessments = ids.map((id, at) => assessment(id, at % 2 ? 'irish' : 'maths'))
    fc.assert(
      fc.property(fc.array(fc.subarray(ids), { maxLength: 8 }), (marked) => {
        const students = marked.map((own, at) => pupil(`p${at}`, own))
        const pairs = found({ subjects, assessments, students }).flatMap(([id, without]) =>
          [...(without ?? [])].map((who) => `${who} ${id}`),
        )
        const expected = marked.flatMap((own, at) => ids.filter((id) => !own.includes(id)).map((id) => `p${at} ${id}`))
        expect(pairs.sort()).toEqual(expected.sort())
      }),
    )
  })

  test('a code is a mark, except one that means that the mark is still to come', () => {
    const coded = (id: string, status: string | null) => ({
      ...pupil(id, []),
      grades: [{ assessment_id: 'a', score: null, status, is_excluded: false }],
    })
    const students = [coded('zoe', 'abs'), coded('mei', 'inc'), coded('sean', 'late'), coded('aoife', null)]
    expect(found({ subjects, assessments: [assessment('a', 'maths')], students, codes: standardMarkCodes })).toEqual([
      ['a', ['mei', 'sean', 'aoife']],
    ])
  })
})
