import { isSchoolDay } from '@markbook/shared/domain/school-days'
import { dayAfter } from './register.ts'

type Span = { start_date: string; end_date: string }

/** What says which days are usual: the days of the week on which there is school, and the terms. */
type Usual = { schoolDays: readonly number[]; terms: readonly Span[] }

/** Why a register of a day may be a mistake: no school day, in no term, or tomorrow. It can be taken all the same. */
export type UnusualDay = 'noSchoolDay' | 'break' | 'tomorrow'

const isIn = (day: string, { start_date, end_date }: Span) => start_date <= day && day <= end_date

/** Null for a usual day, and for one so far ahead that its register says by itself that it has not come. Where the year has no terms yet, no day is outside them. */
export function unusualDay(day: string, { schoolDays, terms }: Usual, today: string): UnusualDay | null {
  if (day > today) return day === dayAfter(today, 1) ? 'tomorrow' : null
  if (!isSchoolDay(day, schoolDays)) return 'noSchoolDay'
  return terms.length > 0 && !terms.some((term) => isIn(day, term)) ? 'break' : null
}

/** The next usual day of the year, be it to come; null where the year has none any more. */
export function nextUsualDay(day: string, usual: Usual, year: Span): string | null {
  for (let next = dayAfter(day, 1); next <= year.end_date; next = dayAfter(next, 1)) if (unusualDay(next, usual, next) === null) return next
  return null
}
