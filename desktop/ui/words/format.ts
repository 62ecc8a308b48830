import { westernFigures } from '@markbook/shared/domain/decimal'
import i18next from 'i18next'

type Formatter = Intl.NumberFormat | Intl.DateTimeFormat | Intl.ListFormat
const cache = new Map<string, Formatter>()

/** The chosen language with the region of the browser, where it names one (en-IE: 21 Nov 2026). */
const locale = () => navigator.languages.find((tag) => tag.split('-')[0] === i18next.language) ?? i18next.language
/** Figures are 0 to 9 in every language, as on papers and in files. */
const FIGURES = { numberingSystem: 'latn' }

/** Numbers, days and instants in the chosen language. Formatters are slow to create: one is cached for each language and `options`. */
function formatter<F extends Formatter, Options>(Format: new (locale: string, options: Options) => F, options: Options): F {
  const key = JSON.stringify([i18next.language, Format.name, options])
  const known = cache.get(key) ?? new Format(locale(), { ...FIGURES, ...options })
  cache.set(key, known)
  return known as F
}

/** A figure with at most 2 decimals: `67.5`, in French `67,5`. */
export const number = (value: number): string => formatter(Intl.NumberFormat, { maximumFractionDigits: 2 }).format(value)

/** A number inside a calculation, to 4 decimals. */
export const precise = (value: number): string => formatter(Intl.NumberFormat, { maximumFractionDigits: 4 }).format(value)

/** A printed result with its 2 decimals; a dash where there is none. */
export const figure = (value: number | null): string =>
  value === null ? '–' : formatter(Intl.NumberFormat, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value)

export const percent = (value: number): string => `${number(value)} %`

/** A day `YYYY-MM-DD`, which belongs to no zone. */
export const day = (value: string): string =>
  formatter(Intl.DateTimeFormat, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${value}T00:00:00Z`))

/** A day `YYYY-MM-DD` with its weekday. */
export const weekday = (value: string): string =>
  formatter(Intl.DateTimeFormat, { weekday: 'long', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${value}T00:00:00Z`),
  )

/** The name of a day of the week, Monday 1 to Sunday 7. */
export const weekdayName = (number: number): string =>
  // The first of January 2024 is a Monday.
  formatter(Intl.DateTimeFormat, { weekday: 'long', timeZone: 'UTC' }).format(new Date(Date.UTC(2024, 0, number)))

/** A day in full with its weekday, on this computer's clock. */
export const fullDay = (at: Date): string => formatter(Intl.DateTimeFormat, { dateStyle: 'full' }).format(at)

/** An instant on this computer's clock: day and minute. */
export const moment = (value: string): string =>
  formatter(Intl.DateTimeFormat, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(value))

/** The first formatter of numbers and of days takes a browser 10 to 20 ms: a page that leads to many figures makes them before they are asked for. */
export function prepareFormatters(): void {
  number(0)
  day('2000-01-01')
}

/** A duration in one unit: `5 minutes`, `2 hours`, `3 days`. At least a minute. */
export function lasting(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const [count, unit] =
    minutes < 60 ? [minutes, 'minute'] : minutes < 48 * 60 ? [Math.round(minutes / 60), 'hour'] : [Math.round(minutes / 1_440), 'day']
  return formatter(Intl.NumberFormat, { style: 'unit', unit: String(unit), unitDisplay: 'long' }).format(Number(count))
}

/** `2 marks, 1 change and 3 files` */
export const enumerated = (parts: readonly string[]): string => formatter(Intl.ListFormat, { type: 'conjunction' }).format(parts)

/** The first of some names, with … where there are more. */
export const firstOf = (names: readonly string[], most: number, separator = ', '): string =>
  `${names.slice(0, most).join(separator)}${names.length > most ? ' …' : ''}`

/** Parses a typed number with a decimal comma or point and any spaces. Null where it is no number. */
export function typedNumber(text: string): number | null {
  const plain = westernFigures(text)
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace(',', '.')
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null
}

/** A number with the decimal sign of the language, for an input field. */
export const editable = (value: number): string => String(value).replace('.', number(1.5).charAt(1))
