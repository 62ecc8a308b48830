import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { describe, expect, test } from 'vitest'
import { isWritable } from './normal-form.ts'

const writable = (table: Parameters<typeof isWritable>[0], values: Record<string, unknown>) =>
  isWritable(table, values, Object.keys(values))

const illness = { code: 'ill', name: 'Ill', effect: 'left_out', printed: true }

describe('what the interface stores otherwise', () => {
  test.each([
    ['grade', { is_excluded: false, exclusion_reason: 'was ill' }, { is_excluded: true, exclusion_reason: 'was ill' }],
    ['assessment', { is_excluded: false, exclusion_reason: 'was ill' }, { is_excluded: false, exclusion_reason: null }],
    ['grade', { score: null, status: 'ABS' }, { score: null, status: 'abs' }],
    ['grade', { score: null, status: ' abs' }, { score: null, status: null }],
    ['school', { mark_codes: [...standardMarkCodes, { ...illness, code: 'ILL' }] }, { mark_codes: [...standardMarkCodes, illness] }],
    ['school', { email: ' Office@School.test' }, { email: 'office@school.test' }],
    ['school', { email: 'office@' }, { email: null }],
    ['user_profile', { email: 'Ada@School.test' }, { email: 'ada@school.test' }],
    ['report_book', { status: 'draft', sent_snapshot: {} }, { status: 'draft', sent_snapshot: null }],
    [
      'academic_year',
      { grading_model: 'term_based', calculation_model: 'weighted_cumulative', year_exam_weight: 60, year_coursework_weight: 40 },
      { grading_model: 'term_based', calculation_model: 'weighted_cumulative', year_exam_weight: null, year_coursework_weight: null },
    ],
    [
      'academic_year',
      { grading_model: 'year_based', calculation_model: 'weighted_cumulative', year_exam_weight: 60, year_coursework_weight: null },
      { grading_model: 'year_based', calculation_model: 'weighted_cumulative', year_exam_weight: 60, year_coursework_weight: 40 },
    ],
  ] as const)('of a %s: %j is not taken, %j is', (table, odd, normal) => {
    expect([writable(table, odd), writable(table, normal)]).toEqual([false, true])
  })

  test('matters only where it was written', () => {
    expect(isWritable('academic_year', { name: '2025/26', grading_model: 'term_based', year_exam_weight: 60 }, ['name'])).toBe(true)
    expect(isWritable('school', { email: 'office@', mark_codes: [...standardMarkCodes, illness] }, ['mark_codes'])).toBe(true)
    expect(isWritable('grade', { score: 12, status: 'ABS' }, ['score'])).toBe(true)
    expect(isWritable('grade', { score: 12, is_excluded: false, exclusion_reason: 'was ill' }, ['score'])).toBe(true)
  })
})
