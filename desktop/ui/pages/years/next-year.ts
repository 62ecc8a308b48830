/** The likely name of the next year: each number in it plus one, as long as before (2025/26 → 2026/27, 1999/00 → 2000/01). */
const nameAfter = (name: string): string =>
  name.replace(/\d+/g, (digits) =>
    String(Number(digits) + 1)
      .padStart(digits.length, '0')
      .slice(-digits.length),
  )

/** The same day a year later; of 29 February the last of the month. */
function dayAYearLater(day: string): string {
  const later = `${Number(day.slice(0, 4)) + 1}${day.slice(4)}`
  return later.endsWith('-02-29') ? `${later.slice(0, -2)}28` : later
}

type Year = { name: string; start_date: string; end_date: string }

export const latestOf = <One extends Pick<Year, 'start_date'>>(years: readonly One[]): One | null =>
  [...years].sort((a, b) => b.start_date.localeCompare(a.start_date))[0] ?? null

/** What a new year would likely be: as the latest one, a year later. Null where there is none. */
export function yearAfter<One extends Year>(years: readonly One[]): One | null {
  const latest = latestOf(years)
  if (!latest) return null
  const days = { start_date: dayAYearLater(latest.start_date), end_date: dayAYearLater(latest.end_date) }
  return { ...latest, ...days, name: nameAfter(latest.name) }
}
