import { and, asc, eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/** Every student of a school, kept as found until the import is done; locked in the order of ids, as everywhere. */
export const studentsOfSchool = statement<{ school: string }>({ lock: 'student' })(({ db, t, p }) =>
  db.select().from(t.student).where(eq(t.student.school_id, p.school)).orderBy(asc(t.student.id)),
)

export const placesOfYear = statement<{ school: string; year: string }>()(({ db, t, p }) =>
  db
    .select({ student_id: t.enrolment.student_id, student_group_id: t.enrolment.student_group_id })
    .from(t.enrolment)
    .where(and(eq(t.enrolment.school_id, p.school), eq(t.enrolment.academic_year_id, p.year))),
)

/** Every student of a school, with the class in the year of a term where there is one. */
export const studentsOfSchoolInYear = statement<{ school: string; term: string }>()(({ db, t, p }) => {
  const { student, term, enrolment } = t
  return db
    .select({
      id: student.id,
      student_number: student.student_number,
      last_name: student.last_name,
      first_name: student.first_name,
      group_id: enrolment.student_group_id,
    })
    .from(student)
    .innerJoin(term, and(eq(term.school_id, student.school_id), eq(term.id, p.term)))
    .leftJoin(
      enrolment,
      and(
        eq(enrolment.school_id, student.school_id),
        eq(enrolment.student_id, student.id),
        eq(enrolment.academic_year_id, term.academic_year_id),
      ),
    )
    .where(eq(student.school_id, p.school))
})

/** The grades of these assessments. `ids` is a JSON array. */
export const gradesOfAssessments = statement<{ school: string; ids: string }>({ lock: 'grade' })(({ db, t, p, dialect }) =>
  db
    .select()
    .from(t.grade)
    .where(and(eq(t.grade.school_id, p.school), dialect.inList(t.grade.assessment_id, p.ids)))
    .orderBy(asc(t.grade.id)),
)
