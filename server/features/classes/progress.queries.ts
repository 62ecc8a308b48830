import { and, countDistinct, eq, exists, isNull, not, or, sql } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

const rows = sql<number>`count(*)`.mapWith(Number)

/** Who teaches what where in a year. */
export const subjectTeachersOfYear = statement<{ school: string; year: string }>()(({ db, t, p }) => {
  const { teacher_subject_assignment: held } = t
  return db
    .select({ user_id: held.user_profile_id, subject_id: held.subject_id, group_id: held.student_group_id })
    .from(held)
    .where(and(eq(held.school_id, p.school), eq(held.academic_year_id, p.year)))
})

/** The assessments of a term that count. */
export const countedAssessments = statement<{ school: string; term: string }>()(({ db, t, p }) =>
  db
    .select({ subject_id: t.assessment.subject_id, group_id: t.assessment.student_group_id })
    .from(t.assessment)
    .where(and(eq(t.assessment.school_id, p.school), eq(t.assessment.term_id, p.term), eq(t.assessment.is_excluded, false))),
)

/** How many students are in each class of a year, and how many of them have subjects of their own there. */
export const classSizes = statement<{ school: string; year: string }>()(({ db, t, p }) => {
  const { enrolment, student_subject: given } = t
  const own = and(
    eq(given.school_id, enrolment.school_id),
    eq(given.student_id, enrolment.student_id),
    eq(given.student_group_id, enrolment.student_group_id),
  )
  return db
    .select({
      group_id: enrolment.student_group_id,
      students: countDistinct(enrolment.student_id).mapWith(Number),
      choosing: countDistinct(given.student_id).mapWith(Number),
    })
    .from(enrolment)
    .leftJoin(given, own)
    .where(and(eq(enrolment.school_id, p.school), eq(enrolment.academic_year_id, p.year)))
    .groupBy(enrolment.student_group_id)
})

/** How many students were given a subject of their own, for each class and subject of a year. */
export const givenSubjects = statement<{ school: string; year: string }>()(({ db, t, p }) => {
  const { student_subject: given, enrolment } = t
  const place = and(
    eq(enrolment.school_id, given.school_id),
    eq(enrolment.student_id, given.student_id),
    eq(enrolment.student_group_id, given.student_group_id),
  )
  return db
    .select({ group_id: given.student_group_id, subject_id: given.subject_id, students: rows })
    .from(given)
    .innerJoin(enrolment, place)
    .where(and(eq(given.school_id, p.school), eq(enrolment.academic_year_id, p.year)))
    .groupBy(given.student_group_id, given.subject_id)
})

/**
 * How many marks there are in a term for each of these classes and each subject: in assessments that count there, of students who take
 * the subject. `groups` is a JSON array.
 */
export const recordedMarks = statement<{ school: string; year: string; term: string; groups: string }>()(({ db, t, p, dialect }) => {
  const { enrolment, grade, assessment, student_subject: given } = t
  const ofStudent = and(
    eq(given.school_id, enrolment.school_id),
    eq(given.student_id, enrolment.student_id),
    eq(given.student_group_id, enrolment.student_group_id),
  )
  const any = db.select({ one: sql`1` }).from(given).where(ofStudent)
  const theirs = db
    .select({ one: sql`1` })
    .from(given)
    .where(and(ofStudent, eq(given.subject_id, assessment.subject_id)))
  const marks = and(eq(grade.school_id, enrolment.school_id), eq(grade.student_id, enrolment.student_id), eq(grade.term_id, p.term))
  return db
    .select({ group_id: enrolment.student_group_id, subject_id: assessment.subject_id, marks: rows })
    .from(enrolment)
    .innerJoin(grade, marks)
    .innerJoin(assessment, and(eq(assessment.school_id, grade.school_id), eq(assessment.id, grade.assessment_id)))
    .where(
      and(
        eq(enrolment.school_id, p.school),
        eq(enrolment.academic_year_id, p.year),
        dialect.inList(enrolment.student_group_id, p.groups),
        eq(assessment.is_excluded, false),
        or(isNull(assessment.student_group_id), eq(assessment.student_group_id, enrolment.student_group_id)),
        or(exists(theirs), not(exists(any))),
      ),
    )
    .groupBy(enrolment.student_group_id, assessment.subject_id)
})
