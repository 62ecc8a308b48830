import type { AttendanceMark, AttendanceRegister } from '@markbook/shared/contract/attendance'
import { isSchoolDay, weekdays } from '@markbook/shared/domain/school-days'
import { localDay } from '../../../words/format.ts'

/** `lesson` 0: the whole day. */
export type Register = { classId: string; day: string; lesson: number }
export type MonthOfClass = { registers: AttendanceRegister[]; marks: AttendanceMark[] }

export const registerKey = ({ classId, day, lesson }: Register): string => `${classId} ${day} ${lesson}`
/** The inverse of `registerKey`. */
export function registerOf(key: string): Register {
  const [classId = '', day = '', lesson = ''] = key.split(' ')
  return { classId, day, lesson: Number(lesson) }
}

type RegisterRequest = { params: { classId: string }; query: { from: string; to: string } }
/** Whether the reply to a request has the register in it. */
export function coversRegister(request: unknown, { classId, day }: Register): boolean {
  const { params, query } = request as RegisterRequest
  return params.classId === classId && query.from <= day && day <= query.to
}

/** The month, with one register replaced by the server's reply. */
export function withRegister(
  { registers, marks }: MonthOfClass,
  { day, lesson }: Register,
  taken: { register: AttendanceRegister; marks: readonly AttendanceMark[] },
): MonthOfClass {
  const isOther = (row: { day: string; lesson: number }) => row.day !== day || row.lesson !== lesson
  return { registers: [...registers.filter(isOther), taken.register], marks: [...marks.filter(isOther), ...taken.marks] }
}

const at = (day: string) => new Date(`${day}T00:00:00Z`)
const written = (date: Date) => date.toISOString().slice(0, 10)

/** The day `days` later. */
export function dayAfter(day: string, days: number): string {
  const date = at(day)
  date.setUTCDate(date.getUTCDate() + days)
  return written(date)
}

/** The next school day in this direction. */
export function schoolDayAfter(day: string, step: 1 | -1, schoolDays: readonly number[]): string {
  const week = weekdays.map((count) => dayAfter(day, step * count))
  return week.find((next) => isSchoolDay(next, schoolDays)) ?? dayAfter(day, step)
}

/** The first and the last day of a month. */
export function monthOf(day: string): { from: string; to: string } {
  const next = at(`${day.slice(0, 7)}-01`)
  next.setUTCMonth(next.getUTCMonth() + 1)
  return { from: `${day.slice(0, 7)}-01`, to: dayAfter(written(next), -1) }
}

export const today = (): string => localDay(new Date())

/** The day if it is in the year, else the nearest one in it. */
export const within = (day: string, { start_date, end_date }: { start_date: string; end_date: string }): string =>
  day < start_date ? start_date : day > end_date ? end_date : day
