import type { AttendanceMark, AttendanceRegister } from '@markbook/shared/contract/attendance'
import { describe, expect, test, vi } from 'vitest'
import { coversRegister, monthOf, registerKey, registerOf, schoolDayAfter, today, within, withRegister } from './register.ts'

const register = { classId: 'c', day: '2026-01-12', lesson: 3 }
const row = (day: string, lesson: number, id: string) => ({ id, day, lesson }) as AttendanceRegister
const mark = (day: string, lesson: number, id: string) => ({ id, day, lesson }) as AttendanceMark

describe('days of a register', () => {
  test('schoolDayAfter leaves out other days of the week, also across months and years', () => {
    const [mondayToFriday, sundayToThursday] = [
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 7],
    ]
    expect(schoolDayAfter('2026-01-09', 1, mondayToFriday)).toBe('2026-01-12')
    expect(schoolDayAfter('2026-01-12', -1, mondayToFriday)).toBe('2026-01-09')
    expect(schoolDayAfter('2025-12-31', 1, mondayToFriday)).toBe('2026-01-01')
    expect(schoolDayAfter('2026-01-08', 1, sundayToThursday)).toBe('2026-01-11')
    expect(schoolDayAfter('2026-01-11', -1, sundayToThursday)).toBe('2026-01-08')
  })

  test('schoolDayAfter goes from week to week with one school day a week', () => {
    expect(schoolDayAfter('2026-01-10', 1, [6])).toBe('2026-01-17')
    expect(schoolDayAfter('2026-01-10', -1, [6])).toBe('2026-01-03')
  })

  test('monthOf returns the month of a day, also February of a leap year', () => {
    expect(monthOf('2026-01-12')).toEqual({ from: '2026-01-01', to: '2026-01-31' })
    expect(monthOf('2028-02-29')).toEqual({ from: '2028-02-01', to: '2028-02-29' })
    expect(monthOf('2025-12-31')).toEqual({ from: '2025-12-01', to: '2025-12-31' })
  })

  test('a day outside the year becomes the nearest one in it', () => {
    const year = { start_date: '2025-09-01', end_date: '2026-06-30' }
    expect(['2026-11-28', '2025-01-01', '2026-01-12'].map((day) => within(day, year))).toEqual(['2026-06-30', '2025-09-01', '2026-01-12'])
  })

  test('today is in the time zone of this computer', () => {
    vi.useFakeTimers({ now: new Date(2026, 0, 2, 23, 59) })
    expect(today()).toBe('2026-01-02')
    vi.useRealTimers()
  })
})

describe('the server’s reply about one register', () => {
  test('replaces that register, and no other', () => {
    const seen = {
      registers: [row('2026-01-12', 3, 'old'), row('2026-01-12', 0, 'day'), row('2026-01-13', 3, 'next')],
      marks: [mark('2026-01-12', 3, 'old'), mark('2026-01-12', 0, 'day')],
    }
    const after = withRegister(seen, register, { register: row('2026-01-12', 3, 'new'), marks: [mark('2026-01-12', 3, 'new')] })
    expect(after.registers.map(({ id }) => id)).toEqual(['day', 'next', 'new'])
    expect(after.marks.map(({ id }) => id)).toEqual(['day', 'new'])
  })

  test('belongs only to the months of its class', () => {
    const asked = (classId: string, from: string, to: string) => ({ params: { classId }, query: { from, to } })
    expect(coversRegister(asked('c', '2026-01-01', '2026-01-31'), register)).toBe(true)
    expect(coversRegister(asked('d', '2026-01-01', '2026-01-31'), register)).toBe(false)
    expect(coversRegister(asked('c', '2026-02-01', '2026-02-28'), register)).toBe(false)
  })

  test('a register can be read back from its key', () => {
    expect(registerOf(registerKey(register))).toEqual(register)
  })
})
