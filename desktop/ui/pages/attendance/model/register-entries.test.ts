import { describe, expect, test } from 'vitest'
import { isCellValue, markOf } from '../../marks/model/cell-value.ts'
import { issuesOfEntries, noteKey, noteOf, noteValueOf, requestOf, studentOf, TAKEN } from './register-entries.ts'

const NOTE = 'had a cold, says 50 % «maybe» ملاحظة'

describe('requestOf', () => {
  test('sends code and note of a pupil as one mark; taking the register is no mark', () => {
    const { marks, places } = requestOf([
      { key: TAKEN, value: TAKEN, seen: null },
      { key: 'mei', value: 'late', seen: null },
      { key: noteKey('zoe'), value: null, seen: noteValueOf(NOTE) },
      { key: noteKey('mei'), value: noteValueOf(NOTE), seen: undefined },
    ])
    expect(marks).toEqual([
      { studentId: 'mei', code: 'late', expected: 'present', note: NOTE },
      { studentId: 'zoe', note: null, expectedNote: NOTE },
    ])
    expect(places).toEqual([[1, 3], [2]])
  })

  test('an issue of a mark is reported for each of its entries', () => {
    const issues = [
      { path: 'marks.0.studentId', message: 'is not in the class' },
      { path: 'day', message: 'must be a day' },
    ]
    expect(issuesOfEntries(issues, [[1, 3], [2]]).map(({ path }) => path)).toEqual(['marks.1.studentId', 'marks.3.studentId', 'day'])
  })
})

describe('a note as a value', () => {
  test.each([NOTE, '12', 'a'.repeat(200), '😀'.repeat(200)])('is returned unchanged, and can be stored', (note) => {
    const value = noteValueOf(note)
    expect(isCellValue(value)).toBe(true)
    expect(noteOf(markOf(value).status)).toBe(note)
  })

  test('is null for no note', () => {
    expect([noteValueOf(''), noteValueOf(null), noteOf(null), noteOf(undefined)]).toEqual([null, null, null, null])
  })

  test('has a key with the id of its pupil', () => {
    expect([studentOf(noteKey('zoe')), studentOf('zoe')]).toEqual(['zoe', 'zoe'])
  })
})
