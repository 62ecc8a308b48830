import type { ClassProgress } from '@markbook/shared/contract/classes'
import { expect, test } from 'vitest'
import { byClass, missingOf, rowsOfTeacher, shareOf, unassessedIn } from './progress.ts'

const row = (name: string, code: string, recorded: number, expected: number, assessments = 1): ClassProgress => ({
  class: { id: name, name },
  is_class_teacher: false,
  is_own: false,
  subject: { id: code, name: code, code },
  assessments,
  expected,
  recorded,
  is_sent: false,
})
const rows = [row('3A', 'MA', 4, 4), row('3A', 'EN', 0, 4), row('3B', 'MA', 17, 18)]

test('the number of missing marks is never negative', () => {
  expect([missingOf(row('3A', 'MA', 3, 4)), missingOf(row('3A', 'MA', 5, 4))]).toEqual([1, 0])
})

test('classes are summed in order', () => {
  expect(byClass(rows).map(({ class: { name }, recorded, expected, missing }) => [name, recorded, expected, missing])).toEqual([
    ['3A', 4, 8, 4],
    ['3B', 17, 18, 1],
  ])
})

test('a subject without an assessment is listed with its class, beside complete ones', () => {
  const silent = [...rows, row('3A', 'GA', 0, 0, 0)]
  expect(byClass(silent).map(({ unassessed }) => unassessed.map(({ code }) => code))).toEqual([['GA'], []])
  expect(unassessedIn(silent, '3A').map(({ subject }) => subject.code)).toEqual(['GA'])
})

test('a class is complete only if no mark is missing, also if another subject has more marks than expected', () => {
  expect(byClass(rows).map(shareOf)).toEqual([50, 94])
  const [most, more, none] = [row('3A', 'MA', 999, 1_000), row('3A', 'EN', 9, 4), row('3B', 'GA', 0, 0, 0)]
  expect(byClass([most, more, none]).map(shareOf)).toEqual([99, null])
  expect(byClass([row('3A', 'MA', 4, 4)]).map(shareOf)).toEqual([100])
})

test('a class teacher who teaches no subject enters the marks of the class', () => {
  const ofClass = rows.map((each) => ({ ...each, is_class_teacher: each.class.name === '3A' }))
  expect(rowsOfTeacher(ofClass).map(({ subject }) => subject.code)).toEqual(['MA', 'EN'])
  const teaching = ofClass.map((each) => ({ ...each, is_own: each.class.name === '3B' }))
  expect(rowsOfTeacher(teaching).map(({ class: { name } }) => name)).toEqual(['3B'])
})

test('of a class whose books are all sent nothing is to be entered, and what was entered is said as it is', () => {
  const sent = [row('3A', 'MA', 3, 4), row('3A', 'GA', 0, 0, 0)].map((each) => ({ ...each, is_sent: true }))
  const [total] = byClass(sent)
  expect(total).toMatchObject({ is_sent: true, missing: 0, unassessed: [], recorded: 3, expected: 4 })
  expect(total && shareOf(total)).toBe(75)
})
