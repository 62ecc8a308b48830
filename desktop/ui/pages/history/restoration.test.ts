import { describe, expect, test } from 'vitest'
import { restorationOf } from './restoration.ts'

type Entry = Parameters<typeof restorationOf>[0][number]
const person = (id: string) => ({ id, first_name: id, last_name: '' })
const entry = (action: Entry['action'], by: string, value: unknown = 12, field = 'score'): Entry => ({
  action,
  actor: person(by),
  changes: { [field]: action === 'delete' ? { before: value, after: null } : { before: null, after: value } },
})
const shown = (...entries: Entry[]) => {
  const found = restorationOf(entries)
  return found && [found.enteredBy?.id, found.restoredBy?.id]
}

describe('who entered a mark', () => {
  test('of one that was never deleted is in the mark itself', () => {
    expect(shown()).toBeNull()
    expect(shown(entry('create', 'ada'))).toBeNull()
    expect(shown(entry('update', 'head'), entry('create', 'ada'))).toBeNull()
  })

  test('of a restored one is the author of its last value', () => {
    expect(shown(entry('create', 'head'), entry('delete', 'head'), entry('create', 'ada'))).toEqual(['ada', 'head'])
    const remarked = [entry('update', 'head', 'late', 'remarks'), entry('update', 'quinn'), entry('create', 'ada')]
    expect(shown(entry('create', 'head'), entry('delete', 'ada'), ...remarked)).toEqual(['quinn', 'head'])
  })

  test('of one that was restored twice is still the author', () => {
    const once = [entry('create', 'byrne'), entry('delete', 'byrne'), entry('create', 'ada')]
    expect(shown(entry('create', 'head'), entry('delete', 'head'), ...once)).toEqual(['ada', 'head'])
  })

  test('of a restored one that is older than the history is unknown', () => {
    expect(shown(entry('create', 'head'), entry('delete', 'head'))).toEqual([undefined, 'head'])
  })

  test('of a restored one with another value since is whoever changed it', () => {
    expect(shown(entry('update', 'quinn'), entry('create', 'head'), entry('delete', 'head'), entry('create', 'ada'))).toBeNull()
    expect(shown(entry('create', 'head', 15), entry('delete', 'ada'), entry('create', 'ada'))).toBeNull()
  })

  test('of one that its author restored is in the mark itself', () => {
    expect(shown(entry('create', 'ada'), entry('delete', 'ada'), entry('create', 'ada'))).toBeNull()
  })
})
