import type { AttendanceCode } from '@markbook/shared/domain/attendance'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { ask } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { useQueueChanges } from '../marks/use-kept-queue.ts'
import { type AttendanceSession, attendanceSessionOf } from './model/attendance-session.ts'
import { type MonthOfClass, monthOf, type Register, registerKey } from './model/register.ts'
import { codeOf, noteKey, noteOf } from './model/register-entries.ts'

export function useAttendanceSession(): AttendanceSession {
  const { id, school_id } = useProfile()
  const session = attendanceSessionOf({ userId: id, schoolId: school_id ?? '' })
  useQueueChanges(session.queue)
  return session
}

export const useMonth = ({ classId, day }: Pick<Register, 'classId' | 'day'>) =>
  useQuery(ask('attendance', 'read', { params: { classId }, query: monthOf(day) }))

type Entry = { studentId: string; code: AttendanceCode } | { studentId: string; note: string | null }
/** An entry, and the value that it replaced. */
type Step = { before: Entry; after: Entry }

/** One register with its unsaved entries, and functions that change it. Use another component for another register. */
export function useRegister(register: Register, month: MonthOfClass) {
  const session = useAttendanceSession()
  const key = registerKey(register)
  const isOwn = (row: { day: string; lesson: number }) => row.day === register.day && row.lesson === register.lesson
  const taken = month.registers.find(isOwn)
  const stored = new Map(month.marks.filter(isOwn).map((mark) => [mark.student_id, mark]))
  const storedCode = (studentId: string): AttendanceCode => stored.get(studentId)?.code ?? 'present'
  const storedNote = (studentId: string): string | null => stored.get(studentId)?.note || null
  /** The unsaved value of an entry, unless it was refused or is in conflict. */
  const entered = (entry: string) => {
    const pending = session.queue.get(key, entry)
    return pending && pending.state !== 'conflict' && pending.state !== 'refused' ? pending : undefined
  }
  const codeNow = (studentId: string): AttendanceCode => {
    const pending = entered(studentId)
    return pending ? codeOf(pending.score) : storedCode(studentId)
  }
  const noteNow = (studentId: string): string | null => {
    const pending = entered(noteKey(studentId))
    return pending ? noteOf(pending.score) : storedNote(studentId)
  }
  const past = useRef<Step[]>([])
  const isTaken = taken !== undefined || session.queue.all().some(({ assessmentId }) => assessmentId === key)
  const isStill = (entry: Entry) => ('note' in entry ? noteNow(entry.studentId) === entry.note : codeNow(entry.studentId) === entry.code)
  const write = (entry: Entry) => {
    const { studentId } = entry
    if ('note' in entry) session.note(register, studentId, { note: entry.note, seen: storedNote(studentId) })
    else if (!isStill(entry)) session.mark(register, [{ studentId, code: entry.code, seen: storedCode(studentId) }])
    // All are present already: the only change is that the register is taken.
    else if (!isTaken) session.mark(register, [])
  }
  return {
    taken,
    isTaken,
    codeNow,
    noteNow,
    isPending: (studentId: string) => [studentId, noteKey(studentId)].some((entry) => session.queue.get(key, entry) !== undefined),
    say: (studentId: string, code: AttendanceCode) => {
      past.current.push({ before: { studentId, code: codeNow(studentId) }, after: { studentId, code } })
      write({ studentId, code })
    },
    /** `seen`: the note that was there when the field was opened. Another note now is somebody else's. */
    note: (studentId: string, text: string, seen: string) => {
      const note = text.trim() || null
      const now = noteNow(studentId)
      if (note === now || note === (seen || null)) return
      past.current.push({ before: { studentId, note: now }, after: { studentId, note } })
      session.note(register, studentId, { note, seen: seen || null })
    },
    /** Undoes the last step, unless somebody else has changed it since; returns the id of its pupil. */
    undo: (): string | undefined => {
      const last = past.current.pop()
      if (last && isStill(last.after)) write(last.before)
      return last?.before.studentId
    },
    takeAsIs: () => session.mark(register, []),
  }
}
export type RegisterState = ReturnType<typeof useRegister>
