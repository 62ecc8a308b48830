import { and, eq, gt, isNull, or } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/** A term with nothing locked: teachers read terms and may not write them. */
export const termById = statement<{ school: string; id: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.term)
    .where(and(eq(t.term.school_id, p.school), eq(t.term.id, p.id))),
)

/** A subject with nothing locked. */
export const subjectById = statement<{ school: string; id: string }>()(({ db, t, p }) =>
  db
    .select({ id: t.subject.id })
    .from(t.subject)
    .where(and(eq(t.subject.school_id, p.school), eq(t.subject.id, p.id))),
)

/** Assessments of a term and subject, in no order; the order is `inOrder`'s. */
export const assessmentsOfSubject = statement<{ school: string; term: string; subject: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.assessment)
    .where(and(eq(t.assessment.school_id, p.school), eq(t.assessment.term_id, p.term), eq(t.assessment.subject_id, p.subject))),
)

/** Those of them that one class sits: its own and those of every class. */
export const assessmentsOfClass = statement<{ school: string; term: string; subject: string; group: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.assessment)
    .where(
      and(
        eq(t.assessment.school_id, p.school),
        eq(t.assessment.term_id, p.term),
        eq(t.assessment.subject_id, p.subject),
        or(isNull(t.assessment.student_group_id), eq(t.assessment.student_group_id, p.group)),
      ),
    ),
)

/**
 * The classes that a person is assigned to in the year of a term: a row each, or one for each subject taught there.
 * `class_teacher_id` is the class teacher of the class, `subject_id` null where the person teaches no subject.
 */
export const teachingInYear = statement<{ school: string; user: string; term: string }>()(({ db, t, p }) => {
  const { teacher_group_assignment: assigned, teacher_subject_assignment: taught, class_teacher, term } = t
  return db
    .select({ group_id: assigned.student_group_id, class_teacher_id: class_teacher.user_profile_id, subject_id: taught.subject_id })
    .from(term)
    .innerJoin(
      assigned,
      and(
        eq(assigned.school_id, term.school_id),
        eq(assigned.academic_year_id, term.academic_year_id),
        eq(assigned.user_profile_id, p.user),
      ),
    )
    .leftJoin(
      class_teacher,
      and(eq(class_teacher.school_id, assigned.school_id), eq(class_teacher.student_group_id, assigned.student_group_id)),
    )
    .leftJoin(
      taught,
      and(
        eq(taught.school_id, assigned.school_id),
        eq(taught.student_group_id, assigned.student_group_id),
        eq(taught.user_profile_id, assigned.user_profile_id),
      ),
    )
    .where(and(eq(term.school_id, p.school), eq(term.id, p.term)))
})

/** A grade above a score, left out of the calculations or not. */
export const gradeAbove = statement<{ school: string; assessment: string; score: number }>()(({ db, t, p }) =>
  db
    .select({ id: t.grade.id })
    .from(t.grade)
    .where(and(eq(t.grade.school_id, p.school), eq(t.grade.assessment_id, p.assessment), gt(t.grade.score, p.score)))
    .limit(1),
)

/** A grade of a student who is not in a class. */
export const gradeOutsideClass = statement<{ school: string; assessment: string; group: string }>()(({ db, t, p }) => {
  const { grade, enrolment } = t
  return db
    .select({ id: grade.id })
    .from(grade)
    .leftJoin(
      enrolment,
      and(eq(enrolment.school_id, grade.school_id), eq(enrolment.student_id, grade.student_id), eq(enrolment.student_group_id, p.group)),
    )
    .where(and(eq(grade.school_id, p.school), eq(grade.assessment_id, p.assessment), isNull(enrolment.id)))
    .limit(1)
})
