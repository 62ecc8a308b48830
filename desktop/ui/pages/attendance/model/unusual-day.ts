import { isSchoolDay } from '@markbook/shared/domain/school-days'
import { dayAfter } from './register.ts'

type Span = { start_date: string; end_date: string }

/** Which days are usual: weekdays with school, within a term. */
type Usual = { schoolDays: readonly number[]; terms: readonly Span[] }

/** Why the register of a day may be a mistake: no school that weekday, outside the terms, or tomorrow. It can be taken anyway. */
export type UnusualDay = 'noSchoolDay' | 'break' | 'tomorrow'

const isIn = (day: string, { start_date, end_date }: Span) => start_date <= day && day <= end_date

/**
 * Why a day is unusual; null for a usual day, and for days after tomorrow, whose page says that they have not come. In a year without terms
 * no day is outside them.
 */
export function unusualDay(day: string, { schoolDays, terms }: Usual, today: string): UnusualDay | null {
  if (day > today) return day === dayAfter(today, 1) ? 'tomorrow' : null
  if (!isSchoolDay(day, schoolDays)) return 'noSchoolDay'
  return terms.length > 0 && !terms.some((term) => isIn(day, term)) ? 'break' : null
}

/** The next usual day of the year, which may be in the future; null where there is none. */
export function nextUsualDay(day: string, usual: Usual, year: Span): string | null {
  for (let next = dayAfter(day, 1); next <= year.end_date; next = dayAfter(next, 1)) if (unusualDay(next, usual, next) === null) return next
  return null
}
