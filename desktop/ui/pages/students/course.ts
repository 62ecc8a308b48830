import type { StudentOverview } from '@markbook/shared/contract/calculations'
import { isPartialResult, restsOnPartial } from '@markbook/shared/domain/partial'

type Class = StudentOverview['classes'][number]
type Past = Class['terms'][number]
/** A term in which the pupil has a result. */
export type PastTerm = { id: string; name: Past['term']['name']; year: string; result: NonNullable<Past['result']> }
/**
 * The results of a subject, or the averages, in each term; null where there is none. `partial`: which of them have only coursework or only
 * an exam.
 */
export type Course = { id: string; name: string; results: (number | null)[]; partial: boolean[] }

/** The terms with any result, the earliest first. */
export function pastTerms({ classes }: Pick<StudentOverview, 'classes'>): PastTerm[] {
  return classes
    .flatMap(({ academic_year, terms }) => terms.map((one) => ({ ...one, year: academic_year.name })))
    .sort((a, b) => (a.term.start_date < b.term.start_date ? -1 : 1))
    .flatMap(({ term, result, year }) => {
      const isAny = result?.subjects.some(({ term_composite }) => term_composite !== null)
      return result && isAny ? [{ id: term.id, name: term.name, year, result }] : []
    })
}

/** The overall averages and the results of each subject by term; subjects in the order of the latest term that has them. */
export function courseOf(terms: readonly PastTerm[]): { overall: Pick<Course, 'results' | 'partial'>; subjects: Course[] } {
  const names = new Map([...terms].reverse().flatMap(({ result }) => result.subjects.map((one) => [one.subject_id, one.subject_name])))
  const subjects = [...names].map(([id, name]) => {
    const own = terms.map(({ result }) => result.subjects.find(({ subject_id }) => subject_id === id))
    return {
      id,
      name,
      results: own.map((one) => one?.term_composite ?? null),
      partial: own.map((one) => one !== undefined && isPartialResult(one)),
    }
  })
  const isAny = ({ results }: Course) => results.some((result) => result !== null)
  const overall = {
    results: terms.map(({ result }) => result.overall_average),
    partial: terms.map(({ result }) => restsOnPartial(result.overall_average, result.subjects)),
  }
  return { overall, subjects: subjects.filter(isAny) }
}
