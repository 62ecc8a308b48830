import { describe, expect, test } from 'vitest'
import { yearAfter } from './next-year.ts'

const year = (name: string, start_date: string, end_date: string) => ({ name, start_date, end_date, grading_model: 'year_based' as const })

describe('yearAfter', () => {
  test('gives the latest year a year later, with the next name and the same model', () => {
    const years = [year('2024/25', '2024-09-01', '2025-06-30'), year('2025/26', '2025-09-01', '2026-06-30')]
    expect(yearAfter(years)).toEqual(year('2026/27', '2026-09-01', '2027-06-30'))
  })

  test('works over the end of a century, and from 29 February', () => {
    expect(yearAfter([year('1999/00', '1999-09-01', '2000-02-29')])).toEqual(year('2000/01', '2000-09-01', '2001-02-28'))
    expect(yearAfter([year('2026', '2026-03-01', '2027-02-28')])).toEqual(year('2027', '2027-03-01', '2028-02-29'))
    expect(yearAfter([year('Year 9', '2026-01-01', '2026-12-31')])?.name).toBe('Year 10')
  })

  test('is null where there is no year yet', () => {
    expect(yearAfter([])).toBe(null)
  })
})
