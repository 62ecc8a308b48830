import type { ClassOverview } from '@markbook/shared/contract/overview'
import { expect, test } from 'vitest'
import {
  type ClassRow,
  hasAllRemarks,
  isAllApproved,
  isIncomplete,
  lacksMarks,
  marksOf,
  peopleBehind,
  sorted,
  subjectRows,
  totalsOf,
} from './rows.ts'

const ada = { id: 'ada', first_name: 'Ada', last_name: 'Nowak' }
const byrne = { id: 'byrne', first_name: 'Sam', last_name: 'Byrne' }
const subject = (code: string, recorded: number, expected: number, more: Partial<ClassOverview['subjects'][number]> = {}) => ({
  subject: { id: code, name: code, code },
  teachers: [ada],
  assessments: 1,
  expected,
  recorded,
  entries: 0,
  remarks: 0,
  ...more,
})
const books = { made: 2, without_remark: 0, to_approve: 0, sent_back: 0, approved: 0, published: 0, sent: 2 }
const whole: ClassRow = {
  class: { id: '3A', name: '3A' },
  class_teacher: byrne,
  students: 2,
  subjects: [subject('MA', 4, 4)],
  books,
  outdated: 0,
}
const part: ClassRow = {
  class: { id: '3B', name: '3B' },
  class_teacher: byrne,
  students: 3,
  subjects: [subject('MA', 4, 6), subject('EN', 0, 0, { assessments: 0, teachers: [] })],
  books: { ...books, made: 2, without_remark: 1, sent: 0 },
  outdated: 0,
}

test('a class is complete if no marks, report books, remarks or approvals are missing, and no book is older than the marks', () => {
  expect([isIncomplete(whole), isIncomplete(part)]).toEqual([false, true])
  expect(isIncomplete({ ...whole, books: { ...books, to_approve: 1 } })).toBe(true)
  expect(isIncomplete({ ...whole, books: { ...books, sent_back: 1 } })).toBe(true)
  expect(isIncomplete({ ...whole, students: 3 })).toBe(true)
  expect(isIncomplete({ ...whole, outdated: 1 })).toBe(true)
  const lacks = (recorded: number, expected: number, assessments: number, is_sent = false) =>
    lacksMarks({ recorded, expected, assessments, is_sent })
  expect([lacks(4, 4, 1), lacks(3, 4, 1), lacks(0, 0, 0), lacks(3, 4, 1, true), lacks(0, 0, 0, true)]).toEqual([
    false,
    true,
    true,
    false,
    false,
  ])
})

test('a class whose report books are all sent is complete: its missing marks come too late, and its remarks are not known', () => {
  const sent: ClassRow = { ...part, students: 2, books: { ...books, made: 2, sent: 2 } }
  expect([isIncomplete(sent), peopleBehind(sent)]).toEqual([false, []])
  expect(marksOf(sent)).toEqual({ expected: 6, recorded: 4, missing: 0, missingInSent: 2, unassessed: 0 })
  expect(totalsOf([sent, part])).toMatchObject({ complete: 1, marks: 2, marksInSent: 2 })
  expect(subjectRows([sent, part], undefined).map(lacksMarks)).toEqual([false, false, true, true])
  expect([hasAllRemarks(sent.books), hasAllRemarks(part.books), hasAllRemarks({ ...books, sent: 0 })]).toEqual([false, false, true])
})

test('all report books are approved only if none waits for its class teacher', () => {
  expect(isAllApproved({ ...books, made: 3, approved: 1, sent: 2 })).toBe(true)
  expect(isAllApproved({ ...books, made: 3, without_remark: 1, approved: 1, sent: 1 })).toBe(false)
  expect(isAllApproved({ ...books, made: 0, sent: 0 })).toBe(false)
})

test('behind is the teacher of missing marks; without a teacher, and for report books, the class teacher', () => {
  expect(peopleBehind(whole)).toEqual([])
  expect(peopleBehind(part).map(({ id }) => id)).toEqual(['ada', 'byrne'])
})

test('sums the marks of a class, and the open work of all classes', () => {
  expect(marksOf(part)).toEqual({ expected: 6, recorded: 4, missing: 2, missingInSent: 0, unassessed: 1 })
  expect(totalsOf([whole, part])).toMatchObject({ classes: 2, complete: 1, marks: 2, books: 1, remarks: 1, sent: 2 })
})

test('lists the subjects of all classes, or of one', () => {
  expect(subjectRows([whole, part], undefined).map((row) => `${row.class.name} ${row.subject.code}`)).toEqual(['3A MA', '3B MA', '3B EN'])
  expect(subjectRows([whole, part], '3A')).toHaveLength(1)
})

test('sorts by a number with the greatest first, or reversed', () => {
  const by = (row: ClassOverview) => marksOf(row).missing
  const names = (rows: ClassOverview[]) => rows.map((row) => row.class.name)
  expect(names(sorted([whole, part], undefined, false))).toEqual(['3A', '3B'])
  expect(names(sorted([whole, part], by, false))).toEqual(['3B', '3A'])
  expect(names(sorted([whole, part], by, true))).toEqual(['3A', '3B'])
})
