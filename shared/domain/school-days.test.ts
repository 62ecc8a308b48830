import { describe, expect, test } from 'vitest'
import { areSchoolDays, isSchoolDay, standardSchoolDays } from './school-days.ts'

describe('the school days of a week', () => {
  test.each([[[1, 2, 3, 4, 5]], [[1, 2, 3, 4, 7]], [[1, 2, 3, 4, 5, 6]], [[7]], [[1, 2, 3, 4, 5, 6, 7]]])('%j are some', (value) => {
    expect(areSchoolDays(value)).toBe(true)
  })

  test.each([[[]], [[5, 1]], [[1, 1]], [[0, 1]], [[8]], [[1.5]], [['1']], [[1, null]], ['1,2'], [null], [{ length: 1 }]])(
    '%j are none',
    (value) => {
      expect(areSchoolDays(value)).toBe(false)
    },
  )

  test('a day is one by its weekday, and Sunday is the seventh', () => {
    const week = ['2026-01-12', '2026-01-13', '2026-01-14', '2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18']
    expect(week.map((day) => isSchoolDay(day, standardSchoolDays))).toEqual([true, true, true, true, true, false, false])
    expect(week.map((day) => isSchoolDay(day, [1, 2, 3, 4, 7]))).toEqual([true, true, true, true, false, false, true])
  })
})
