import { attendanceFailures } from '@markbook/shared/contract/attendance'
import { classFailures } from '@markbook/shared/contract/classes'
import { type AttendanceCode, type AttendanceTotals, attendanceTotals, lastDayOfRegisters } from '@markbook/shared/domain/attendance'
import { common, type Issue } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { yearById } from '../policy.ts'
import { inOrder, orNotFound } from '../references.ts'
import { marksInRegister, marksOfDays, pupilsOfClass, registerOf, registersOfDays, studentsNamed } from './attendance.queries.ts'

type Group = Row<'student_group'>
type Mark = Row<'attendance_mark'>
type RegisterEntry = {
  studentId: string
  code?: AttendanceCode | undefined
  note?: string | null | undefined
  expected?: AttendanceCode | null | undefined
  expectedNote?: string | null | undefined
}
type Taken = { day: string; lesson: number; marks: readonly RegisterEntry[] }

/** Throws 400 for a day outside the year, or in the future. */
async function demandDay(tx: ReadTx, { school_id: school, academic_year_id }: Group, day: string): Promise<void> {
  const [year] = await yearById(tx, { school, id: academic_year_id })
  if (!year) throw common.notFound()
  if (day < year.start_date || day > year.end_date) throw attendanceFailures.outsideYear()
  if (day > lastDayOfRegisters(tx.nowMs)) throw attendanceFailures.futureDay()
}

/** Throws 400 where one of the pupils is not in the class; 404 where one does not exist in the school. */
async function demandInClass(tx: ReadTx, { school_id: school, id: group }: Group, marks: readonly RegisterEntry[]): Promise<void> {
  const pupils = new Set((await pupilsOfClass(tx, { school, group })).map(({ student_id }) => student_id))
  const issues = marks.flatMap(({ studentId }, at): Issue[] =>
    pupils.has(studentId) ? [] : [{ path: `marks.${at}.studentId`, message: 'is not in the class' }],
  )
  if (issues.length === 0) return
  const ids = marks.map(({ studentId }) => studentId).filter((id) => !pupils.has(id))
  inOrder(await studentsNamed(tx, { school, ids: JSON.stringify(ids) }), ids)
  throw classFailures.notEnrolled({ issues })
}

/** Whether `wanted` may replace `standing`: the client stated no earlier value, or `standing` equals the stated value or the wanted one. */
const isAsSeen = <T>(standing: T, seen: T | undefined, wanted: T | undefined): boolean =>
  seen === undefined || seen === standing || wanted === standing

/** Throws 409 where a code or note differs from the value that the client stated as seen and from the wanted one. */
function demandAsSeen(marks: readonly RegisterEntry[], known: ReadonlyMap<string, Mark>): void {
  const issues = marks.flatMap(({ studentId, code, note, expected, expectedNote }, at): Issue[] => {
    const { code: standing, note: standingNote } = known.get(studentId) ?? { code: 'present', note: null }
    const path = `marks.${at}.studentId`
    if (!isAsSeen(standing, expected === null ? 'present' : expected, code))
      return [{ path, message: `is ${standing} by now`, values: { student: studentId, code: standing } }]
    const isSameNote = isAsSeen(standingNote ?? '', expectedNote === null ? '' : expectedNote, note === null ? '' : note)
    return isSameNote ? [] : [{ path, message: 'has another note by now', values: { student: studentId, note: standingNote ?? '' } }]
  })
  if (issues.length > 0) throw attendanceFailures.changedMeanwhile({ issues })
}

/**
 * Takes or corrects a register of a class, which the transaction has locked, so that concurrent requests run one after the other. The
 * number of statements is independent of the number of marks; equal values write nothing.
 */
export async function takeRegister(tx: WriteTx, group: Group, { day, lesson, marks }: Taken) {
  await demandDay(tx, group, day)
  await demandInClass(tx, group, marks)
  const of = { school: group.school_id, group: group.id, day, lesson }
  const known = new Map((await marksInRegister(tx, of)).map((mark) => [mark.student_id, mark]))
  demandAsSeen(marks, known)
  const place = { school_id: group.school_id, student_group_id: group.id, day, lesson }
  const [taken] = await registerOf(tx, of)
  const register = taken ?? (await tx.insert('attendance_register', place))
  const fresh = marks
    .filter(({ studentId, code = 'present', note }) => !known.has(studentId) && (code !== 'present' || Boolean(note)))
    .map(({ studentId, code = 'present', note = null }) => ({ ...place, student_id: studentId, code, note }))
  const changes = marks.flatMap(({ studentId, code, note }) => {
    const before = known.get(studentId)
    return before ? [{ before, patch: { ...(code !== undefined && { code }), ...(note !== undefined && { note }) } }] : []
  })
  await tx.insert('attendance_mark', fresh).catch(orNotFound)
  await tx.update('attendance_mark', changes)
  return { register, marks: await marksInRegister(tx, of) }
}

/** The totals of every pupil of a class between two days, by last name; all 0 where no register was taken. */
export async function totalsOfClass(
  tx: ReadTx,
  { school_id: school, id: group }: Pick<Group, 'school_id' | 'id'>,
  days: { start_date: string; end_date: string },
): Promise<Map<string, AttendanceTotals>> {
  const of = { school, group, from: days.start_date, to: days.end_date }
  const registers = await registersOfDays(tx, of)
  const marks = registers.length === 0 ? [] : await marksOfDays(tx, of)
  return attendanceTotals(await pupilsOfClass(tx, { school, group }), registers, marks)
}
