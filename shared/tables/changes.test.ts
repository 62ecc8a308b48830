import { describe, expect, test } from 'vitest'
import { type Changes, changesToText, textToChanges } from './changes.ts'
import { sqliteTables } from './sqlite.ts'

const made: Changes = { id: { before: null, after: 'a' }, score: { before: null, after: 0 }, is_excluded: { before: null, after: false } }
const changed: Changes = {
  score: { before: null, after: 2 },
  remarks: { before: 'well', after: null },
  reason: { before: 'ill', after: 'away' },
}
const deleted: Changes = { id: { before: 'a', after: null }, score: { before: 12.5, after: null } }

describe('changes', () => {
  test.each([
    ['of a row that was made', made, '{"after":{"id":"a","score":0,"is_excluded":false}}'],
    [
      'of one that was changed',
      changed,
      '{"before":{"score":null,"remarks":"well","reason":"ill"},"after":{"score":2,"remarks":null,"reason":"away"}}',
    ],
    ['of one that was deleted', deleted, '{"before":{"id":"a","score":12.5}}'],
    ['of nothing', {}, '{}'],
  ])('%s are stored with few names, and come back with their columns in order', (_what, changes, text) => {
    expect(changesToText(changes)).toBe(text)
    expect(JSON.stringify(textToChanges(text))).toBe(JSON.stringify(changes))
  })

  test('of the first edition are read', () => {
    expect(textToChanges(JSON.stringify(changed))).toEqual(changed)
  })

  test('are told apart by names that no column has', () => {
    const columns = Object.values(sqliteTables).flatMap((table) => Object.keys(table))
    expect(columns.filter((name) => name === 'before' || name === 'after')).toEqual([])
  })
})
