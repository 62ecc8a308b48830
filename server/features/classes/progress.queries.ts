import { and, asc, eq } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { statement } from '../../store/statement.ts'

/** The teachers of each class and subject in a year. */
export const subjectTeachersOfYear = statement<{ school: string; year: string }>()(({ db, t, p }) => {
  const { teacher_subject_assignment: held } = t
  return db
    .select({ user_id: held.user_profile_id, subject_id: held.subject_id, group_id: held.student_group_id })
    .from(held)
    .where(matches(held, { school_id: p.school, academic_year_id: p.year }))
})

/** The assessments of a term that count. */
export const countedAssessments = statement<{ school: string; term: string }>()(({ db, t, p }) =>
  db
    .select({ id: t.assessment.id, subject_id: t.assessment.subject_id, group_id: t.assessment.student_group_id })
    .from(t.assessment)
    .where(matches(t.assessment, { school_id: p.school, term_id: p.term, is_excluded: false })),
)

/** Who is in these classes. `groups` is a JSON array. */
export const enrolledIn = statement<{ school: string; groups: string }>()(({ db, t, p, dialect }) =>
  db
    .select({ student_id: t.enrolment.student_id, group_id: t.enrolment.student_group_id })
    .from(t.enrolment)
    .where(and(eq(t.enrolment.school_id, p.school), dialect.inList(t.enrolment.student_group_id, p.groups)))
    .orderBy(asc(t.enrolment.student_group_id), asc(t.enrolment.student_id)),
)

/** The subjects that students of these classes were given. `groups` is a JSON array. */
export const givenIn = statement<{ school: string; groups: string }>()(({ db, t, p, dialect }) => {
  const { student_subject: given } = t
  return db
    .select({ student_id: given.student_id, group_id: given.student_group_id, subject_id: given.subject_id })
    .from(given)
    .where(and(eq(given.school_id, p.school), dialect.inList(given.student_group_id, p.groups)))
})

/** One row a student: the assessments of a term in which there is a grade, as a JSON array of ids. `students` is a JSON array. */
export const markedByStudent = statement<{ school: string; students: string; term: string }>()(({ db, t, p, dialect }) => {
  const { grade } = t
  return db
    .select({ student_id: grade.student_id, marked: dialect.columnAsText(grade.assessment_id) })
    .from(grade)
    .where(and(eq(grade.school_id, p.school), dialect.inList(grade.student_id, p.students), eq(grade.term_id, p.term)))
    .groupBy(grade.student_id)
})
