export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const MINUTE = 60_000
/** A duration in ms as text, in its largest sensible unit. */
export function ago(ms: number): string {
  // Seconds would make each reading of the status differ from the last.
  if (ms < MINUTE) return 'less than a minute'
  const minutes = Math.round(ms / MINUTE)
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`
}
