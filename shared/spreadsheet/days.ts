/** What somebody says of the days of a file, where the file itself does not show it: which number comes first, or that they are a spreadsheet's numbers. */
export const dayForms = ['day_first', 'month_first', 'numbers'] as const
export type DayForm = (typeof dayForms)[number]

type DayFault = 'no_such_day' | 'day_far' | 'day_form' | 'day_unclear'
export type ReadDay = { ok: true; value: string } | { ok: false; code: DayFault }

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/
/** From 1927 to 2173. A shorter or longer number is more likely something else. */
const NUMBER = /^\d{5}$/
const DAY_ZERO = Date.UTC(1899, 11, 30)

/** The 31st of February runs over into March, and the 13th month into the next year. */
const isOfCalendar = (year: number, month: number, day: number): boolean => {
  const at = new Date(Date.UTC(year, month - 1, day))
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day
}

/** As the contract takes a day (`Day`), which the app does not load. */
const [FIRST_YEAR, LAST_YEAR] = [1900, 2200]

const dayOf = (year: string, month: string, day: string): ReadDay => {
  const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (!isOfCalendar(Number(year), Number(month), Number(day))) return { ok: false, code: 'no_such_day' }
  return Number(year) < FIRST_YEAR || Number(year) > LAST_YEAR ? { ok: false, code: 'day_far' } : { ok: true, value }
}

/**
 * How the days of one file are written. `yearFirst`, `yearLast` and `numbers` are the texts of each kind. `order` is the one that a number
 * above 12 shows for the whole file; it is null where nothing shows it, or where the file shows both.
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
    // Neither number can be a month, so the text says nothing about the order.
    if (Number(first) > 12 && Number(second) > 12) continue
    if (Number(first) > 12) dayIsFirst = true
    if (Number(second) > 12) monthIsFirst = true
  }
  if (dayIsFirst !== monthIsFirst) found.order = dayIsFirst ? 'day_first' : 'month_first'
  return found
}

/**
 * Reads the days of one file. A spreadsheet program that saves a table as text writes days its own way, so «25/03/2011» is
 * understood too: a number above 12 shows, for the whole file, whether the day or the month comes first. Where nothing shows
 * it, or one file shows both, «04/03/2011» is refused, since it may be April or March, unless `said` decides it.
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
