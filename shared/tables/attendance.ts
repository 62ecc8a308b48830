import { sql } from 'drizzle-orm'
import { attendanceCodes } from '../domain/attendance.ts'
import type { Group, Student } from './classes.ts'
import { type Columns, timestamps } from './columns.sqlite.ts'
import { always, ofSchool } from './describe.ts'

/** The register of a class was taken: on this day, in this lesson (0: of the whole day). A pupil without a mark in it was present. */
export const attendanceRegister = (c: Columns, { student_group }: Group) =>
  c.ofSchool('student', 'attendance_register', {
    columns: {
      student_group_id: c.uuid().notNull(),
      day: c.day().notNull(),
      lesson: c.int().notNull(),
      created_by: c.uuid(),
      created_at: c.instant().notNull(),
    },
    rules: (t) => [
      c.unique('attendance_register_once', [t.school_id, t.student_group_id, t.day, t.lesson]),
      c.foreign('attendance_register_class', [t.school_id, t.student_group_id], [student_group.school_id, student_group.id]),
      c.check('attendance_register_lesson', sql`${t.lesson} between 0 and 12`),
    ],
  })

export const attendanceRegisterDescription = ofSchool({
  identity: ['student_group_id', 'day', 'lesson', 'created_by', 'created_at'],
  natural: { kind: 'attendance_register', of: ['student_group_id', 'day', 'lesson'] },
  notDeletedAlone: always,
  units: {},
})

/**
 * A pupil who was absent, excused or late. A correction to present keeps the row with status `present`, since rows of a register are never
 * deleted.
 */
export const attendanceMark = (c: Columns, { student_group, student }: Group & Student) =>
  c.ofSchool('student', 'attendance_mark', {
    columns: {
      student_group_id: c.uuid().notNull(),
      student_id: c.uuid().notNull(),
      day: c.day().notNull(),
      lesson: c.int().notNull(),
      code: c.choice(attendanceCodes).notNull(),
      note: c.text(),
      created_by: c.uuid(),
      updated_by: c.uuid(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.unique('attendance_mark_once', [t.school_id, t.student_group_id, t.day, t.lesson, t.student_id]),
      c.index('attendance_mark_student', t.school_id, t.student_id, t.day),
      c.foreign('attendance_mark_class', [t.school_id, t.student_group_id], [student_group.school_id, student_group.id]),
      c.foreign('attendance_mark_student_fk', [t.school_id, t.student_id], [student.school_id, student.id]),
      c.check('attendance_mark_lesson', sql`${t.lesson} between 0 and 12`),
      c.check('attendance_mark_code', sql`${t.code} in ('present', 'absent', 'late', 'excused')`),
    ],
  })

export const attendanceMarkDescription = ofSchool({
  identity: ['student_group_id', 'student_id', 'day', 'lesson', 'created_by', 'created_at'],
  near: 'student_group_id',
  natural: { kind: 'attendance_mark', of: ['student_group_id', 'student_id', 'day', 'lesson'] },
  notDeletedAlone: always,
  units: { code: ['code'], note: ['note'] },
  audit: ['updated_by', 'updated_at'],
})
