/**
 * How a person says the file's days are to be read, where the file itself is ambiguous: day first, month first, or serial numbers of a
 * spreadsheet.
 */
export const dayForms = ['day_first', 'month_first', 'numbers'] as const
export type DayForm = (typeof dayForms)[number]

type DayFault = 'no_such_day' | 'day_far' | 'day_form' | 'day_unclear'
export type ReadDay = { ok: true; value: string } | { ok: false; code: DayFault }

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/
/** Serial numbers of 5 digits are days from 1927 to 2173. Other numbers are probably no days. */
const NUMBER = /^\d{5}$/
const DAY_ZERO = Date.UTC(1899, 11, 30)

/** `Date` accepts the 31st of February and the 13th month and carries them over; this function refuses them. */
const isOfCalendar = (year: number, month: number, day: number): boolean => {
  const at = new Date(Date.UTC(year, month - 1, day))
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day
}

/** The bounds of the contract's `Day`, which the app does not load. */
const [FIRST_YEAR, LAST_YEAR] = [1900, 2200]

const dayOf = (year: string, month: string, day: string): ReadDay => {
  const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (!isOfCalendar(Number(year), Number(month), Number(day))) return { ok: false, code: 'no_such_day' }
  return Number(year) < FIRST_YEAR || Number(year) > LAST_YEAR ? { ok: false, code: 'day_far' } : { ok: true, value }
}

/**
 * The notations of days in one file. `yearFirst`, `yearLast` and `numbers` are the texts of each kind. `order`: day or month first, proved
 * by a number above 12; null where nothing proves it, or the file proves both.
 */
export type WrittenDays = { yearFirst: string[]; yearLast: string[]; numbers: string[]; order: 'day_first' | 'month_first' | null }

export function writtenDays(texts: Iterable<string>): WrittenDays {
  const found: WrittenDays = { yearFirst: [], yearLast: [], numbers: [], order: null }
  let [dayIsFirst, monthIsFirst] = [false, false]
  for (const text of texts) {
    if (NUMBER.test(text)) found.numbers.push(text)
    if (YEAR_FIRST.test(text)) found.yearFirst.push(text)
    const [, first, , second] = YEAR_LAST.exec(text) ?? []
    if (first === undefined) continue
    found.yearLast.push(text)
    // Neither number can be a month, so this text proves no order.
    if (Number(first) > 12 && Number(second) > 12) continue
    if (Number(first) > 12) dayIsFirst = true
    if (Number(second) > 12) monthIsFirst = true
  }
  if (dayIsFirst !== monthIsFirst) found.order = dayIsFirst ? 'day_first' : 'month_first'
  return found
}

/**
 * Reads the days of one file. Spreadsheet programs save days in local notations, so «25/03/2011» is accepted too: a number above 12 proves
 * for the whole file whether the day or the month comes first. Where nothing proves it, or one file proves both, «04/03/2011» is refused,
 * since it may be April or March, unless `said` states the order.
 */
export function dayReader(texts: Iterable<string>, said?: DayForm): (text: string) => ReadDay {
  const shown = writtenDays(texts).order
  const order = said === undefined || said === 'numbers' ? shown : said
  return (text) => {
    const [, year, , month, day] = YEAR_FIRST.exec(text) ?? []
    if (year && month && day) return dayOf(year, month, day)
    if (said === 'numbers' && NUMBER.test(text))
      return { ok: true, value: new Date(DAY_ZERO + Number(text) * 86_400_000).toISOString().slice(0, 10) }
    const [, first, , second, lastYear] = YEAR_LAST.exec(text) ?? []
    if (!first || !second || !lastYear) return { ok: false, code: 'day_form' }
    if (Number(first) > 12 && Number(second) > 12) return { ok: false, code: 'no_such_day' }
    if (order === null && Number(first) !== Number(second)) return { ok: false, code: 'day_unclear' }
    return order === 'day_first' ? dayOf(lastYear, second, first) : dayOf(lastYear, first, second)
  }
}
