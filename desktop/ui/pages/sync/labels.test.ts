import { people } from '@markbook/shared/story/people'
import { describe, expect, test } from 'vitest'
import { differing, shownColumns } from './labels.ts'

describe('what is to be decided', () => {
  const kept = { student_group_id: people.okafor.id, title: 'Towers', max_score: 30, weight: null, is_excluded: false }

  test('is what differs, an empty value too', () => {
    expect(differing(kept, { ...kept, title: 'Tower', weight: 2 })).toEqual({ title: 'Towers', weight: null })
    expect(differing({ score: 7 }, { score: 7 })).toEqual({ score: 7 })
  })

  test('of a row that is not here is shown without ids and empty values', () => {
    expect(differing(kept, null)).toEqual({ title: 'Towers', max_score: 30 })
    expect(differing({ student_id: people.okafor.id }, null)).toEqual({})
  })
})

describe('what is shown of a write', () => {
  test('who answered a request and when is left out where something else is there', () => {
    const value = { status: 'approved', reviewed_at: '2026-11-30T07:57:48.118Z', reviewed_by: people.okafor.id, message: null }
    expect(shownColumns(value)).toEqual([['status', 'approved']])
  })

  test('a time is shown where there is nothing else, and when a book was approved always', () => {
    const [at, confirmed] = ['2026-01-12T08:00:00.000Z', { confirmed_at: '2026-11-30T07:57:48.118Z' }]
    expect(shownColumns(confirmed)).toEqual(Object.entries(confirmed))
    expect(shownColumns({ approved_at: at, status: 'draft' })).toEqual(Object.entries({ approved_at: at, status: 'draft' }))
  })
})
