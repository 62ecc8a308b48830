import fc from 'fast-check'
import { expect, test } from 'vitest'
import { search } from './matching.ts'

const entries = [
  { id: '1', name: 'Marks' },
  { id: '2', name: 'Mathematics · 3B' },
  { id: '3', name: 'Report books', words: 'cards' },
  { id: '4', name: 'Élan Ó Briain' },
  { id: '5', name: 'The marks of 3B' },
  { id: '6', name: 'मिश्रा' },
]
const found = (query: string) => search(entries, query).map(({ id }) => id)

test.each([
  ['', ['1', '2', '3', '4', '5', '6']],
  ['  ', ['1', '2', '3', '4', '5', '6']],
  ['ma', ['1', '2', '5']],
  ['3b mat', ['2']],
  ['marks 3B', ['5']],
  ['elan', ['4']],
  ['BRIAIN o', ['4']],
  ['card', ['3']],
  ['arks', []],
  ['zzz', []],
  ['मी', []],
  ['मि', ['6']],
])('%j finds %j', (query, ids) => expect(found(query)).toEqual(ids))

test('every entry is found by its own name, and none is found twice', () => {
  const named = fc
    .uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 10 })
    .map((names) => names.map((name) => ({ id: name, name })))
  fc.assert(
    fc.property(named, fc.string({ maxLength: 8 }), (all, query) => {
      const ids = search(all, query).map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      for (const { id, name } of all) expect(search(all, name).map((entry) => entry.id)).toContain(id)
    }),
  )
})
