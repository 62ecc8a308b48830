import { mei } from '@markbook/shared/story/marks'
import { describe, expect, test } from 'vitest'
import { rowName, valuesText, whyRefused } from './replication-words.ts'

describe('a row and its values', () => {
  const of = { outOf: 100, named: (_column: string, id: string) => (id === mei.id ? 'Lin Mei' : null) }

  test('have names that people understand; unknown tables and codes of a newer program have a general one', () => {
    expect(rowName({ entity: 'grade', where: 'Lin Mei · Test 1' })).toBe('Mark: Lin Mei · Test 1')
    expect(rowName({ entity: 'school_join_request', where: 'Lin Mei' })).toBe('Request to join: Lin Mei')
    expect(rowName({ entity: 'of_a_newer_program', where: '' })).toBe('Record')
    expect(whyRefused('of_a_newer_program', true)).toBe('This server did not take it.')
    expect(whyRefused('of_a_newer_program', false)).toBe('The other server did not take it.')
    expect(whyRefused('constructor', false)).toBe('The other server did not take it.')
  })

  test.each([
    [{ score: 81 }, '81 / 100'],
    [{ score: 81.5, remarks: 'Much better', is_excluded: false, exclusion_reason: null }, '81.5 / 100, Remark: Much better'],
    [{ remarks: null }, 'Remark: nothing'],
    [{ is_excluded: true }, 'Left out: yes'],
    [{ student_id: mei.id, score: 5 }, '5 / 100'],
    [{ user_profile_id: mei.id }, 'Person: Lin Mei'],
    [{ bands: [{ letter: 'A' }] }, 'Letters and their minimums: [{"letter":"A"}]'],
    [{ status: 'approved', reviewed_at: '2026-11-30T07:57:48.118Z', reviewed_by: mei.id }, 'State: approved'],
    [{ confirmed_at: '2026-11-30T07:57:48.118Z' }, 'Value: 2026-11-30T07:57:48.118Z'],
    [{}, ''],
  ])('%o', (values, text) => expect(valuesText(values, of)).toBe(text))
})
