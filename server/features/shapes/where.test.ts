import { describe, expect, test } from 'vitest'
import { shapeTables } from './shape-tables.ts'
import { readWhere, WhereFault } from './where.ts'

const columns = shapeTables.get('assessment')?.columns ?? {}
const row = {
  id: '00000000-0000-7000-8000-000000000001',
  title: "Quiz 1: what's new",
  assessment_type: 'coursework',
  assessment_date: '2025-10-10',
  max_score: 20,
  weight: null,
  is_excluded: false,
}
const holds = (text: string, params: Record<string, string> = {}) => readWhere(text, params, columns).holds(row)

describe('a condition', () => {
  test.each([
    [`assessment_type = 'coursework'`, true],
    [`"assessment_type" <> 'coursework'`, false],
    [`title = 'Quiz 1: what''s new'`, true],
    ['max_score >= 20 and max_score < 20.5', true],
    ['max_score = -20', false],
    [`assessment_type in ('exam', 'coursework')`, true],
    [`assessment_type NOT IN ('exam')`, true],
    [`id = '00000000-0000-7000-8000-000000000001'::uuid`, true],
    [`assessment_date > '2025-10-09'`, true],
    ['is_excluded', false],
    ['not is_excluded', true],
    ['is_excluded = false', true],
    ['weight is null', true],
    ['weight is not null', false],
    [`max_score = 1 or (max_score = 20 and not (assessment_type = 'exam'))`, true],
    ['true and max_score = 20', true],
    ['false or max_score = 21', false],
  ])('%s', (text, expected) => {
    expect(holds(text)).toBe(expected)
  })

  test('about an absent value is neither true nor false, as in SQL', () => {
    expect(holds('weight = 1')).toBeNull()
    expect(holds('not (weight = 1)')).toBeNull()
    expect(holds('weight = 1 or max_score = 20')).toBe(true)
    expect(holds('weight = 1 and max_score = 20')).toBeNull()
    expect(holds('weight = 1 and max_score = 21')).toBe(false)
    expect(holds('max_score in (1, null)')).toBeNull()
    expect(holds('max_score not in (20, null)')).toBe(false)
  })

  test('accepts parameters, which are only ever values', () => {
    expect(holds('title = $1 and max_score = $2', { 1: "Quiz 1: what's new", 2: '20' })).toBe(true)
    expect(holds('title = $1', { 1: "' or true or title = '" })).toBe(false)
    expect(() => holds('title = $1')).toThrow('names the parameter $1, which was not sent')
  })

  test.each([
    ['', 'column'],
    ['max_score', 'compare'],
    ['max_score = twenty', 'no value'],
    [`max_score = 'x'`, 'number'],
    ['school_id is null', 'does not have'],
    ['constructor is null', 'does not have'],
    ['title = assessment_type', 'no value'],
    ['max_score = 20; drop table grade', 'cannot be read'],
    ['max_score = 20 -- comment', 'cannot be read'],
    ['max_score = 20 max_score = 21', 'ends before'],
    ['(max_score = 20', 'misses'],
    ['max_score in ()', 'value'],
    ["title like 'a%'", 'does not compare'],
    ['lower(title) = 1', 'does not have'],
    [`${'('.repeat(30)}max_score = 20${')'.repeat(30)}`, 'brackets'],
    [`title = '${'x'.repeat(3_000)}'`, 'characters'],
  ])('%s is refused', (text, reason) => {
    expect(() => holds(text)).toThrow(WhereFault)
    expect(() => holds(text)).toThrow(reason)
  })
})
