import { dayOf, numberOf } from './term-days.ts'

/** The likely name of the next year: each of its numbers plus one, with as many digits (2025/26 → 2026/27, 1999/00 → 2000/01). */
const nameAfter = (name: string): string =>
  name.replace(/\d+/g, (digits) => {
    const next = String(Number(digits) + 1).padStart(digits.length, '0')
    return digits.length === 2 ? next.slice(-2) : next
  })

/** The same day a year later; the last day of February stays the last. */
function dayAYearLater(day: string): string {
  const year = Number(day.slice(0, 4))
  return day === lastOfFebruary(year) ? lastOfFebruary(year + 1) : `${year + 1}${day.slice(4)}`
}

const lastOfFebruary = (year: number): string => dayOf(numberOf(`${year}-03-01`) - 1)

type Year = { name: string; start_date: string; end_date: string }

/** The year that begins last; null where there is none. */
export const latestOf = <One extends Pick<Year, 'start_date'>>(years: readonly One[]): One | null =>
  [...years].sort((a, b) => b.start_date.localeCompare(a.start_date))[0] ?? null

/** The likely next year: like the latest one, a year later. Null where there is none. */
export function yearAfter<One extends Year>(years: readonly One[]): One | null {
  const latest = latestOf(years)
  if (!latest) return null
  const days = { start_date: dayAYearLater(latest.start_date), end_date: dayAYearLater(latest.end_date) }
  return { ...latest, ...days, name: nameAfter(latest.name) }
}
