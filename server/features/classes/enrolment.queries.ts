import { and, getTableColumns } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** `ids` is a JSON array. Locked in the order of ids, so that two lists at once cannot wait for each other. */
export const studentsById = rowsBy('student', { school: 'school_id', ids: { in: 'id' } }, { lock: true, orderBy: ['id'] })

/** Where these students are enrolled in a year, with the name of the class. `ids` is a JSON array. */
export const enrolmentsInYear = statement<{ school: string; year: string; ids: string }>()(({ db, t, p, dialect }) => {
  const { enrolment, student_group } = t
  return db
    .select({ ...getTableColumns(enrolment), class_name: student_group.name })
    .from(enrolment)
    .innerJoin(student_group, matches(student_group, { school_id: enrolment.school_id, id: enrolment.student_group_id }))
    .where(and(matches(enrolment, { school_id: p.school, academic_year_id: p.year }), dialect.inList(enrolment.student_id, p.ids)))
})

/** The enrolments of these students in a class. `ids` is a JSON array. */
export const enrolmentsInClass = rowsBy('enrolment', { school: 'school_id', group: 'student_group_id', ids: { in: 'student_id' } })
