import { and, gt, isNull } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { statement } from '../../store/statement.ts'

/** A grade above a score, excluded or not. */
export const gradeAbove = statement<{ school: string; assessment: string; score: number }>()(({ db, t, p }) =>
  db
    .select({ id: t.grade.id })
    .from(t.grade)
    .where(and(matches(t.grade, { school_id: p.school, assessment_id: p.assessment }), gt(t.grade.score, p.score)))
    .limit(1),
)

/** A grade of a student who is not in a class. */
export const gradeOutsideClass = statement<{ school: string; assessment: string; group: string }>()(({ db, t, p }) => {
  const { grade, enrolment } = t
  return db
    .select({ id: grade.id })
    .from(grade)
    .leftJoin(enrolment, matches(enrolment, { school_id: grade.school_id, student_id: grade.student_id, student_group_id: p.group }))
    .where(and(matches(grade, { school_id: p.school, assessment_id: p.assessment }), isNull(enrolment.id)))
    .limit(1)
})

/** A grade of a student who is not in a teaching set. */
export const gradeOutsideSet = statement<{ school: string; assessment: string; set: string }>()(({ db, t, p }) => {
  const { grade, teaching_set_member: member } = t
  return db
    .select({ id: grade.id })
    .from(grade)
    .leftJoin(member, matches(member, { school_id: grade.school_id, student_id: grade.student_id, teaching_set_id: p.set }))
    .where(and(matches(grade, { school_id: p.school, assessment_id: p.assessment }), isNull(member.id)))
    .limit(1)
})
