import { Day } from '@markbook/shared/contract/scalars'
import type { FaultCode } from './faults.ts'

export type ReadDay = { ok: true; value: string } | { ok: false; code: FaultCode }

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/

/** The 31st of February runs over into March, and the 13th month into the next year. */
const isOfCalendar = (year: number, month: number, day: number): boolean => {
  const at = new Date(Date.UTC(year, month - 1, day))
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day
}

const dayOf = (year: string, month: string, day: string): ReadDay => {
  const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (Day.safeParse(value).success) return { ok: true, value }
  return { ok: false, code: isOfCalendar(Number(year), Number(month), Number(day)) ? 'day_far' : 'no_such_day' }
}

/**
 * Reads the days of one file. A spreadsheet program that saves a table as text writes days its own way, so «25/03/2011» is
 * understood too: a number above 12 shows, for the whole file, whether the day or the month comes first. Where nothing shows
 * it, or one file shows both, «04/03/2011» is refused: it may be April or March.
 */
export function dayReader(texts: Iterable<string>): (text: string) => ReadDay {
  let [dayIsFirst, monthIsFirst] = [false, false]
  for (const text of texts) {
    const [, first, , second] = YEAR_LAST.exec(text) ?? []
    // Neither number can be a month, so the text says nothing about the order.
    if (Number(first) > 12 && Number(second) > 12) continue
    if (Number(first) > 12) dayIsFirst = true
    if (Number(second) > 12) monthIsFirst = true
  }
  const isClear = dayIsFirst !== monthIsFirst
  return (text) => {
    const [, year, , month, day] = YEAR_FIRST.exec(text) ?? []
    if (year && month && day) return dayOf(year, month, day)
    const [, first, , second, lastYear] = YEAR_LAST.exec(text) ?? []
    if (!first || !second || !lastYear) return { ok: false, code: 'day_form' }
    if (Number(first) > 12 && Number(second) > 12) return { ok: false, code: 'no_such_day' }
    if (!isClear && Number(first) !== Number(second)) return { ok: false, code: 'day_unclear' }
    return dayIsFirst ? dayOf(lastYear, second, first) : dayOf(lastYear, first, second)
  }
}
