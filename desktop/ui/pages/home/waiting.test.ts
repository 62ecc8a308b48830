import { describe, expect, test } from 'vitest'
import { daysBetween, endsSoon, expiring, putOffIn, withPutOff } from './waiting.ts'

const term = { start_date: '2025-09-01', end_date: '2025-12-19' }

describe('lines about dates', () => {
  test.each([
    ['2025-12-04', false],
    ['2025-12-05', true],
    ['2025-12-19', true],
    ['2025-12-20', false],
    ['2025-08-31', false],
  ])('on %s the term is due: %s', (today, due) => {
    expect(endsSoon(term, today)).toBe(due)
  })
  test('daysBetween counts whole days, also over a change to summer time', () => {
    expect(daysBetween('2026-03-20', '2026-04-03')).toBe(14)
    expect(daysBetween('2026-04-03', '2026-04-02')).toBe(-1)
  })
  test('expiring returns invitations that end within three days and have not ended', () => {
    const at = (day: string) => ({ expires_at: `${day}T12:00:00.000Z` })
    const all = [at('2026-01-09'), at('2026-01-10'), at('2026-01-13'), at('2026-01-14')]
    expect(expiring(all, Date.parse('2026-01-10T12:00:00.000Z'))).toEqual([at('2026-01-13')])
  })
  test('the newest hundred hidden lines are remembered', () => {
    expect(putOffIn(JSON.stringify(withPutOff(['a', 'b'], 'a')))).toEqual(['b', 'a'])
    const many = Array.from({ length: 100 }, (_, at) => String(at))
    expect(withPutOff(many, 'new')).toHaveLength(100)
    for (const text of [null, '{', '{}', '[1]']) expect(putOffIn(text)).toEqual([])
  })
})
