import { and, asc, eq, getTableColumns, isNull, or } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

// Nothing here is locked: a class's results are read, never changed, and a teacher may not lock what only an administrator writes.

export const termById = statement<{ school: string; id: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.term)
    .where(and(eq(t.term.school_id, p.school), eq(t.term.id, p.id))),
)

export const yearById = statement<{ school: string; id: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.academic_year)
    .where(and(eq(t.academic_year.school_id, p.school), eq(t.academic_year.id, p.id))),
)

/** The class of a student in a year: one row, or none. */
export const classInYear = statement<{ school: string; student: string; year: string }>()(({ db, t, p }) => {
  const { enrolment, student_group } = t
  return db
    .select(getTableColumns(student_group))
    .from(enrolment)
    .innerJoin(student_group, and(eq(student_group.school_id, enrolment.school_id), eq(student_group.id, enrolment.student_group_id)))
    .where(and(eq(enrolment.school_id, p.school), eq(enrolment.student_id, p.student), eq(enrolment.academic_year_id, p.year)))
})

export const studentsEnrolled = statement<{ school: string; group: string }>()(({ db, t, p }) => {
  const { student, enrolment } = t
  return db
    .select({ id: student.id, first_name: student.first_name, last_name: student.last_name, gender: student.gender })
    .from(enrolment)
    .innerJoin(student, and(eq(student.school_id, enrolment.school_id), eq(student.id, enrolment.student_id)))
    .where(and(eq(enrolment.school_id, p.school), eq(enrolment.student_group_id, p.group)))
    .orderBy(asc(student.sort_key), asc(student.id))
})

export const subjectsAssigned = statement<{ school: string; group: string }>()(({ db, t, p }) =>
  db
    .select({ student_id: t.student_subject.student_id, subject_id: t.student_subject.subject_id })
    .from(t.student_subject)
    .where(and(eq(t.student_subject.school_id, p.school), eq(t.student_subject.student_group_id, p.group))),
)

/** Inactive ones too: what was marked before stays part of the results. */
export const subjectsToName = statement<{ school: string }>()(({ db, t, p }) =>
  db
    .select({ id: t.subject.id, name: t.subject.name, code: t.subject.code, sort_order: t.subject.sort_order })
    .from(t.subject)
    .where(eq(t.subject.school_id, p.school)),
)

/** The assessments of some terms that concern a class, or nobody's class in particular. `terms` is a JSON array. */
export const assessmentsThatConcern = statement<{ school: string; group: string | null; terms: string }>()(({ db, t, p, dialect }) => {
  const { assessment } = t
  return db
    .select({
      id: assessment.id,
      term_id: assessment.term_id,
      subject_id: assessment.subject_id,
      student_group_id: assessment.student_group_id,
      title: assessment.title,
      assessment_type: assessment.assessment_type,
      max_score: assessment.max_score,
      weight: assessment.weight,
      is_excluded: assessment.is_excluded,
      exclusion_reason: assessment.exclusion_reason,
      sort_order: assessment.sort_order,
    })
    .from(assessment)
    .where(
      and(
        eq(assessment.school_id, p.school),
        dialect.inList(assessment.term_id, p.terms),
        or(isNull(assessment.student_group_id), eq(assessment.student_group_id, p.group)),
      ),
    )
})

/**
 * One row a student: the grades as a JSON array of `[assessment_id, score, is_excluded]`, answered by the covering index
 * `grade_student_term` alone. `students` and `terms` are JSON arrays.
 */
export const gradesByStudent = statement<{ school: string; students: string; terms: string }>()(({ db, t, p, dialect }) => {
  const { grade } = t
  return db
    .select({ student_id: grade.student_id, grades: dialect.rowsAsText([grade.assessment_id, grade.score, grade.is_excluded]) })
    .from(grade)
    .where(and(eq(grade.school_id, p.school), dialect.inList(grade.student_id, p.students), dialect.inList(grade.term_id, p.terms)))
    .groupBy(grade.student_id)
})

/** A student's grades in a term with what was said about them. */
export const gradesWithReasons = statement<{ school: string; student: string; term: string }>()(({ db, t, p }) => {
  const { assessment_id, score, is_excluded, exclusion_reason } = t.grade
  return db
    .select({ assessment_id, score, is_excluded, exclusion_reason })
    .from(t.grade)
    .where(and(eq(t.grade.school_id, p.school), eq(t.grade.student_id, p.student), eq(t.grade.term_id, p.term)))
})

/** Where the school's feed stands: every change of one of its rows moves it, in the same transaction. */
export const feedPosition = statement<{ school: string }>()(({ db, t, p }) =>
  db.select({ seq: t.sync_feed.seq, head: t.sync_feed.head }).from(t.sync_feed).where(eq(t.sync_feed.school_id, p.school)),
)
