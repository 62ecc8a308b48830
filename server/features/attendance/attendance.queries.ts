import { and, asc, between } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

type Days = { school: string; group: string; from: string; to: string }

/** The registers of a class on these days, in order. */
export const registersOfDays = statement<Days>()(({ db, t: { attendance_register: register }, p }) =>
  db
    .select()
    .from(register)
    .where(and(matches(register, { school_id: p.school, student_group_id: p.group }), between(register.day, p.from, p.to)))
    .orderBy(asc(register.day), asc(register.lesson)),
)

/** The marks in the registers of a class on these days. */
export const marksOfDays = statement<Days>()(({ db, t: { attendance_mark: mark }, p }) =>
  db
    .select()
    .from(mark)
    .where(and(matches(mark, { school_id: p.school, student_group_id: p.group }), between(mark.day, p.from, p.to)))
    .orderBy(asc(mark.day), asc(mark.lesson), asc(mark.student_id)),
)

/** The marks in one register, locked. */
export const marksInRegister = rowsBy(
  'attendance_mark',
  { school: 'school_id', group: 'student_group_id', day: 'day', lesson: 'lesson' },
  { lock: true, orderBy: ['student_id'] },
)

export const registerOf = rowsBy('attendance_register', {
  school: 'school_id',
  group: 'student_group_id',
  day: 'day',
  lesson: 'lesson',
})

/** `ids` is a JSON array. */
export const studentsNamed = rowsBy('student', { school: 'school_id', ids: { in: 'id' } }, { columns: ['id'] })

/** The pupils of a class by last name, with the time of their enrolment. */
export const pupilsOfClass = statement<{ school: string; group: string }>()(({ db, t: { enrolment, student }, p }) =>
  db
    .select({
      ...pick(enrolment, 'student_id', 'enrolled_at'),
      ...pick(student, 'first_name', 'last_name'),
    })
    .from(enrolment)
    .innerJoin(student, matches(student, { school_id: enrolment.school_id, id: enrolment.student_id }))
    .where(matches(enrolment, { school_id: p.school, student_group_id: p.group }))
    .orderBy(asc(student.sort_key), asc(student.id)),
)
