import { and, isNotNull, or } from 'drizzle-orm'
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

/** The classes of a term's year in which the subject has a teacher or is assigned to a student. */
export const classesTaking = statement<{ school: string; subject: string; term: string }>()(({ db, t, p }) => {
  const { term, student_group, teacher_subject_assignment: taught, student_subject: taken } = t
  const inClass = { school_id: student_group.school_id, student_group_id: student_group.id, subject_id: p.subject }
  return db
    .selectDistinct({ id: student_group.id, name: student_group.name })
    .from(term)
    .innerJoin(student_group, matches(student_group, { school_id: term.school_id, academic_year_id: term.academic_year_id }))
    .leftJoin(taught, matches(taught, inClass))
    .leftJoin(taken, matches(taken, inClass))
    .where(and(matches(term, { school_id: p.school, id: p.term }), or(isNotNull(taught.id), isNotNull(taken.id))))
})
