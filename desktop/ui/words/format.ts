import { westernFigures } from '@markbook/shared/domain/decimal'
import i18next from 'i18next'

/** The chosen language, with the region of the browser where it has the same language (en-IE: 21 Nov 2026). */
const locale = () => navigator.languages.find((tag) => tag.split('-')[0] === i18next.language) ?? i18next.language
/** Figures are 0 to 9 in every language, as on documents and in files. */
const FIGURES = { numberingSystem: 'latn' }

/** Creating a formatter is slow: one is cached for each language. */
function formatter<F, Options>(Format: new (locale: string, options: Options) => F, options: Options): () => F {
  const known = new Map<string, F>()
  return () => {
    const { language } = i18next
    const made = known.get(language) ?? new Format(locale(), { ...FIGURES, ...options })
    known.set(language, made)
    return made
  }
}

const numbers = formatter(Intl.NumberFormat, { maximumFractionDigits: 2 })
/** A number with at most 2 decimals: `67.5`, in French `67,5`. */
export const number = (value: number): string => numbers().format(value)

const preciseNumbers = formatter(Intl.NumberFormat, { maximumFractionDigits: 4 })
/** A number in a calculation, with at most 4 decimals. */
export const precise = (value: number): string => preciseNumbers().format(value)

const figures = formatter(Intl.NumberFormat, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
/** A result with its 2 decimals; a dash for null. */
export const figure = (value: number | null): string => (value === null ? '–' : figures().format(value))

export const percent = (value: number): string => `${number(value)} %`

const days = formatter(Intl.DateTimeFormat, { dateStyle: 'medium', timeZone: 'UTC' })
/** A day `YYYY-MM-DD`, without a time zone. */
export const day = (value: string): string => days().format(new Date(`${value}T00:00:00Z`))

const weekdays = formatter(Intl.DateTimeFormat, { weekday: 'long', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
/** A day `YYYY-MM-DD` with its weekday. */
export const weekday = (value: string): string => weekdays().format(new Date(`${value}T00:00:00Z`))

const weekdayNames = formatter(Intl.DateTimeFormat, { weekday: 'long', timeZone: 'UTC' })
/** The name of a weekday, Monday 1 to Sunday 7. */
export const weekdayName = (number: number): string =>
  // The first of January 2024 is a Monday.
  weekdayNames().format(new Date(Date.UTC(2024, 0, number)))

/** The day of an instant in the computer's time zone, as `2026-03-25`. */
export function localDay(value: string | Date): string {
  const at = new Date(value)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

const fullDays = formatter(Intl.DateTimeFormat, { dateStyle: 'full' })
/** A day in full with its weekday, in the computer's time zone. */
export const fullDay = (at: Date): string => fullDays().format(at)

const moments = formatter(Intl.DateTimeFormat, { dateStyle: 'medium', timeStyle: 'short' })
/** An instant with day and minute, in the computer's time zone. */
export const moment = (value: string): string => moments().format(new Date(value))

/** The first formatters of numbers and days take a browser 10 to 20 ms: a page before one with many figures creates them in advance. */
export function prepareFormatters(): void {
  number(0)
  day('2000-01-01')
}

const unitsOf = (unit: string) => formatter(Intl.NumberFormat, { style: 'unit', unit, unitDisplay: 'long' })
const durations = { minute: unitsOf('minute'), hour: unitsOf('hour'), day: unitsOf('day') }
/** A duration of at least a minute in one unit: `5 minutes`, `2 hours`, `3 days`. */
export function lasting(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes < 60) return durations.minute().format(minutes)
  return minutes < 48 * 60 ? durations.hour().format(Math.round(minutes / 60)) : durations.day().format(Math.round(minutes / 1_440))
}

const lists = formatter(Intl.ListFormat, { type: 'conjunction' })
/** A list in words: `2 marks, 1 change and 3 files` */
export const enumerated = (parts: readonly string[]): string => lists().format(parts)

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
export const editable = (value: number): string => String(value).replace('.', decimalSign)
const decimalSign = () => number(1.5).charAt(1)
