import { ratio, roundHalfUp } from './exact.ts'

export const attendanceCodes = ['present', 'absent', 'late', 'excused'] as const
export type AttendanceCode = (typeof attendanceCodes)[number]

/** One pupil's totals over a period. `percentage` has one decimal; null where no register was taken. */
export type AttendanceTotals = { sessions: number; absent: number; excused: number; late: number; percentage: number | null }

type Session = { day: string; lesson: number }
type Register = Session & { created_at: string }
type Mark = Session & { student_id: string; code: AttendanceCode }
type Pupil = { student_id: string; enrolled_at: string }

const DAY = 86_400_000

/** The last day for which a register can be taken, `YYYY-MM-DD`: tomorrow in UTC, which is today somewhere on the earth. */
export const lastDayOfRegisters = (nowMs: number): string => new Date(nowMs + DAY).toISOString().slice(0, 10)

/** 100 × (sessions − absences) ÷ sessions with one decimal; null without sessions. A late pupil was present. */
export function percentageOf({ sessions, absent, excused }: Omit<AttendanceTotals, 'percentage'>): number | null {
  return sessions === 0 ? null : roundHalfUp(ratio((sessions - absent - excused) * 100, sessions), 1)
}

const sessionOf = ({ day, lesson }: Session) => `${day} ${lesson}`

/**
 * The totals of each pupil of a class, by id. A register counts for a pupil from the day on which they joined the class. An earlier one
 * counts where it was taken after they joined, or where they have a mark in it. A pupil without a mark was present; a mark without a
 * register does not count.
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
