import { describe, expect, test } from 'vitest'
import { nextUsualDay, unusualDay } from './unusual-day.ts'

const year = { start_date: '2025-09-01', end_date: '2026-06-30' }
const terms = [
  { start_date: '2025-09-01', end_date: '2025-12-20' },
  { start_date: '2026-01-07', end_date: '2026-06-19' },
]

describe('an unusual day of a register', () => {
  test('is one of the weekend, between two terms, or tomorrow', () => {
    const kindOf = (day: string) => unusualDay(day, terms, '2026-06-30')
    expect(kindOf('2026-01-16')).toBe(null)
    expect(kindOf('2026-01-17')).toBe('weekend')
    expect(kindOf('2026-01-18')).toBe('weekend')
    expect(kindOf('2025-12-29')).toBe('break')
    expect(kindOf('2026-06-22')).toBe('break')
    expect(unusualDay('2026-01-16', terms, '2026-01-15')).toBe('tomorrow')
    expect(unusualDay('2026-01-16', terms, '2026-01-14')).toBe(null)
  })

  test('a year without terms has no break', () => {
    expect(unusualDay('2025-12-29', [], '2026-06-30')).toBe(null)
  })

  test('the next usual day comes after the weekend and after the break, and there is none after the last term', () => {
    expect(nextUsualDay('2026-01-17', terms, year)).toBe('2026-01-19')
    expect(nextUsualDay('2025-12-20', terms, year)).toBe('2026-01-07')
    expect(nextUsualDay('2026-06-19', terms, year)).toBe(null)
  })
})
