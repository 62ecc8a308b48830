import { describe, expect, test } from 'vitest'
import { dayReader } from './days.ts'

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

  test('another day of the file shows which number is the month', () => {
    expect(read('04/03/2011', '25/03/2011')).toBe('2011-03-04')
    expect(read('04/03/2011', '03/25/2011')).toBe('2011-04-03')
  })

  test('a file that writes days in two orders is not guessed at', () => {
    expect(read('04/03/2011', '25/03/2011', '03/25/2011')).toBeNull()
    expect(read('25/03/2011', '03/25/2011')).toBeNull()
  })
})
