import type { AttendanceCode } from '@markbook/shared/domain/attendance'
import type { Issue } from '@markbook/shared/failures'
import type { CellValue } from '../../marks/model/cell-value.ts'

/** The key, among those of pupils, of the entry that the register was taken. */
export const TAKEN = 'register'

/** A pupil who is present has no value, like a missing mark. */
type Away = Exclude<AttendanceCode, 'present'>
export const codeOf = (value: CellValue | undefined): AttendanceCode => (value ? (value as Away) : 'present')
export const codeValueOf = (code: AttendanceCode): Away | null => (code === 'present' ? null : code)

/** The note is a separate entry, since somebody else may have changed only the code or only the note. */
const NOTE = ' note'
export const noteKey = (studentId: string): string => `${studentId}${NOTE}`
export const isNote = (key: string): boolean => key.endsWith(NOTE)
export const studentOf = (key: string): string => (isNote(key) ? key.slice(0, -NOTE.length) : key)
/** Encoded as one word, since spaces separate the parts of a value. */
export const noteValueOf = (note: string | null | undefined): string | null => (note ? encodeURIComponent(note) : null)
export const noteOf = (value: CellValue | undefined): string | null => (value ? decodeURIComponent(String(value)) : null)

type SeenValue = CellValue | undefined
/** An entry to send. `seen`: undefined where the queue has just compared it. */
type Entry = { key: string; value: CellValue; seen: SeenValue }
type RegisterChange = {
  studentId: string
  code?: AttendanceCode
  expected?: AttendanceCode
  note?: string | null
  expectedNote?: string | null
}

const saidBy = ({ key, value, seen }: Entry): Omit<RegisterChange, 'studentId'> =>
  isNote(key)
    ? { note: noteOf(value), ...(seen !== undefined && { expectedNote: noteOf(seen) }) }
    : { code: codeOf(value), ...(seen !== undefined && { expected: codeOf(seen) }) }

/** The marks of a request, one for each pupil. `places[n]`: the indices of the entries in the nth of `marks`. */
export function requestOf(entries: readonly Entry[]): { marks: RegisterChange[]; places: number[][] } {
  const byStudent = new Map<string, { mark: RegisterChange; at: number[] }>()
  entries.forEach((entry, at) => {
    if (entry.key === TAKEN) return
    const studentId = studentOf(entry.key)
    const known = byStudent.get(studentId)
    byStudent.set(studentId, { mark: { ...known?.mark, studentId, ...saidBy(entry) }, at: [...(known?.at ?? []), at] })
  })
  const all = [...byStudent.values()]
  return { marks: all.map(({ mark }) => mark), places: all.map(({ at }) => at) }
}

/** Replaces issues that name a mark of the request by issues that name its entries. */
export const issuesOfEntries = (issues: readonly Issue[], places: readonly number[][]): Issue[] =>
  issues.flatMap((issue) => {
    const [list, at, ...rest] = issue.path.split('.')
    const entries = list === 'marks' ? places[Number(at)] : undefined
    return entries?.map((entry) => ({ ...issue, path: ['marks', entry, ...rest].join('.') })) ?? [issue]
  })
