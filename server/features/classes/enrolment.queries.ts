import { rowsBy } from '../../store/statement.ts'

/** `ids` is a JSON array. Locked in the order of ids, so that concurrent lists do not deadlock. */
export const studentsById = rowsBy('student', { school: 'school_id', ids: { in: 'id' } }, { lock: true, orderBy: ['id'] })

/** The enrolments of these students in a class. `ids` is a JSON array. */
export const enrolmentsInClass = rowsBy('enrolment', { school: 'school_id', group: 'student_group_id', ids: { in: 'student_id' } })
