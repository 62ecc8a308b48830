import { describe, expect, test } from 'vitest'
import { kindsOf } from '../tables/kinds.ts'
import { descriptions, type Replicated } from '../tables/tables.ts'
import { hasRule, isAcceptedByContract } from './replicated.ts'

/** Columns that no body contains, each with the reason why no node can use them to write what the interface would refuse. */
const withoutRule: Readonly<Record<string, string>> = {
  avatar_path: 'a file is taken only with the content that the row names',
  avatar_type: 'as the path',
  avatar_size: 'as the path',
  avatar_sha256: 'as the path',
  crest_path: 'as the path of an avatar',
  crest_type: 'as the path',
  crest_size: 'as the path',
  crest_sha256: 'as the path',
  'school.code': 'the program makes it',
  snapshot: 'figures of the program, of the shape that the description demands',
  sent_snapshot: 'as the snapshot',
  file_path: 'a file in the folder of its own row (files/named.ts)',
  file_size: 'as the path',
  sha256: 'as the path',
  file_type: 'the program makes the file; the database checks the kind',
  secret: 'sealed; only of a school’s server',
  code_hash: 'as the secret',
}
/** Tables that only the program writes. */
const tablesOfTheProgram: readonly string[] = ['sync_conflict', 'user_totp', 'recovery_code']

/** Only the type of an id, an instant or a flag is checked. */
const PLAIN = new Set(['uuid', 'instant', 'flag'])

test('every column that a person writes is in a body of the contract, or in `withoutRule` with a reason', () => {
  const open = (Object.keys(descriptions) as Replicated[]).flatMap((table) => {
    if (tablesOfTheProgram.includes(table)) return []
    const { identity, units } = descriptions[table]
    const columns = [...identity, ...Object.values(units).flat()].filter((name) => !PLAIN.has(kindsOf[table][name] ?? ''))
    return columns
      .filter((name) => !hasRule(table, name) && !(name in withoutRule) && !(`${table}.${name}` in withoutRule))
      .map((name) => `${table}.${name}`)
  })
  expect(open).toEqual([])
})

describe('a value that the interface refuses', () => {
  test.each([
    ['grade', { score: 12.123456789 }],
    ['grade', { score: 100_001 }],
    ['grade', { remarks: 'a'.repeat(100_000) }],
    ['grade', { remarks: 'a\u0007' }],
    ['assessment', { max_score: 0 }],
    ['school', { school_days: [5, 1] }],
    ['school', { document_language: 'de' }],
    ['assessment', { weight: 1001 }],
    ['assessment', { title: 'a\nb' }],
    ['student', { first_name: ' ' }],
    ['student', { date_of_birth: '1800-01-01' }],
    ['student', { gender: 'unknown' }],
    ['report_book', { attendance_percentage: 101 }],
    ['report_book', { status: 'burnt' }],
    ['grading_scale', { pass_mark: 50, bands: [] }],
    ['subject', { code: 'a'.repeat(100) }],
  ] as const)('of a %s is not taken: %j', (table, values) => {
    expect(isAcceptedByContract(table, values, Object.keys(values))).toBe(false)
  })

  test('is not one with invisible characters, which older programs accepted: it is kept as written', () => {
    expect(isAcceptedByContract('student', { first_name: 'A\u200bda' }, ['first_name'])).toBe(true)
    expect(isAcceptedByContract('grade', { score: 12, remarks: '\u202eabc' }, ['remarks'])).toBe(true)
  })

  test('in a column that was not written is not checked', () => {
    expect(isAcceptedByContract('grade', { score: 12, remarks: 'a\u0007' }, ['score'])).toBe(true)
  })

  test('is also one that contradicts other columns of a term', () => {
    const term = {
      academic_year_id: '00000000-0000-7000-8000-000100010001',
      name: 'hilary',
      start_date: '2026-01-05',
      end_date: '2026-04-01',
      exam_weight: 60,
      coursework_weight: 40,
    }
    expect(isAcceptedByContract('term', term, Object.keys(term))).toBe(true)
    expect(isAcceptedByContract('term', { ...term, exam_weight: 70 }, ['exam_weight', 'coursework_weight'])).toBe(false)
    expect(isAcceptedByContract('term', { ...term, end_date: '2025-01-01' }, ['start_date', 'end_date'])).toBe(false)
  })
})
