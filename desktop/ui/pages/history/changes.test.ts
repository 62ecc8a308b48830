import { describe, expect, test } from 'vitest'
import { shownChanges } from './changes.ts'

const of = (changes: Record<string, [before: unknown, after: unknown]>) => ({
  changes: Object.fromEntries(Object.entries(changes).map(([field, [before, after]]) => [field, { before, after }])),
})

const named = ['score', 'remarks', 'is_excluded', 'exclusion_reason']

describe('what is shown of an entry', () => {
  test('what has a name stands first, ids and times of the service are left out', () => {
    const entry = of({
      assessment_id: [null, 'x'],
      updated_at: [null, 'y'],
      sha256: [null, 'f'.repeat(64)],
      crest_sha256: [null, 'f'.repeat(64)],
      odd: [1, 2],
      remarks: [null, 'Good.'],
      score: [null, 12.5],
    })
    expect(shownChanges(entry, named)).toEqual([
      { field: 'score', isNamed: true, before: null, after: '12.5' },
      { field: 'remarks', isNamed: true, before: null, after: 'Good.' },
      { field: 'odd', isNamed: false, before: '1', after: '2' },
    ])
  })

  test('what was nothing and is nothing takes no room', () => {
    expect(shownChanges(of({ is_excluded: [null, false], exclusion_reason: [null, ''], score: [3, 0] }), named)).toEqual([
      { field: 'score', isNamed: true, before: '3', after: '0' },
    ])
    expect(shownChanges(of({ is_excluded: [true, false] }), named)).toHaveLength(1)
  })
})
