import { and, asc, eq, getTableColumns } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/** The students of a class with their enrolment, by last name, first name, id. */
export const studentsOfClass = statement<{ school: string; group: string }>()(({ db, t, p }) => {
  const { student, enrolment } = t
  return db
    .select({ ...getTableColumns(student), enrollment_id: enrolment.id })
    .from(enrolment)
    .innerJoin(student, and(eq(student.school_id, enrolment.school_id), eq(student.id, enrolment.student_id)))
    .where(and(eq(enrolment.school_id, p.school), eq(enrolment.student_group_id, p.group)))
    .orderBy(asc(student.sort_key), asc(student.id))
})

/** `ids` is a JSON array. Locked in the order of ids, so that two lists at once cannot wait for each other. */
export const studentsById = statement<{ school: string; ids: string }>({ lock: 'student' })(({ db, t, p, dialect }) =>
  db
    .select()
    .from(t.student)
    .where(and(eq(t.student.school_id, p.school), dialect.inList(t.student.id, p.ids)))
    .orderBy(asc(t.student.id)),
)

/** Where these students are enrolled in a year, with the name of the class. `ids` is a JSON array. */
export const enrolmentsInYear = statement<{ school: string; year: string; ids: string }>()(({ db, t, p, dialect }) => {
  const { enrolment, student_group } = t
  return db
    .select({ ...getTableColumns(enrolment), class_name: student_group.name })
    .from(enrolment)
    .innerJoin(student_group, and(eq(student_group.school_id, enrolment.school_id), eq(student_group.id, enrolment.student_group_id)))
    .where(and(eq(enrolment.school_id, p.school), eq(enrolment.academic_year_id, p.year), dialect.inList(enrolment.student_id, p.ids)))
})

/** The enrolments of these students in a class. `ids` is a JSON array. */
export const enrolmentsInClass = statement<{ school: string; group: string; ids: string }>()(({ db, t, p, dialect }) =>
  db
    .select()
    .from(t.enrolment)
    .where(
      and(eq(t.enrolment.school_id, p.school), eq(t.enrolment.student_group_id, p.group), dialect.inList(t.enrolment.student_id, p.ids)),
    ),
)
