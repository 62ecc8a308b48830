import { and, exists, notExists, or } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** The subjects of a school by `sort_order`, ties by name; locked where the transaction writes. */
export const subjectsOf = rowsBy('subject', { school: 'school_id' }, { lock: true, orderBy: ['sort_order', 'name', 'id'] })

const anAssessment = rowsBy('assessment', { school: 'school_id', subject: 'subject_id' }, { limit: 1 })
const aReportEntry = rowsBy('report_book_entry', { school: 'school_id', subject: 'subject_id' }, { limit: 1 })

/** Queries for one row of each kind that prevents deleting a subject. */
export const usesOfSubject = [anAssessment, aReportEntry]

/** The teachers of the subject; locked where the transaction writes. */
export const teachersOfSubject = rowsBy('teacher_subject_assignment', { school: 'school_id', subject: 'subject_id' }, { lock: true })

/** The students of the subject; locked where the transaction writes. */
export const takersOfSubject = rowsBy('student_subject', { school: 'school_id', subject: 'subject_id' }, { lock: true })

/**
 * The classes of a term's year in which the subject has a teacher, is assigned to a student, or is taken by a student without assigned
 * subjects, who takes every one.
 */
export const classesTaking = statement<{ school: string; subject: string; term: string }>()(({ db, t, p }) => {
  const { term, student_group, enrolment, teacher_subject_assignment: taught, student_subject: given } = t
  const inClass = { school_id: student_group.school_id, student_group_id: student_group.id }
  const ofSubject = { ...inClass, subject_id: p.subject }
  const own = db
    .select({ id: given.id })
    .from(given)
    .where(matches(given, { ...inClass, student_id: enrolment.student_id }))
  const takesAll = db
    .select({ id: enrolment.id })
    .from(enrolment)
    .where(and(matches(enrolment, inClass), notExists(own)))
  return db
    .select({ id: student_group.id, name: student_group.name })
    .from(term)
    .innerJoin(student_group, matches(student_group, { school_id: term.school_id, academic_year_id: term.academic_year_id }))
    .where(
      and(
        matches(term, { school_id: p.school, id: p.term }),
        or(
          exists(db.select({ id: taught.id }).from(taught).where(matches(taught, ofSubject))),
          exists(db.select({ id: given.id }).from(given).where(matches(given, ofSubject))),
          exists(takesAll),
        ),
      ),
    )
})
