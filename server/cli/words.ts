/** Times and sizes for people to read; times in the zone of the machine. */
export const moment = (ms: number): string =>
  Number.isFinite(ms) ? new Date(ms).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' }) : 'an unknown time'

/** A shorter form, for tables and lists; `at` in ms, or as an instant. */
export const shortMoment = (at: number | string): string =>
  new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

export const day = (ms: number): string => new Date(ms).toLocaleDateString('en-GB', { dateStyle: 'long' })

export const shortDay = (at: string): string => new Date(at).toLocaleDateString('en-GB', { dateStyle: 'medium' })

/** A number with its noun, which gets an s unless the number is 1. */
export const counted = (count: number, what: string): string => `${count.toLocaleString('en-GB')} ${what}${count === 1 ? '' : 's'}`

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A duration in its largest unit; `ms` in milliseconds. */
export function lasting(ms: number): string {
  const length = Math.abs(ms)
  if (length < 2 * MINUTE) return counted(Math.round(length / 1_000), 'second')
  if (length < 2 * HOUR) return counted(Math.round(length / MINUTE), 'minute')
  return length < 2 * DAY ? counted(Math.floor(length / HOUR), 'hour') : counted(Math.floor(length / DAY), 'day')
}

export function bytes(size: number): string {
  const [unit, name] = size >= 1_073_741_824 ? [1_073_741_824, 'GB'] : [1_048_576, 'MB']
  return `${(size / unit).toFixed(1)} ${name}`
}
