import { rowsBy } from '../../store/statement.ts'

/** The subjects of a school by `sort_order`, equal ones by name; locked where the transaction writes. */
export const subjectsOf = rowsBy('subject', { school: 'school_id' }, { lock: true, orderBy: ['sort_order', 'name', 'id'] })

const anAssessment = rowsBy('assessment', { school: 'school_id', subject: 'subject_id' }, { limit: 1 })
const aReportEntry = rowsBy('report_book_entry', { school: 'school_id', subject: 'subject_id' }, { limit: 1 })

/** One row of each kind that keeps a subject from being deleted. */
export const usesOfSubject = [anAssessment, aReportEntry]

/** Who teaches the subject; locked where the transaction writes. */
export const teachersOfSubject = rowsBy('teacher_subject_assignment', { school: 'school_id', subject: 'subject_id' }, { lock: true })

/** Who takes the subject; locked where the transaction writes. */
export const takersOfSubject = rowsBy('student_subject', { school: 'school_id', subject: 'subject_id' }, { lock: true })
