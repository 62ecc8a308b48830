import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Day } from '../contract/scalars.ts'
import { type DayForm, dayReader, writtenDays } from './days.ts'

const read = (text: string, ...others: string[]) => {
  const day = dayReader([text, ...others])(text)
  return day.ok ? day.value : null
}

describe('the days of a file', () => {
  test.each([
    ['2011-03-25', '2011-03-25'],
    ['2011-3-5', '2011-03-05'],
    ['2011/03/25', '2011-03-25'],
    ['25/03/2011', '2011-03-25'],
    ['25.3.2011', '2011-03-25'],
    ['03/25/2011', '2011-03-25'],
    ['04/04/2011', '2011-04-04'],
  ])('%s is read as %s', (text, day) => {
    expect(read(text)).toBe(day)
  })

  test.each(['04/03/2011', '2011-02-30', '31/02/2011', '25/13/2011', '25/03/11', '40627', '2011-03/25', 'March', '1066-10-14'])(
    '%s is refused',
    (text) => {
      expect(read(text)).toBeNull()
    },
  )

  test.each([
    ['31/02/2011', 'no_such_day'],
    ['25/13/2011', 'no_such_day'],
    ['1066-10-14', 'day_far'],
    ['04/03/2011', 'day_unclear'],
    ['tomorrow', 'day_form'],
    ['25/03/11', 'day_form'],
  ])('%s is refused for its own reason: %s', (text, code) => {
    expect(dayReader([text])(text)).toEqual({ ok: false, code })
  })

  test('another day of the file proves which number is the month', () => {
    expect(read('04/03/2011', '25/03/2011')).toBe('2011-03-04')
    expect(read('04/03/2011', '03/25/2011')).toBe('2011-04-03')
  })

  test('a person can state the order that the file does not prove; days that contradict it are then refused', () => {
    const said = (text: string, form: DayForm, ...others: string[]) => dayReader([text, ...others], form)(text)
    expect(said('04/03/2011', 'day_first')).toEqual({ ok: true, value: '2011-03-04' })
    expect(said('04/03/2011', 'month_first')).toEqual({ ok: true, value: '2011-04-03' })
    expect(said('03/25/2011', 'day_first')).toEqual({ ok: false, code: 'no_such_day' })
    expect(said('04/03/2011', 'day_first', '03/25/2011')).toEqual({ ok: true, value: '2011-03-04' })
    expect(said('40627', 'numbers')).toEqual({ ok: true, value: '2011-03-25' })
    expect(said('40627', 'day_first')).toEqual({ ok: false, code: 'day_form' })
    expect(said('250311', 'numbers')).toEqual({ ok: false, code: 'day_form' })
    expect(said('04/03/2011', 'numbers', '25/03/2011')).toEqual({ ok: true, value: '2011-03-04' })
    expect(said('2011-03-25', 'month_first')).toEqual({ ok: true, value: '2011-03-25' })
  })

  test('the notations are reported by kind', () => {
    expect(writtenDays(['2011-03-25', '04/03/2011', '25/03/2011', '40627', '', 'March'])).toEqual({
      yearFirst: ['2011-03-25'],
      yearLast: ['04/03/2011', '25/03/2011'],
      numbers: ['40627'],
      order: 'day_first',
    })
    expect(writtenDays(['04/03/2011']).order).toBeNull()
    expect(writtenDays(['25/03/2011', '03/25/2011']).order).toBeNull()
  })

  test('a text is read exactly where it is a day of the contract', () => {
    const part = (most: number) => fc.integer({ min: 0, max: most }).map(String)
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 2300 }), part(14), part(33), (year, month, day) => {
        const said = dayReader([], 'day_first')(`${day}/${month}/${year}`)
        const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
        expect(said.ok).toBe(Day.safeParse(written).success)
      }),
    )
  })

  test('ambiguous days of a file with two orders are refused', () => {
    expect(read('04/03/2011', '25/03/2011', '03/25/2011')).toBeNull()
    expect(read('25/03/2011', '03/25/2011')).toBeNull()
  })
})
