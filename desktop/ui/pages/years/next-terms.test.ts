import type { Term } from '@markbook/shared/contract/terms'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { areFaultless, faultOf, namesOf, termsAfter, termsInParts, termsToSend, withEdits } from './next-terms.ts'
import { dayOf, numberOf } from './term-days.ts'

const year = (name: string, start_date: string, end_date: string) => ({ name, start_date, end_date })
const former = year('2025/26', '2025-09-01', '2026-06-30')
const next = year('2026/27', '2026-09-01', '2027-06-30')
const term = (name: string, start_date: string, end_date: string, more: Partial<Term> = {}) =>
  ({
    id: `id of ${name}`,
    name,
    start_date,
    end_date,
    exam_weight: 60,
    coursework_weight: 40,
    is_ministry_reporting: false,
    sort_order: 1,
    ...more,
  }) as Term
const terms = [
  term('michaelmas', '2025-09-01', '2025-12-19'),
  term('hilary', '2026-01-07', '2026-03-27', { exam_weight: 70, coursework_weight: 30, sort_order: 2 }),
  term('trinity', '2026-04-13', '2026-06-30', { is_ministry_reporting: true, sort_order: 3 }),
]
const daysOf = (proposed: readonly { startDate: string; endDate: string }[]) => proposed.map((one) => [one.startDate, one.endDate])
const weekdayOf = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()

describe('termsAfter', () => {
  test('terms at the beginning or end of the year stay there', () => {
    const proposed = termsAfter(former, next, terms)
    expect(daysOf(proposed)).toEqual([
      ['2026-09-01', '2026-12-18'],
      ['2027-01-06', '2027-03-26'],
      ['2027-04-12', '2027-06-30'],
    ])
  })

  test.each([next, year('2026/27', '2026-08-31', '2027-06-29'), year('2026/27', '2026-09-03', '2027-07-02')])(
    'moves every day to the same weekday, or to the first or last day of the year: %j',
    (to) => {
      const moved = daysOf(termsAfter(former, to, terms)).flat()
      const strays = terms
        .flatMap(({ start_date, end_date }) => [start_date, end_date])
        .filter((day, at) => weekdayOf(moved[at] ?? '') !== weekdayOf(day) && ![to.start_date, to.end_date].includes(moved[at] ?? ''))
      expect(strays).toEqual([])
    },
  )

  test('keeps names, weights, the mark for the ministry, and the order', () => {
    expect(termsAfter(former, next, terms)[1]).toEqual({
      key: 'id of hilary',
      name: 'hilary',
      startDate: '2027-01-06',
      endDate: '2027-03-26',
      examWeight: 70,
      courseworkWeight: 30,
      isMinistryReporting: false,
      sortOrder: 2,
    })
    expect(termsAfter(former, next, terms)[2]?.isMinistryReporting).toBe(true)
  })

  test('moves terms by 53 weeks where the year moves by these', () => {
    expect(daysOf(termsAfter(former, year('2026/27', '2026-09-07', '2027-07-02'), terms))).toEqual([
      ['2026-09-07', '2026-12-25'],
      ['2027-01-13', '2027-04-02'],
      ['2027-04-19', '2027-07-02'],
    ])
  })

  test('works for a year that begins on an earlier weekday', () => {
    expect(daysOf(termsAfter(former, year('', '2026-08-28', '2027-06-30'), terms))[0]).toEqual(['2026-08-28', '2026-12-18'])
  })

  test('cuts terms at the end of a shorter year; if one would have no days, all get equal parts', () => {
    expect(daysOf(termsAfter(former, year('', '2026-09-01', '2027-04-30'), terms))[2]).toEqual(['2027-04-12', '2027-04-30'])
    const endsBefore = [term('Semester 2', '2026-02-02', '2026-06-19')]
    expect(daysOf(termsAfter(former, year('', '2026-09-01', '2027-04-30'), endsBefore))).toEqual([['2027-02-01', '2027-04-30']])
    expect(daysOf(termsAfter(former, year('', '2026-09-01', '2027-03-29'), terms))).toEqual([
      ['2026-09-01', '2026-11-09'],
      ['2026-11-10', '2027-01-18'],
      ['2027-01-19', '2027-03-29'],
    ])
  })

  test('replaces the year in a name, and keeps the number of a term', () => {
    const namesAfter = (...names: string[]) =>
      termsAfter(
        former,
        next,
        names.map((name) => term(name, '2025-10-01', '2025-12-01')),
      ).map(({ name }) => name)
    expect(namesAfter('Autumn 2025', 'Term 2025/26', 'Semester 1', 'T2-2026', '120251')).toEqual([
      'Autumn 2026',
      'Term 2026/27',
      'Semester 1',
      'T2-2027',
      '120251',
    ])
  })

  test('gives some terms while the days of the year are being typed, which cannot be saved yet', () => {
    for (const to of [
      year('', '', ''),
      year('', '0002-09-01', '2027-06-30'),
      year('', '2026-09-01', ''),
      year('', '2027-06-30', '2026-09-01'),
    ]) {
      expect(termsAfter(former, to, terms)).toHaveLength(3)
    }
  })

  test('always gives terms in order, inside the new year and without overlaps', () => {
    const spans = fc
      .uniqueArray(fc.integer({ min: 0, max: 300 }), { minLength: 12, maxLength: 12 })
      .map((days) => [...days].sort((a, b) => a - b))
    // The number of days of the year before its first term and after its last.
    const around = fc.integer({ min: 0, max: 20 })
    fc.assert(
      fc.property(
        spans,
        around,
        around,
        fc.integer({ min: -10, max: 40 }),
        fc.integer({ min: 200, max: 420 }),
        (days, lead, rest, shift, length) => {
          const first = numberOf('2025-09-01')
          const from = year('', dayOf(first + (days[0] ?? 0) - lead), dayOf(first + (days.at(-1) ?? 0) + rest))
          const before = [0, 2, 4, 6, 8, 10].map((at) => term(`T${at}`, dayOf(first + (days[at] ?? 0)), dayOf(first + (days[at + 1] ?? 0))))
          const start = numberOf(from.start_date) + 365 + shift
          const to = year('', dayOf(start), dayOf(start + length))
          const after = withEdits(termsAfter(from, to, before), {})
          for (const [at, one] of after.entries()) {
            expect(faultOf(one, to)).toBeNull()
            expect(one.startDate > (after[at - 1]?.endDate ?? '')).toBe(true)
          }
        },
      ),
    )
  })
})

describe('changes of a proposal', () => {
  const proposed = termsAfter(former, next, terms)

  test('keep what was typed, follow the year otherwise, and leave out unchecked terms', () => {
    const edits = { 'id of hilary': { startDate: '2027-01-11' }, 'id of trinity': { isLeftOut: true } }
    const sent = termsToSend(withEdits(proposed, edits))
    expect(sent.map(({ name, startDate, endDate }) => [name, startDate, endDate])).toEqual([
      ['michaelmas', '2026-09-01', '2026-12-18'],
      ['hilary', '2027-01-11', '2027-03-26'],
    ])
    expect(Object.keys(sent[0] ?? {})).not.toContain('key')
    expect(Object.keys(sent[0] ?? {})).not.toContain('isLeftOut')
  })

  test.each([
    [{ startDate: '2026-08-31' }, { field: 'startDate', word: 'outside' }],
    [{ startDate: '' }, { field: 'startDate', word: 'required' }],
    [{ endDate: '2027-07-01' }, { field: 'endDate', word: 'outside' }],
    [{ endDate: '2026-09-01' }, { field: 'endDate', word: 'order' }],
    [{ endDate: '2027-03-01' }, null],
  ])('with %j it has the fault %j', (edit, fault) => {
    const [first] = withEdits(proposed, { 'id of michaelmas': edit })
    expect(first && faultOf(first, next)).toEqual(fault)
    expect(areFaultless(withEdits(proposed, { 'id of michaelmas': edit }), next)).toBe(fault === null)
    expect(areFaultless(withEdits(proposed, { 'id of michaelmas': { ...edit, isLeftOut: true } }), next)).toBe(true)
  })
})

test('a first year gets the terms of a usual structure in equal parts', () => {
  const word = (structure: string, number: number) => `${structure} ${number}`
  expect(namesOf('three', word)).toEqual(['michaelmas', 'hilary', 'trinity'])
  expect(termsInParts(next, namesOf('semesters', word))).toEqual([
    { key: 'semesters 1', name: 'semesters 1', startDate: '2026-09-01', endDate: '2027-01-30', examWeight: 60, courseworkWeight: 40 },
    { key: 'semesters 2', name: 'semesters 2', startDate: '2027-01-31', endDate: '2027-06-30', examWeight: 60, courseworkWeight: 40 },
  ])
  expect(namesOf('quarters', word)).toHaveLength(4)
})
