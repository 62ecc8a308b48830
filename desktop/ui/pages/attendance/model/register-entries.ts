import type { AttendanceCode } from '@markbook/shared/domain/attendance'
import type { Issue } from '@markbook/shared/failures'
import type { CellValue } from '../../marks/model/cell-value.ts'

/** Stands among the pupils of a register and says that it was taken. */
export const TAKEN = 'register'

/** Who is present has no value, as a mark that is not there. */
type Away = Exclude<AttendanceCode, 'present'>
export const codeOf = (value: CellValue | undefined): AttendanceCode => (value ? (value as Away) : 'present')
export const codeValueOf = (code: AttendanceCode): Away | null => (code === 'present' ? null : code)

/** A note is an entry of its own beside the code, for somebody else may have changed the one and not the other. */
const NOTE = ' note'
export const noteKey = (studentId: string): string => `${studentId}${NOTE}`
export const isNote = (key: string): boolean => key.endsWith(NOTE)
export const studentOf = (key: string): string => (isNote(key) ? key.slice(0, -NOTE.length) : key)
/** One word, for the value of an entry has its parts between spaces. */
export const noteValueOf = (note: string | null | undefined): string | null => (note ? encodeURIComponent(note) : null)
export const noteOf = (value: CellValue | undefined): string | null => (value ? decodeURIComponent(String(value)) : null)

type SeenValue = CellValue | undefined
/** An entry as it is sent. `seen`: undefined where what stands there was compared just before. */
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

/** What a request says of each pupil. `places[n]`: which entries the nth of `marks` is made of. */
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

/** Issues that name a mark of the request, as issues that name its entries. */
export const issuesOfEntries = (issues: readonly Issue[], places: readonly number[][]): Issue[] =>
  issues.flatMap((issue) => {
    const [list, at, ...rest] = issue.path.split('.')
    const entries = list === 'marks' ? places[Number(at)] : undefined
    return entries?.map((entry) => ({ ...issue, path: ['marks', entry, ...rest].join('.') })) ?? [issue]
  })
