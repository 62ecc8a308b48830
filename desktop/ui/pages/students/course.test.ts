import type { StudentOverview } from '@markbook/shared/contract/calculations'
import { describe, expect, test } from 'vitest'
import { courseOf, pastTerms } from './course.ts'

const result = (overall_average: number | null, ...subjects: [id: string, composite: number | null, is_partial?: boolean][]) => ({
  overall_average,
  subjects: subjects.map(([id, term_composite, is_partial = false]) => ({
    subject_id: id,
    subject_name: `name of ${id}`,
    term_composite,
    is_partial,
  })),
})
const group = (year: string, ...terms: [name: string, starts: string, result: ReturnType<typeof result> | null][]) => ({
  academic_year: { id: year, name: year },
  terms: terms.map(([name, start_date, own]) => ({ term: { id: `${name} ${year}`, name, start_date }, result: own })),
})
const overview = (...classes: ReturnType<typeof group>[]) => ({ classes }) as unknown as StudentOverview

describe('courseOf', () => {
  const seen = overview(
    group(
      '2025/26',
      ['michaelmas', '2025-09-01', result(70, ['ma', 70, true])],
      ['hilary', '2026-01-07', result(null, ['ma', null])],
      ['trinity', '2026-04-01', result(80, ['en', 80], ['ma', null, true])],
    ),
    group('2024/25', ['michaelmas', '2024-09-01', result(50, ['ma', 40], ['en', 60])], ['trinity', '2025-04-01', null]),
  )
  test('leaves out terms without a result; the earliest is first', () => {
    expect(pastTerms(seen).map(({ id }) => id)).toEqual(['michaelmas 2024/25', 'michaelmas 2025/26', 'trinity 2025/26'])
  })
  test('has a place for each term in each subject, null where it was not taken', () => {
    expect(courseOf(pastTerms(seen))).toEqual({
      overall: { results: [50, 70, 80], partial: [false, true, false] },
      subjects: [
        { id: 'en', name: 'name of en', results: [60, null, 80], partial: [false, false, false] },
        { id: 'ma', name: 'name of ma', results: [40, 70, null], partial: [false, true, false] },
      ],
    })
  })
  test('is empty for a pupil without results', () => {
    expect(courseOf(pastTerms(overview()))).toEqual({ overall: { results: [], partial: [] }, subjects: [] })
  })
})
