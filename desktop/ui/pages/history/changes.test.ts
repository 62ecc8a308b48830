import i18next from 'i18next'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import app from '../../words/fr/app.json' with { type: 'json' }
import history from '../../words/fr/history.json' with { type: 'json' }
import people from '../../words/fr/people.json' with { type: 'json' }
import reports from '../../words/fr/reports.json' with { type: 'json' }
import years from '../../words/fr/years.json' with { type: 'json' }
import { shownChanges } from './changes.ts'
import { valueText } from './value-text.ts'

const of = (changes: Record<string, [before: unknown, after: unknown]>) => ({
  changes: Object.fromEntries(Object.entries(changes).map(([field, [before, after]]) => [field, { before, after }])),
})

const named = ['score', 'remarks', 'is_excluded', 'exclusion_reason']

describe('shownChanges', () => {
  test('shows columns with names first, and leaves out ids and technical times', () => {
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

  test('shows the time of an approval', () => {
    const entry = of({ approved_at: [null, '2026-01-12T08:00:00.000Z'], approved_by: [null, 'x'] })
    expect(shownChanges(entry, ['approved_at'])).toEqual([
      { field: 'approved_at', isNamed: true, before: null, after: '2026-01-12T08:00:00.000Z' },
    ])
    expect(valueText('approved_at', '2026-01-12T08:00:00.000Z')).toMatch(/12.*2026/)
  })

  test('leaves out values that were and are empty', () => {
    expect(shownChanges(of({ is_excluded: [null, false], exclusion_reason: [null, ''], score: [3, 0] }), named)).toEqual([
      { field: 'score', isNamed: true, before: '3', after: '0' },
    ])
    expect(shownChanges(of({ is_excluded: [true, false] }), named)).toHaveLength(1)
  })
})

describe('a value', () => {
  beforeAll(() => i18next.init({ lng: 'fr', resources: { fr: { app, history, people, reports, years } } }))
  afterAll(() => i18next.changeLanguage('en'))

  test('of the name of a term is its word, and an own name stays', () => {
    expect([valueText('name', 'trinity'), valueText('name', 'Summer')]).toEqual([app.term.trinity, 'Summer'])
  })

  test('has the words of its page', () => {
    expect(valueText('status', 'sent_to_ministry')).toBe('envoyé au ministère')
    expect(valueText('status', 'approved')).toBe('acceptée')
    expect(valueText('grading_model', 'term_based')).toBe('par période')
    expect(valueText('start_date', '2026-09-07')).toBe('7 sept. 2026')
    expect(valueText('remarks', '2026-09-07')).toBe('2026-09-07')
    // The code of a mark is in a column with this name too.
    expect(valueText('status', 'abs')).toBe('abs')
  })

  test('with many parts is not shown as the text in the database', () => {
    expect(valueText('sent_snapshot', JSON.stringify({ sent_at: '2026-11-29', scale: { bands: [] } }))).toBe('tels qu’ils étaient alors')
    expect(
      valueText(
        'bands',
        JSON.stringify([
          { letter: 'A', minimum: 80, remark: 'Excellent' },
          { letter: 'F', minimum: 0 },
        ]),
      ),
    ).toBe('A 80, F 0')
    expect(valueText('school_days', '[1,2,7]')).toBe('lundi, mardi et dimanche')
    expect(valueText('mark_codes', JSON.stringify([{ code: 'abs' }, { code: 'ex' }]))).toBe('abs, ex')
    expect(valueText('document_language', 'ar')).toBe('العربية')
  })
})
