import { and, count, eq } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import { isRecordedMark } from '../schools/mark-codes.policy.ts'

/** The teachers of each class and subject in a year. */
export const subjectTeachersOfYear = rowsBy(
  'teacher_subject_assignment',
  { school: 'school_id', year: 'academic_year_id' },
  { columns: ['user_profile_id', 'subject_id', 'student_group_id'] },
)

/** The students of these classes. `groups` is a JSON array. */
export const enrolledIn = rowsBy(
  'enrolment',
  { school: 'school_id', groups: { in: 'student_group_id' } },
  { columns: ['student_id', 'student_group_id'], orderBy: ['student_group_id', 'student_id'] },
)

/** How many books of a term the students of each class have, and how many of those are sent: one row a status. */
export const booksByStatus = statement<{ school: string; term: string }>()(({ db, t: { report_book, enrolment }, p }) =>
  db
    .select({ ...pick(report_book, 'student_group_id', 'status'), count: count() })
    .from(report_book)
    .innerJoin(enrolment, matches(enrolment, pick(report_book, 'school_id', 'student_id', 'student_group_id')))
    .where(matches(report_book, { school_id: p.school, term_id: p.term, report_type: 'term' }))
    .groupBy(report_book.student_group_id, report_book.status),
)

/** The subjects assigned to students of these classes. `groups` is a JSON array. */
export const givenIn = rowsBy(
  'student_subject',
  { school: 'school_id', groups: { in: 'student_group_id' } },
  { columns: ['student_id', 'student_group_id', 'subject_id'] },
)

/**
 * One row a student: the assessments of a term with a recorded mark, as a JSON array of ids. `students` is a JSON array. `toCome`: what
 * `codesToComeOf` returns.
 */
export const markedByStudent = statement<{ school: string; students: string; term: string; toCome: string }>()(({ db, t, p, dialect }) => {
  const { grade } = t
  return db
    .select({ student_id: grade.student_id, marked: dialect.columnAsText(grade.assessment_id) })
    .from(grade)
    .where(
      and(
        eq(grade.school_id, p.school),
        dialect.inList(grade.student_id, p.students),
        eq(grade.term_id, p.term),
        isRecordedMark(grade, p.toCome),
      ),
    )
    .groupBy(grade.student_id)
})
