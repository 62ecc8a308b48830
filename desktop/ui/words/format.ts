import i18next from 'i18next'

/** Numbers, days and instants in the chosen language. Formatters are slow to create: one is cached for each language and kind. */
type Formatter = Intl.NumberFormat | Intl.DateTimeFormat | Intl.ListFormat
const cache = new Map<string, Formatter>()

/** The chosen language with the region of the browser, where it names one (en-IE: 21 Nov 2026). */
const locale = () => navigator.languages.find((tag) => tag.split('-')[0] === i18next.language) ?? i18next.language

function formatter<T extends Formatter>(kind: string, make: (language: string) => T): T {
  const key = `${i18next.language} ${kind}`
  const known = cache.get(key) ?? make(locale())
  cache.set(key, known)
  return known as T
}

/** A figure with at most 2 decimals: `67.5`, in French `67,5`. */
export const number = (value: number): string =>
  formatter('number', (language) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 })).format(value)

/** A printed result with its 2 decimals; a dash where there is none. */
export const figure = (value: number | null): string =>
  value === null
    ? '–'
    : formatter('figure', (language) => new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 })).format(
        value,
      )

export const percent = (value: number): string => `${number(value)} %`

/** A day `YYYY-MM-DD`, which belongs to no zone. */
export const day = (value: string): string =>
  formatter('day', (language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })).format(
    new Date(`${value}T00:00:00Z`),
  )

/** A day in full with its weekday, on this computer's clock. */
export const fullDay = (at: Date): string =>
  formatter('fullDay', (language) => new Intl.DateTimeFormat(language, { dateStyle: 'full' })).format(at)

/** An instant on this computer's clock: day and minute. */
export const moment = (value: string): string =>
  formatter('moment', (language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })).format(new Date(value))

/** A duration in one unit: `5 minutes`, `2 hours`, `3 days`. At least a minute. */
export function lasting(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const [count, unit] =
    minutes < 60 ? [minutes, 'minute'] : minutes < 48 * 60 ? [Math.round(minutes / 60), 'hour'] : [Math.round(minutes / 1_440), 'day']
  const made = (language: string) => new Intl.NumberFormat(language, { style: 'unit', unit: String(unit), unitDisplay: 'long' })
  return formatter(`lasting ${unit}`, made).format(Number(count))
}

/** `2 marks, 1 change and 3 files` */
export const enumerated = (parts: readonly string[]): string =>
  formatter('list', (language) => new Intl.ListFormat(language, { type: 'conjunction' })).format(parts)

/** Parses a typed number with a decimal comma or point and any spaces. Null where it is no number. */
export function typedNumber(text: string): number | null {
  const plain = text.replace(/[\s\u00a0\u202f]/g, '').replace(',', '.')
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null
}

/** A number with the decimal sign of the language, for an input field. */
export const editable = (value: number): string =>
  String(value).replace(
    '.',
    formatter('number', (language) => new Intl.NumberFormat(language))
      .format(1.5)
      .charAt(1),
  )
