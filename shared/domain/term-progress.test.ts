import { expect, test } from 'vitest'
import type { ClassOverview } from '../contract/overview.ts'
import { missingByPerson, missingIn } from './term-progress.ts'

const person = (id: string) => ({ id, first_name: id, last_name: 'Teacher' })
const [ada, byrne] = [person('ada'), person('byrne')]
const subject = (code: string, teachers: ClassOverview['subjects'][number]['teachers'], assessments: number, recorded: number) => ({
  subject: { id: code, name: code, code },
  teachers,
  assessments,
  expected: assessments * 6,
  recorded,
  entries: 6,
  remarks: 0,
})
const books = { made: 6, without_remark: 0, to_approve: 2, sent_back: 0, approved: 0, published: 0, sent: 0 }
const group = (more: Partial<ClassOverview> = {}): ClassOverview => ({
  class: { id: '3B', name: '3B' },
  class_teacher: byrne,
  students: 6,
  subjects: [],
  books,
  ...more,
})
const told = (row: ClassOverview) =>
  missingIn(row).map((each) => [each.kind, each.people.map(({ id }) => id).join(), 'count' in each ? `${each.count}/${each.of}` : ''])

test('a subject lacks assessments or marks, a class lacks books and their remarks', () => {
  const subjects = [subject('MA', [ada], 3, 17), subject('EN', [ada, byrne], 0, 0), subject('SC', [ada], 2, 12)]
  expect(told(group({ subjects, students: 7, books: { ...books, without_remark: 4 } }))).toEqual([
    ['marks', 'ada', '1/18'],
    ['assessment', 'ada,byrne', ''],
    ['books', 'byrne', '1/7'],
    ['remarks', 'byrne', '4/6'],
  ])
})

test('the class teacher is also responsible for outdated books, and for books sent back and not changed since', () => {
  const row = { ...group({ books: { ...books, sent_back: 1 } }), outdated: 2 }
  expect(told(row)).toEqual([
    ['outdated', 'byrne', '2/6'],
    ['sent_back', 'byrne', '1/6'],
  ])
  expect(missingByPerson([{ ...row, subjects: [subject('MA', [ada], 3, 17)] }]).get('ada')).toHaveLength(1)
})

test('a finished class lacks nothing, even while books wait for approval', () => {
  expect(missingIn(group({ subjects: [subject('MA', [ada], 3, 18)] }))).toEqual([])
})

test('the class teacher is responsible for a subject without a teacher; without a class teacher nobody is', () => {
  const subjects = [subject('GA', [], 1, 5)]
  expect(told(group({ subjects }))).toEqual([['marks', 'byrne', '1/6']])
  expect(told(group({ subjects, class_teacher: null }))).toEqual([['marks', '', '1/6']])
})

test('nothing is missing once every pupil has a book and all books are sent', () => {
  const row = group({ subjects: [subject('MA', [ada], 3, 17)], books: { ...books, sent: 6 } })
  expect(missingIn(row)).toEqual([])
  expect(missingByPerson([row]).size).toBe(0)
  expect(told({ ...row, books: { ...books, sent: 5 } })).toEqual([['marks', 'ada', '1/18']])
  expect(told({ ...row, students: 7 })).toEqual([
    ['marks', 'ada', '1/18'],
    ['books', 'byrne', '1/7'],
  ])
})

test('more books than pupils, after one has left, are not missing work', () => {
  expect(missingIn(group({ students: 5 }))).toEqual([])
})

test('missing work is grouped by person, over all classes', () => {
  const of = (id: string) => group({ class: { id, name: id }, subjects: [subject('MA', [ada], 3, 17)] })
  const byPerson = missingByPerson([of('3A'), of('3B')])
  expect([...byPerson.keys()]).toEqual(['ada'])
  expect(byPerson.get('ada')?.map((each) => each.class.name)).toEqual(['3A', '3B'])
})
