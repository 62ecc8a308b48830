import { describe, expect, test } from 'vitest'
import { nextUsualDay, unusualDay } from './unusual-day.ts'

const year = { start_date: '2025-09-01', end_date: '2026-06-30' }
const terms = [
  { start_date: '2025-09-01', end_date: '2025-12-20' },
  { start_date: '2026-01-07', end_date: '2026-06-19' },
]

const usual = { schoolDays: [1, 2, 3, 4, 5], terms }

describe('unusualDay', () => {
  test('finds a day without school, a day between terms, and tomorrow', () => {
    const kindOf = (day: string) => unusualDay(day, usual, '2026-06-30')
    expect(kindOf('2026-01-16')).toBe(null)
    expect(kindOf('2026-01-17')).toBe('noSchoolDay')
    expect(kindOf('2026-01-18')).toBe('noSchoolDay')
    expect(kindOf('2025-12-29')).toBe('break')
    expect(kindOf('2026-06-22')).toBe('break')
    expect(unusualDay('2026-01-16', usual, '2026-01-15')).toBe('tomorrow')
    expect(unusualDay('2026-01-16', usual, '2026-01-14')).toBe(null)
  })

  test('uses the school days of the school', () => {
    const own = { schoolDays: [1, 2, 3, 4, 7], terms }
    const kinds = ['2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18'].map((day) => unusualDay(day, own, '2026-06-30'))
    expect(kinds).toEqual([null, 'noSchoolDay', 'noSchoolDay', null])
    expect(nextUsualDay('2026-01-16', own, year)).toBe('2026-01-18')
  })

  test('finds no break in a year without terms', () => {
    expect(unusualDay('2025-12-29', { ...usual, terms: [] }, '2026-06-30')).toBe(null)
  })

  test('nextUsualDay skips days without school and breaks; null after the last term', () => {
    expect(nextUsualDay('2026-01-17', usual, year)).toBe('2026-01-19')
    expect(nextUsualDay('2025-12-20', usual, year)).toBe('2026-01-07')
    expect(nextUsualDay('2026-06-19', usual, year)).toBe(null)
  })
})
