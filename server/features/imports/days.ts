import { Day } from '@markbook/shared/contract/scalars'

export type ReadDay = { ok: true; value: string } | { ok: false; message: string }

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/
const WRITE_SO = 'must be a day that exists, written year first, like 2011-03-25'

const dayOf = (year: string, month: string, day: string): ReadDay => {
  const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return Day.safeParse(value).success ? { ok: true, value } : { ok: false, message: WRITE_SO }
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
    if (Number(first) > 12) dayIsFirst = true
    if (Number(second) > 12) monthIsFirst = true
  }
  const isClear = dayIsFirst !== monthIsFirst
  return (text) => {
    const [, year, , month, day] = YEAR_FIRST.exec(text) ?? []
    if (year && month && day) return dayOf(year, month, day)
    const [, first, , second, lastYear] = YEAR_LAST.exec(text) ?? []
    if (!first || !second || !lastYear) return { ok: false, message: WRITE_SO }
    if (!isClear && Number(first) !== Number(second)) {
      return { ok: false, message: 'does not say which number is the month; write the year first, like 2011-03-25' }
    }
    return dayIsFirst ? dayOf(lastYear, second, first) : dayOf(lastYear, first, second)
  }
}
