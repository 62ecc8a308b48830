import { and, asc, eq, getTableColumns } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** The grades of an assessment with their students, by last name, first name, id. */
export const gradesOfAssessment = statement<{ school: string; assessment: string }>()(({ db, t, p }) => {
  const { grade, student } = t
  return db
    .select({ ...getTableColumns(grade), ...pick(student, 'first_name', 'last_name') })
    .from(grade)
    .innerJoin(student, matches(student, { school_id: grade.school_id, id: grade.student_id }))
    .where(matches(grade, { school_id: p.school, assessment_id: p.assessment }))
    .orderBy(asc(student.sort_key), asc(student.id))
})

/** The grades of every assessment of a term and subject, in the same order of students. */
export const gradesOfSubject = statement<{ school: string; term: string; subject: string }>()(({ db, t, p }) => {
  const { assessment, grade, student } = t
  return db
    .select({
      ...pick(grade, 'id', 'assessment_id', 'student_id', 'score', 'status', 'remarks', 'is_excluded'),
      ...pick(student, 'first_name', 'last_name'),
    })
    .from(assessment)
    .innerJoin(grade, matches(grade, { school_id: assessment.school_id, assessment_id: assessment.id }))
    .innerJoin(student, matches(student, { school_id: grade.school_id, id: grade.student_id }))
    .where(matches(assessment, { school_id: p.school, term_id: p.term, subject_id: p.subject }))
    .orderBy(asc(student.sort_key), asc(student.id))
})

/** Not locked: its assessment is locked first. */
export const gradeById = rowsBy('grade', { school: 'school_id', id: 'id' })

/** Students of the school and their class in the year of a term, null for none. `ids` is a JSON array. */
export const studentsInYear = statement<{ school: string; term: string; ids: string }>()(({ db, t, p, dialect }) => {
  const { student, term, enrolment } = t
  return db
    .select({ id: student.id, group_id: enrolment.student_group_id })
    .from(student)
    .innerJoin(term, matches(term, { school_id: student.school_id, id: p.term }))
    .leftJoin(
      enrolment,
      matches(enrolment, { school_id: student.school_id, student_id: student.id, academic_year_id: term.academic_year_id }),
    )
    .where(and(eq(student.school_id, p.school), dialect.inList(student.id, p.ids)))
})

/** The grades of these students in an assessment, locked. `ids` is a JSON array. */
export const gradesOfStudents = rowsBy(
  'grade',
  { school: 'school_id', assessment: 'assessment_id', ids: { in: 'student_id' } },
  { lock: true },
)
