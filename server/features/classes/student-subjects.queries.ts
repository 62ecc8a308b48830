import { rowsBy } from '../../store/statement.ts'

/** The subjects assigned to a student in a class. */
export const subjectsOfStudent = rowsBy('student_subject', { school: 'school_id', group: 'student_group_id', student: 'student_id' })

/** The students of a class to whom a subject is assigned. */
export const studentsOfSubject = rowsBy('student_subject', { school: 'school_id', group: 'student_group_id', subject: 'subject_id' })
