import type { AttendanceMark, AttendanceRegister } from '@markbook/shared/contract/attendance'
import type { AttendanceCode } from '@markbook/shared/domain/attendance'
import { Failure } from '@markbook/shared/failures'
import { promptClient as client } from '../../../api/client.ts'
import { changeReplies, queryClient, refresh } from '../../../api/queries.ts'
import type { CellValue } from '../../marks/model/cell-value.ts'
import { openKeptQueue, sessionsOf, tellUnsaved, type Whose } from '../../marks/model/kept-queue.ts'
import type { StoredMark } from '../../marks/model/pending-mark.ts'
import { coversRegister, type MonthOfClass, type Register, registerKey, registerOf, withRegister } from './register.ts'
import { codeValueOf, issuesOfEntries, noteKey, noteValueOf, requestOf, TAKEN } from './register-entries.ts'

export type AttendanceSession = ReturnType<typeof open>

/** The queue of a person's attendance in this window; like `markingSessionOf` for marks. */
export const attendanceSessionOf = sessionsOf(open)

const rowOf = (student_id: string, status: string | null): StoredMark => ({ student_id, score: null, status, remarks: null })
const rowsOf = (registers: readonly AttendanceRegister[], marks: readonly AttendanceMark[]): StoredMark[] => [
  ...marks.flatMap(({ student_id, code, note }) => [rowOf(student_id, codeValueOf(code)), rowOf(noteKey(student_id), noteValueOf(note))]),
  ...registers.map(() => rowOf(TAKEN, TAKEN)),
]

function open({ owner, isShown, demandOwn }: Whose) {
  const take = async (key: string, entries: readonly { studentId: string; value: CellValue }[]) => {
    demandOwn()
    const { classId, day, lesson } = registerOf(key)
    const { marks, places } = requestOf(entries.map(({ studentId, value }) => ({ key: studentId, value, seen: seenOf(key, studentId) })))
    const taken = await client.attendance.take({ params: { classId }, body: { day, lesson, marks } }).catch((error: unknown) => {
      if (!(error instanceof Failure) || !error.issues) throw error
      throw new Failure(error.status, error.code, error.message, { issues: issuesOfEntries(error.issues, places) })
    })
    showSaved({ classId, day, lesson }, taken)
    return rowsOf([taken.register], taken.marks)
  }
  const kept = openKeptQueue<StoredMark, Register>(owner, 'pending_attendance', {
    send: (key, marks) =>
      take(
        key,
        marks.map(({ studentId, score }) => ({ studentId, value: score })),
      ),
    remove: async (key, studentId) => {
      await take(key, [{ studentId, value: null }])
    },
    read: async (key) => {
      demandOwn()
      const { classId, day, lesson } = registerOf(key)
      const { registers, marks } = await client.attendance.read({ params: { classId }, query: { from: day, to: day } })
      const isOwn = (row: { lesson: number }) => row.lesson === lesson
      const [register] = registers.filter(isOwn)
      if (register) showSaved({ classId, day, lesson }, { register, marks: marks.filter(isOwn) })
      return rowsOf(register ? [register] : [], marks.filter(isOwn))
    },
    saved: () => void refresh(['reports']),
    removed: () => void refresh(['reports']),
  })
  /** What the user saw of a pupil; undefined after a request with an unknown outcome, since the queue has then just compared it. */
  const seenOf = (key: string, studentId: string): CellValue | undefined => {
    const pending = kept.queue.get(key, studentId)
    return pending && pending.ours === undefined ? pending.seen : undefined
  }
  tellUnsaved(kept, 'attendance', isShown)
  return {
    ...kept,
    /** Sets the codes of some pupils, which also takes the register. */
    mark: (register: Register, said: readonly { studentId: string; code: AttendanceCode; seen: AttendanceCode }[]) => {
      const key = registerKey(register)
      kept.places.set(key, register)
      const entries = said.map(({ studentId, code, seen }) => ({
        assessmentId: key,
        studentId,
        score: codeValueOf(code),
        seen: codeValueOf(seen),
      }))
      kept.queue.put(entries.length > 0 ? entries : [{ assessmentId: key, studentId: TAKEN, score: TAKEN, seen: null }])
    },
    /** Writes a note on a pupil over the one that was `seen`; null deletes it. It also takes the register. */
    note: (register: Register, studentId: string, { note, seen }: Record<'note' | 'seen', string | null>) => {
      const key = registerKey(register)
      kept.places.set(key, register)
      const entry = { assessmentId: key, studentId: noteKey(studentId), score: noteValueOf(note), seen: noteValueOf(seen) }
      kept.queue.put([entry])
    },
  }
}

/** Puts what the server has saved into the queries of pages, and into the replies stored for when the server is away. */
function showSaved(register: Register, taken: { register: AttendanceRegister; marks: readonly AttendanceMark[] }): void {
  const change = (seen: MonthOfClass) => withRegister(seen, register, taken)
  changeReplies('attendance', 'read', change, ([, , request]) => coversRegister(request, register))
  void queryClient.invalidateQueries({ queryKey: ['attendance', 'totals'] })
}
