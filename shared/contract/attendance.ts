import { z } from 'zod'
import { attendanceCodes } from '../domain/attendance.ts'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { AttendanceNote, choice, Day, Id, Instant, input, Lesson, row, say } from './scalars.ts'

export const AttendanceCode = choice(attendanceCodes)

/** A class's register was taken on a day. `lesson` 0: for the whole day. A pupil without a mark in it was present. */
export const AttendanceRegister = row('AttendanceRegister', {
  id: Id,
  student_group_id: Id,
  day: Day,
  lesson: z.int(),
  created_by: Id.nullable(),
  created_at: Instant,
})
export type AttendanceRegister = z.infer<typeof AttendanceRegister>

/** A pupil who was absent, excused or late; `present` where such a mark was corrected. */
export const AttendanceMark = row('AttendanceMark', {
  id: Id,
  student_group_id: Id,
  student_id: Id,
  day: Day,
  lesson: z.int(),
  code: AttendanceCode,
  note: z.string().nullable(),
  created_by: Id.nullable(),
  updated_by: Id.nullable(),
  updated_at: Instant,
})
export type AttendanceMark = z.infer<typeof AttendanceMark>

const figures = { sessions: z.int(), absent: z.int(), excused: z.int(), late: z.int(), percentage: z.number().nullable() }
/**
 * One pupil's attendance in a term. `percentage`: share of the sessions in which the pupil was present or late, with one decimal; null
 * without a session.
 */
export const AttendanceOfStudent = row('AttendanceOfStudent', { student_id: Id, ...figures })
export type AttendanceOfStudent = z.infer<typeof AttendanceOfStudent>

const RegisterInput = input({
  day: Day,
  lesson: Lesson,
  marks: z
    .array(
      input({
        studentId: Id,
        code: AttendanceCode.optional(),
        note: AttendanceNote.nullish(),
        expected: AttendanceCode.nullish(),
        expectedNote: AttendanceNote.nullish(),
      }),
      say('must be a list of marks'),
    )
    .max(limits.attendance.marksPerRequest, `must hold at most ${limits.attendance.marksPerRequest} marks`),
}).check((context) => {
  const seen = new Set<string>()
  context.value.marks.forEach(({ studentId }, index) => {
    if (seen.has(studentId)) {
      context.issues.push({
        code: 'custom',
        path: ['marks', index, 'studentId'],
        message: 'must not name the same student twice',
        input: studentId,
      })
    }
    seen.add(studentId)
  })
})

export const attendanceFailures = failures('attendance', {
  outsideYear: [400, 'The day is not in the academic year of the class.'],
  futureDay: [400, 'The day has not come yet.'],
  tooManyDays: [400, `At most ${limits.attendance.daysPerRequest} days can be read at once.`],
  changedMeanwhile: [409, 'Somebody else has marked a student otherwise since.'],
})

const WHO = 'For whoever teaches in the class, and for administrators.'

export const attendance = {
  read: endpoint('GET /api/classes/:classId/attendance', 'staff', 'Read the registers of a class from a day to another', {
    who: WHO,
    notes: 'Days from 1900 to 2200, at most 31. In a register of `registers` every student without a mark in it was present.',
    query: z.object({ from: Day, to: Day }),
    reply: row('Attendance', { registers: z.array(AttendanceRegister), marks: z.array(AttendanceMark) }),
    fails: ['attendance.too_many_days'],
  }),
  take: endpoint('PUT /api/classes/:classId/attendance', 'staff', 'Take or correct the register of a class, all or nothing', {
    who: WHO,
    notes:
      'Changes the marks of the students who are named; the others keep theirs, or were present. `lesson` is 0 for the whole day. `expected`, the code that was seen of a student (null for none, which is the same as `present`), refuses the whole where another stands there by now, with an issue for each such student; what is asked for already is no reason. `expectedNote` does the same for the note, and null stands for none. Without `code` a code stays, without `note` a note.',
    body: RegisterInput,
    reply: row('TakenRegister', { register: AttendanceRegister, marks: z.array(AttendanceMark) }),
    fails: ['attendance.outside_year', 'attendance.future_day', 'attendance.changed_meanwhile', 'classes.not_enrolled'],
  }),
  totals: endpoint('GET /api/classes/:classId/attendance/totals', 'staff', 'Count the attendance of the students of a class in a term', {
    who: WHO,
    notes: 'By last name. A register counts from the day on which the student came to the class.',
    query: z.object({ termId: Id }),
    reply: z.array(AttendanceOfStudent),
  }),
}
