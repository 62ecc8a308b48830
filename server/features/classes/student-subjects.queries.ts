import { and, eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/** What was given to a student in a class. */
export const subjectsOfStudent = statement<{ school: string; group: string; student: string }>()(({ db, t, p }) => {
  const { student_subject: given } = t
  return db
    .select()
    .from(given)
    .where(and(eq(given.school_id, p.school), eq(given.student_group_id, p.group), eq(given.student_id, p.student)))
})

/** The students of a class to whom a subject was given. */
export const studentsOfSubject = statement<{ school: string; group: string; subject: string }>()(({ db, t, p }) => {
  const { student_subject: given } = t
  return db
    .select()
    .from(given)
    .where(and(eq(given.school_id, p.school), eq(given.student_group_id, p.group), eq(given.subject_id, p.subject)))
})

/** What was given to all students of a class. */
export const subjectsInClass = statement<{ school: string; group: string }>()(({ db, t, p }) => {
  const { student_subject: given } = t
  return db
    .select()
    .from(given)
    .where(and(eq(given.school_id, p.school), eq(given.student_group_id, p.group)))
    .orderBy(given.student_id, given.id)
})
