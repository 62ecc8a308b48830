import type { AttendanceCode } from '@markbook/shared/domain/attendance'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useReducer, useRef } from 'react'
import { ask } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { type AttendanceSession, attendanceSessionOf, codeOf, TAKEN } from './model/attendance-session.ts'
import { type MonthOfClass, monthOf, type Register, registerKey } from './model/register.ts'

export function useAttendanceSession(): AttendanceSession {
  const { id, school_id } = useProfile()
  const session = attendanceSessionOf({ userId: id, schoolId: school_id ?? '' })
  const [, drawAgain] = useReducer((count: number) => count + 1, 0)
  useEffect(() => session.queue.listen(drawAgain), [session])
  return session
}

export const useMonth = ({ classId, day }: Pick<Register, 'classId' | 'day'>) =>
  useQuery(ask('attendance', 'read', { params: { classId }, query: monthOf(day) }))

type Step = { studentId: string; code: AttendanceCode }

/** One register as it stands, with what is on its way over it, and the writing of it. */
export function useRegister(register: Register, month: MonthOfClass) {
  const session = useAttendanceSession()
  const key = registerKey(register)
  const isOwn = (row: { day: string; lesson: number }) => row.day === register.day && row.lesson === register.lesson
  const taken = month.registers.find(isOwn)
  const stored = new Map(month.marks.filter(isOwn).map(({ student_id, code }) => [student_id, code]))
  const storedOf = (studentId: string): AttendanceCode => stored.get(studentId) ?? 'present'
  const codeNow = (studentId: string): AttendanceCode => {
    const pending = session.queue.get(key, studentId)
    return pending && pending.state !== 'conflict' && pending.state !== 'refused' ? codeOf(pending.score) : storedOf(studentId)
  }
  const pending = session.queue.all().filter(({ assessmentId }) => assessmentId === key)
  const steps = useRef<{ key: string; past: Step[] }>({ key, past: [] })
  if (steps.current.key !== key) steps.current = { key, past: [] }
  const isTaken = taken !== undefined || pending.length > 0
  const write = (studentId: string, code: AttendanceCode) => {
    if (code !== codeNow(studentId)) session.mark(register, [{ studentId, code, seen: storedOf(studentId) }])
    // Present already: all that there is to say is that the register is taken.
    else if (!isTaken) session.mark(register, [])
  }
  return {
    taken,
    isTaken,
    codeNow,
    isPending: (studentId: string) => session.queue.get(key, studentId) !== undefined,
    say: (studentId: string, code: AttendanceCode) => {
      steps.current.past.push({ studentId, code: codeNow(studentId) })
      write(studentId, code)
    },
    /** Takes the last step back; answers whose it was. */
    undo: (): string | undefined => {
      const last = steps.current.past.pop()
      if (last) write(last.studentId, last.code)
      return last?.studentId
    },
    takeAsIs: () => session.mark(register, []),
    unsaved: pending.filter(({ studentId }) => studentId !== TAKEN || pending.length === 1),
  }
}
export type RegisterState = ReturnType<typeof useRegister>
