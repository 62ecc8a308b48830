const MINUTE = 60_000
/** A length of time, ms, in its largest sensible unit. */
export function ago(ms: number): string {
  // Seconds would be news of the status each time that it is looked at.
  if (ms < MINUTE) return 'less than a minute'
  const minutes = Math.round(ms / MINUTE)
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`
}
