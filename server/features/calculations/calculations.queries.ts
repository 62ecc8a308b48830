import { and, asc, eq, getTableColumns, isNull, or } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

// Nothing here is locked: results are only read, and a teacher may not lock rows that only an administrator writes.

/** The class of a student in a year: one row, or none. */
export const classInYear = statement<{ school: string; student: string; year: string }>()(({ db, t, p }) => {
  const { enrolment, student_group } = t
  return db
    .select(getTableColumns(student_group))
    .from(enrolment)
    .innerJoin(student_group, matches(student_group, { school_id: enrolment.school_id, id: enrolment.student_group_id }))
    .where(matches(enrolment, { school_id: p.school, student_id: p.student, academic_year_id: p.year }))
})

export const studentsEnrolled = statement<{ school: string; group: string }>()(({ db, t, p }) => {
  const { student, enrolment } = t
  return db
    .select(pick(student, 'id', 'first_name', 'last_name', 'gender'))
    .from(enrolment)
    .innerJoin(student, matches(student, { school_id: enrolment.school_id, id: enrolment.student_id }))
    .where(matches(enrolment, { school_id: p.school, student_group_id: p.group }))
    .orderBy(asc(student.sort_key), asc(student.id))
})

export const subjectsAssigned = rowsBy(
  'student_subject',
  { school: 'school_id', group: 'student_group_id' },
  { columns: ['student_id', 'subject_id'] },
)

/** The assessments of some terms that concern a class, or with null all that concern no single class. `terms` is a JSON array. */
export const assessmentsThatConcern = statement<{ school: string; group: string | null; terms: string }>()(({ db, t, p, dialect }) => {
  const { assessment } = t
  return db
    .select({
      ...pick(assessment, 'id', 'term_id', 'subject_id', 'student_group_id', 'title', 'assessment_type'),
      ...pick(assessment, 'max_score', 'weight', 'is_excluded', 'exclusion_reason', 'sort_order', 'category_id', 'teaching_set_id'),
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
 * One row a student: each column of the grades as a JSON array, read from the covering index `grade_student_term` alone. `students` and
 * `terms` are JSON arrays.
 */
export const gradesByStudent = statement<{ school: string; students: string; terms: string }>()(({ db, t, p, dialect }) => {
  const { grade } = t
  return db
    .select({
      student_id: grade.student_id,
      assessment_ids: dialect.columnAsText(grade.assessment_id),
      scores: dialect.columnAsText(grade.score),
      exclusions: dialect.columnAsText(grade.is_excluded),
    })
    .from(grade)
    .where(and(eq(grade.school_id, p.school), dialect.inList(grade.student_id, p.students), dialect.inList(grade.term_id, p.terms)))
    .groupBy(grade.student_id)
})

/** The codes in place of scores. */
export const codesInPlaceOfScores = rowsBy(
  'grade',
  { school: 'school_id', students: { in: 'student_id' }, terms: { in: 'term_id' } },
  { columns: ['student_id', 'assessment_id', 'status'], where: { score: null } },
)

/** A student's grades in a term with their remarks and reasons. */
export const gradesWithReasons = rowsBy(
  'grade',
  { school: 'school_id', student: 'student_id', term: 'term_id' },
  { columns: ['id', 'assessment_id', 'score', 'status', 'is_excluded', 'exclusion_reason'] },
)
