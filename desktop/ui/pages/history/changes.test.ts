import { describe, expect, test } from 'vitest'
import { shownChanges } from './changes.ts'

const of = (changes: Record<string, [before: unknown, after: unknown]>) => ({
  changes: Object.fromEntries(Object.entries(changes).map(([field, [before, after]]) => [field, { before, after }])),
})

describe('what is shown of an entry', () => {
  test('what has a name stands first, ids and times of the service are left out', () => {
    const entry = of({
      assessment_id: [null, 'x'],
      updated_at: [null, 'y'],
      odd: [1, 2],
      remarks: [null, 'Good.'],
      score: [null, 12.5],
    })
    expect(shownChanges(entry)).toEqual([
      { field: 'score', word: 'score', before: null, after: '12.5' },
      { field: 'remarks', word: 'remarks', before: null, after: 'Good.' },
      { field: 'odd', word: null, before: '1', after: '2' },
    ])
  })

  test('what was nothing and is nothing takes no room', () => {
    expect(shownChanges(of({ is_excluded: [null, false], exclusion_reason: [null, ''], score: [3, 0] }))).toEqual([
      { field: 'score', word: 'score', before: '3', after: '0' },
    ])
    expect(shownChanges(of({ is_excluded: [true, false] }))).toHaveLength(1)
  })
})
