import { expect, test } from 'vitest'
import { inSubjectOrder, subjectsTaken } from './subjects-taken.ts'

const subject = (id: string, sort_order: number, name = id) => ({ id, name, code: id, sort_order })
const school = [subject('maths', 1), subject('english', 2), subject('latin', 3)]
const ids = (list: { id: string }[]) => list.map(({ id }) => id)

test.each([
  { assigned: [], assessed: ['maths', 'latin'], taken: ['maths', 'latin'], why: 'none assigned: every subject with an assessment' },
  { assigned: [], assessed: [], taken: [], why: 'none assigned, nothing assessed' },
  { assigned: ['latin', 'english'], assessed: ['maths'], taken: ['english', 'latin'], why: 'assigned ones only, assessed or not' },
  { assigned: ['gone'], assessed: ['maths'], taken: [], why: 'a subject that the school no longer has' },
])('$why', ({ assigned, assessed, taken }) => {
  expect(ids(subjectsTaken(school, assigned, (id) => assessed.includes(id)))).toEqual(taken)
})

test('subjects are ordered as the school sorted them, then by name without case and accents, then by id', () => {
  const mixed = [
    subject('d', 2, 'Zoology'),
    subject('c', 2, 'éthique'),
    subject('b', 2, 'Ethique'),
    subject('e', 2, 'Art'),
    subject('a', 10),
  ]
  expect(ids(inSubjectOrder(mixed))).toEqual(['e', 'b', 'c', 'd', 'a'])
})
