import { westernFigures } from '@markbook/shared/domain/decimal'
import i18next from 'i18next'

type Formatter = Intl.NumberFormat | Intl.DateTimeFormat | Intl.ListFormat
const cache = new Map<string, Formatter>()

/** The chosen language, with the region of the browser where it has the same language (en-IE: 21 Nov 2026). */
const locale = () => navigator.languages.find((tag) => tag.split('-')[0] === i18next.language) ?? i18next.language
/** Figures are 0 to 9 in every language, as on documents and in files. */
const FIGURES = { numberingSystem: 'latn' }

/** Creating a formatter is slow: one is cached for each language and `options`. */
function formatter<F extends Formatter, Options>(Format: new (locale: string, options: Options) => F, options: Options): F {
  const key = JSON.stringify([i18next.language, Format.name, options])
  const known = cache.get(key) ?? new Format(locale(), { ...FIGURES, ...options })
  cache.set(key, known)
  return known as F
}

/** A number with at most 2 decimals: `67.5`, in French `67,5`. */
export const number = (value: number): string => formatter(Intl.NumberFormat, { maximumFractionDigits: 2 }).format(value)

/** A number in a calculation, with at most 4 decimals. */
export const precise = (value: number): string => formatter(Intl.NumberFormat, { maximumFractionDigits: 4 }).format(value)

/** A result with its 2 decimals; a dash for null. */
export const figure = (value: number | null): string =>
  value === null ? '–' : formatter(Intl.NumberFormat, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value)

export const percent = (value: number): string => `${number(value)} %`

/** A day `YYYY-MM-DD`, without a time zone. */
export const day = (value: string): string =>
  formatter(Intl.DateTimeFormat, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${value}T00:00:00Z`))

/** A day `YYYY-MM-DD` with its weekday. */
export const weekday = (value: string): string =>
  formatter(Intl.DateTimeFormat, { weekday: 'long', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${value}T00:00:00Z`),
  )

/** The name of a weekday, Monday 1 to Sunday 7. */
export const weekdayName = (number: number): string =>
  // 1 January 2024 is a Monday.
  formatter(Intl.DateTimeFormat, { weekday: 'long', timeZone: 'UTC' }).format(new Date(Date.UTC(2024, 0, number)))

/** A day in full with its weekday, in the computer's time zone. */
export const fullDay = (at: Date): string => formatter(Intl.DateTimeFormat, { dateStyle: 'full' }).format(at)

/** An instant with day and minute, in the computer's time zone. */
export const moment = (value: string): string =>
  formatter(Intl.DateTimeFormat, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(value))

/** The first formatters of numbers and days take a browser 10 to 20 ms: a page before one with many figures creates them in advance. */
export function prepareFormatters(): void {
  number(0)
  day('2000-01-01')
}

/** A duration of at least a minute in one unit: `5 minutes`, `2 hours`, `3 days`. */
export function lasting(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const [count, unit] =
    minutes < 60 ? [minutes, 'minute'] : minutes < 48 * 60 ? [Math.round(minutes / 60), 'hour'] : [Math.round(minutes / 1_440), 'day']
  return formatter(Intl.NumberFormat, { style: 'unit', unit: String(unit), unitDisplay: 'long' }).format(Number(count))
}

/** A list in words: `2 marks, 1 change and 3 files` */
export const enumerated = (parts: readonly string[]): string => formatter(Intl.ListFormat, { type: 'conjunction' }).format(parts)

/** The first `most` names; with … where there are more. */
export const firstOf = (names: readonly string[], most: number, separator = ', '): string =>
  `${names.slice(0, most).join(separator)}${names.length > most ? ' …' : ''}`

/** Parses a typed number with a decimal comma or point and any spaces; null for other text. */
export function typedNumber(text: string): number | null {
  const plain = westernFigures(text)
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace(',', '.')
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null
}

/** A number for an input field, with the decimal sign of the language. */
export const editable = (value: number): string => String(value).replace('.', number(1.5).charAt(1))
