import { TERM_NAMES } from '@markbook/shared/domain/term-names'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { overlapping, partsOf, proposedDays } from './term-days.ts'

const year = { start_date: '2025-09-01', end_date: '2026-06-30' }
const term = (name: string, start_date: string, end_date: string) => ({ id: name, name, start_date, end_date })

describe('proposed days for a new term', () => {
  test('are a third of the year each, in order', () => {
    expect(TERM_NAMES.map((name) => proposedDays(year, [], name))).toEqual([
      { startDate: '2025-09-01', endDate: '2025-12-10' },
      { startDate: '2025-12-11', endDate: '2026-03-21' },
      { startDate: '2026-03-22', endDate: '2026-06-30' },
    ])
  })

  test('are what the terms before and after leave', () => {
    const terms = [term('michaelmas', '2025-09-01', '2025-12-19')]
    expect(proposedDays(year, terms, 'hilary').startDate).toBe('2025-12-20')
    expect(proposedDays(year, terms, 'trinity').endDate).toBe('2026-06-30')
    expect(proposedDays(year, [...terms, term('trinity', '2026-04-13', '2026-06-20')], 'hilary')).toEqual({
      startDate: '2025-12-20',
      endDate: '2026-04-12',
    })
    expect(proposedDays(year, [term('hilary', '2025-09-01', '2026-01-31')], 'michaelmas')).toEqual({
      startDate: year.start_date,
      endDate: year.end_date,
    })
  })

  test('of a term with the school’s own name come last; the whole year where nothing is left', () => {
    const first = term('Semester 1', '2025-09-01', '2026-01-31')
    expect(proposedDays(year, [], 'Semester 1')).toEqual({ startDate: '2025-09-01', endDate: '2026-06-30' })
    expect(proposedDays(year, [first], 'Semester 2')).toEqual({ startDate: '2026-02-01', endDate: '2026-06-30' })
    expect(proposedDays(year, [first], 'trinity').startDate).toBe('2026-02-01')
    const whole = term('Semester 2', '2026-02-01', '2026-06-30')
    expect(proposedDays(year, [first, whole], 'Semester 3')).toEqual({ startDate: year.start_date, endDate: year.end_date })
  })

  test('partsOf divides a year without gaps and overlaps', () => {
    expect(partsOf(year, 2)).toEqual([
      { startDate: '2025-09-01', endDate: '2026-01-30' },
      { startDate: '2026-01-31', endDate: '2026-06-30' },
    ])
    expect(partsOf(year, 3)).toEqual(TERM_NAMES.map((name) => proposedDays(year, [], name)))
  })

  test('one after the other, in any order of names, never overlap, and fill the year', () => {
    const names = fc.shuffledSubarray([...TERM_NAMES], { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(names, fc.integer({ min: 10, max: 500 }), (order, length) => {
        const of = { start_date: '2025-09-01', end_date: new Date(Date.UTC(2025, 8, length)).toISOString().slice(0, 10) }
        const terms: ReturnType<typeof term>[] = []
        for (const name of order) {
          const days = proposedDays(of, terms, name)
          expect(overlapping(days, terms, undefined)).toEqual([])
          terms.push(term(name, days.startDate, days.endDate))
        }
        expect(
          terms
            .map(({ end_date }) => end_date)
            .sort()
            .at(-1),
        ).toBe(of.end_date)
      }),
    )
  })
})

test('overlapping finds terms with a common day, and not the term itself', () => {
  const terms = [term('michaelmas', '2025-09-01', '2025-12-19'), term('hilary', '2026-01-05', '2026-03-27')]
  const days = { startDate: '2025-12-19', endDate: '2026-01-04' }
  expect(overlapping(days, terms, undefined).map(({ id }) => id)).toEqual(['michaelmas'])
  expect(overlapping(days, terms, 'michaelmas')).toEqual([])
})
