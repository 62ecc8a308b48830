const DAY_MS = 86_400_000
/** A term is shown this many days before its end, and an invitation before it expires. */
const TERM_DAYS = 14
const INVITATION_DAYS = 3

/** The days from one day to another, both as 2026-03-25; negative if the second is earlier. */
export const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)

/** Whether a current term ends so soon that missing marks are urgent. */
export function endsSoon({ start_date, end_date }: { start_date: string; end_date: string }, today: string): boolean {
  const left = daysBetween(today, end_date)
  return start_date <= today && left >= 0 && left <= TERM_DAYS
}

/** The invitations without an answer that expire soon. `now` in ms. */
export const expiring = <I extends { expires_at: string }>(invitations: readonly I[], now: number): I[] =>
  invitations.filter(({ expires_at }) => {
    const left = Date.parse(expires_at) - now
    return left > 0 && left <= INVITATION_DAYS * DAY_MS
  })

const MOST_PUT_OFF = 100

/** The stored keys of hidden lines; none where the text cannot be read. */
export function putOffIn(text: string | null): string[] {
  try {
    const kept = JSON.parse(text ?? '[]') as unknown
    return Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : []
  } catch {
    return []
  }
}

/** Adds a key as the newest, and drops the oldest beyond the limit. */
export const withPutOff = (kept: readonly string[], key: string): string[] =>
  [...kept.filter((one) => one !== key), key].slice(-MOST_PUT_OFF)
