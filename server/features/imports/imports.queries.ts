import { eq } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import { pick } from '../columns.ts'

/** Every student of a school, locked until the commit in the order of ids. */
export const studentsOfSchool = rowsBy('student', { school: 'school_id' }, { lock: true, orderBy: ['id'] })

export const placesOfYear = rowsBy('enrolment', { school: 'school_id', year: 'academic_year_id' })

/** Every student of a school, with the class in the year of a term where there is one. */
export const studentsOfSchoolInYear = statement<{ school: string; term: string }>()(({ db, t, p }) => {
  const { student, term, enrolment } = t
  return db
    .select({ ...pick(student, 'id', 'student_number', 'last_name', 'first_name'), group_id: enrolment.student_group_id })
    .from(student)
    .innerJoin(term, matches(term, { school_id: student.school_id, id: p.term }))
    .leftJoin(
      enrolment,
      matches(enrolment, { school_id: student.school_id, student_id: student.id, academic_year_id: term.academic_year_id }),
    )
    .where(eq(student.school_id, p.school))
})

/** The grades of these assessments. `ids` is a JSON array. */
export const gradesOfAssessments = rowsBy('grade', { school: 'school_id', ids: { in: 'assessment_id' } }, { lock: true, orderBy: ['id'] })
