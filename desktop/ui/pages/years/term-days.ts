import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import { isKnownTerm, TERM_NAMES } from '@markbook/shared/domain/term-names'

export type Days = { startDate: string; endDate: string }

type Year = Pick<AcademicYear, 'start_date' | 'end_date'>
type Dated = Pick<Term, 'id' | 'name' | 'start_date' | 'end_date'>

const DAY = 86_400_000
/** A day as the number of days since 1970; NaN for an invalid one. */
export const numberOf = (day: string): number => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY)
/** The day for a number; '' for NaN. */
export const dayOf = (number: number): string => (Number.isNaN(number) ? '' : new Date(number * DAY).toISOString().slice(0, 10))

/**
 * The days to propose for a new term: its share of what the neighbouring terms leave of the year, a third where there is no other term; the
 * whole year where they leave nothing. A term with the school's own name comes after all others.
 */
export function proposedDays(year: Year, terms: readonly Dated[], name: Term['name']): Days {
  const { start_date, end_date } = year
  if (!isKnownTerm(name) || terms.some((term) => !isKnownTerm(term.name))) return daysAfter(year, terms)
  const placeOf = ({ name }: Pick<Dated, 'name'>) => (isKnownTerm(name) ? TERM_NAMES.indexOf(name) : -1)
  const at = placeOf({ name })
  const before = terms.filter((term) => placeOf(term) < at)
  const after = terms.filter((term) => placeOf(term) > at)
  const first = Math.max(numberOf(start_date), ...before.map((term) => numberOf(term.end_date) + 1))
  const last = Math.min(numberOf(end_date), ...after.map((term) => numberOf(term.start_date) - 1))
  // The missing terms on both sides, up to the next existing ones, share the days with this one.
  const from = Math.max(-1, ...before.map(placeOf)) + 1
  const to = Math.min(TERM_NAMES.length, ...after.map(placeOf))
  const share = (last - first + 1) / (to - from)
  if (share < 1) return { startDate: start_date, endDate: end_date }
  return {
    startDate: dayOf(first + Math.round(share * (at - from))),
    endDate: dayOf(first + Math.round(share * (at - from + 1)) - 1),
  }
}

/** What is left of the year after the last term; the whole year where nothing is left. */
function daysAfter({ start_date, end_date }: Year, terms: readonly Dated[]): Days {
  const last = Math.max(...terms.map((term) => numberOf(term.end_date)), numberOf(start_date) - 1)
  return last + 1 < numberOf(end_date) ? { startDate: dayOf(last + 1), endDate: end_date } : { startDate: start_date, endDate: end_date }
}

/** A year in equal parts, one after the other. */
export function partsOf({ start_date, end_date }: Year, count: number): Days[] {
  const first = numberOf(start_date)
  const share = (numberOf(end_date) - first + 1) / count
  return Array.from({ length: count }, (_, at) => ({
    startDate: dayOf(first + Math.round(share * at)),
    endDate: dayOf(first + Math.round(share * (at + 1)) - 1),
  }))
}

/** The other terms of the year that overlap these days. */
export const overlapping = <T extends Dated>({ startDate, endDate }: Days, terms: readonly T[], own: string | undefined): T[] =>
  terms.filter(({ id, start_date, end_date }) => id !== own && start_date <= endDate && startDate <= end_date)
