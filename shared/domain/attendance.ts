import { ratio, roundHalfUp } from './exact.ts'

export const attendanceCodes = ['present', 'absent', 'late', 'excused'] as const
export type AttendanceCode = (typeof attendanceCodes)[number]

/** Of one pupil over some time. `percentage` has one decimal, and is null where no register was taken. */
export type AttendanceTotals = { sessions: number; absent: number; excused: number; late: number; percentage: number | null }

type Session = { day: string; lesson: number }
type Register = Session & { created_at: string }
type Mark = Session & { student_id: string; code: AttendanceCode }
type Pupil = { student_id: string; enrolled_at: string }

const DAY = 86_400_000

/** The last day of which a register can be taken: at every place of the earth it has begun, or begins within a day. */
export const lastDayOfRegisters = (nowMs: number): string => new Date(nowMs + DAY).toISOString().slice(0, 10)

/** Who was late was there. */
export function percentageOf({ sessions, absent, excused }: Omit<AttendanceTotals, 'percentage'>): number | null {
  return sessions === 0 ? null : roundHalfUp(ratio((sessions - absent - excused) * 100, sessions), 1)
}

const sessionOf = ({ day, lesson }: Session) => `${day} ${lesson}`

/**
 * Of each pupil of a class, by id. A register counts for a pupil from the day on which they came to the class, and earlier where it was
 * taken when they were in the class already, or where they have a mark in it. Without a mark they were present; a mark without a register
 * counts nothing.
 */
export function attendanceTotals(
  pupils: readonly Pupil[],
  registers: readonly Register[],
  marks: readonly Mark[],
): Map<string, AttendanceTotals> {
  const codes = new Map(marks.map((mark) => [`${mark.student_id} ${sessionOf(mark)}`, mark.code]))
  return new Map(pupils.map((pupil) => [pupil.student_id, totalsOf(pupil, registers, codes)]))
}

function totalsOf(
  { student_id, enrolled_at }: Pupil,
  registers: readonly Register[],
  codes: ReadonlyMap<string, AttendanceCode>,
): AttendanceTotals {
  const counts = { sessions: 0, absent: 0, excused: 0, late: 0 }
  for (const register of registers) {
    const code = codes.get(`${student_id} ${sessionOf(register)}`)
    const isOnIt = register.day >= enrolled_at.slice(0, 10) || register.created_at > enrolled_at
    if (code === undefined && !isOnIt) continue
    counts.sessions += 1
    if (code !== undefined && code !== 'present') counts[code] += 1
  }
  return { ...counts, percentage: percentageOf(counts) }
}
