import { describe, expect, test } from 'vitest'
import { yearAfter } from './next-year.ts'

const year = (name: string, start_date: string, end_date: string) => ({ name, start_date, end_date, grading_model: 'year_based' as const })

describe('the year after the latest', () => {
  test('is called and counted as that one, and lies a year later', () => {
    const years = [year('2024/25', '2024-09-01', '2025-06-30'), year('2025/26', '2025-09-01', '2026-06-30')]
    expect(yearAfter(years)).toEqual(year('2026/27', '2026-09-01', '2027-06-30'))
  })

  test('over a century, and from 29 February', () => {
    expect(yearAfter([year('1999/00', '1999-09-01', '2000-02-29')])).toEqual(year('2000/01', '2000-09-01', '2001-02-28'))
    expect(yearAfter([year('2026', '2026-03-01', '2027-02-28')])).toEqual(year('2027', '2027-03-01', '2028-02-29'))
    expect(yearAfter([year('Year 9', '2026-01-01', '2026-12-31')])?.name).toBe('Year 10')
  })

  test('is none where there is no year yet', () => {
    expect(yearAfter([])).toBe(null)
  })
})
