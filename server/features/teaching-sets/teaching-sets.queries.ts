import { and, count, eq, isNull, or } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import { isRecordedMark } from '../schools/mark-codes.policy.ts'

/** The sets of a year with their subjects. */
export const setsWithSubjects = statement<{ school: string; year: string }>()(({ db, t, p }) => {
  const { teaching_set, subject } = t
  return db
    .select({
      ...pick(teaching_set, 'id', 'school_id', 'academic_year_id', 'subject_id', 'name', 'created_at', 'updated_at'),
      subject_name: subject.name,
      subject_code: subject.code,
      subject_order: subject.sort_order,
    })
    .from(teaching_set)
    .innerJoin(subject, matches(subject, { school_id: teaching_set.school_id, id: teaching_set.subject_id }))
    .where(matches(teaching_set, { school_id: p.school, academic_year_id: p.year }))
})

/** The teachers of a year's sets; only people with a membership, whom row-level security shows to colleagues. */
export const teachersOfSets = statement<{ school: string; year: string }>()(({ db, t, p }) => {
  const { teaching_set, teaching_set_teacher: taught, school_management, user_profile } = t
  return db
    .select({ set: taught.teaching_set_id, ...pick(user_profile, 'id', 'first_name', 'last_name') })
    .from(teaching_set)
    .innerJoin(taught, matches(taught, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id }))
    .innerJoin(school_management, matches(school_management, { school_id: taught.school_id, user_id: taught.user_profile_id }))
    .innerJoin(user_profile, eq(user_profile.id, taught.user_profile_id))
    .where(matches(teaching_set, { school_id: p.school, academic_year_id: p.year }))
})

/** The students of a year's sets, with their class of that year. */
export const membersOfSets = statement<{ school: string; year: string }>()(({ db, t, p }) => {
  const { teaching_set, teaching_set_member: member, enrolment } = t
  return db
    .select({ set: member.teaching_set_id, student_id: member.student_id, group: enrolment.student_group_id })
    .from(teaching_set)
    .innerJoin(member, matches(member, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id }))
    .leftJoin(
      enrolment,
      matches(enrolment, {
        school_id: member.school_id,
        student_id: member.student_id,
        academic_year_id: teaching_set.academic_year_id,
      }),
    )
    .where(matches(teaching_set, { school_id: p.school, academic_year_id: p.year }))
})

export const teachersOfSet = rowsBy('teaching_set_teacher', { school: 'school_id', set: 'teaching_set_id' }, { lock: true })
export const membersOfSet = rowsBy('teaching_set_member', { school: 'school_id', set: 'teaching_set_id' }, { lock: true })

/** The students among these who exist. `ids` is a JSON array. */
export const studentsThere = rowsBy('student', { school: 'school_id', ids: { in: 'id' } }, { columns: ['id'] })

/** The assessments of a set, locked, so that no mark is entered in them meanwhile. */
export const assessmentsOfSet = rowsBy('assessment', { school: 'school_id', set: 'teaching_set_id' }, { lock: true, orderBy: ['id'] })

/** A mark in an assessment of a set. */
export const marksInSet = statement<{ school: string; set: string }>()(({ db, t: { assessment, grade }, p }) =>
  db
    .select({ id: grade.id })
    .from(assessment)
    .innerJoin(grade, matches(grade, { school_id: assessment.school_id, assessment_id: assessment.id }))
    .where(matches(assessment, { school_id: p.school, teaching_set_id: p.set }))
    .limit(1),
)

/**
 * For each set, the number of marks recorded in a term: in assessments of its subject that expect one of the student. `toCome`: what
 * `codesToComeOf` returns.
 */
export const recordedInSets = statement<{ school: string; year: string; term: string; toCome: string }>()(({ db, t, p }) => {
  const { teaching_set, teaching_set_member: member, enrolment, grade, assessment, assessment_category: category } = t
  return db
    .select({ set: teaching_set.id, recorded: count() })
    .from(teaching_set)
    .innerJoin(member, matches(member, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id }))
    .innerJoin(
      enrolment,
      matches(enrolment, {
        school_id: member.school_id,
        student_id: member.student_id,
        academic_year_id: teaching_set.academic_year_id,
      }),
    )
    .innerJoin(grade, matches(grade, { school_id: member.school_id, student_id: member.student_id, term_id: p.term }))
    .innerJoin(
      assessment,
      matches(assessment, { school_id: grade.school_id, id: grade.assessment_id, subject_id: teaching_set.subject_id }),
    )
    .leftJoin(category, matches(category, { school_id: assessment.school_id, id: assessment.category_id }))
    .where(
      and(
        matches(teaching_set, { school_id: p.school, academic_year_id: p.year }),
        eq(assessment.is_excluded, false),
        or(isNull(category.id), eq(category.is_extra_credit, false)),
        isRecordedMark(grade, p.toCome),
        or(isNull(assessment.student_group_id), eq(assessment.student_group_id, enrolment.student_group_id)),
        or(isNull(assessment.teaching_set_id), eq(assessment.teaching_set_id, teaching_set.id)),
      ),
    )
    .groupBy(teaching_set.id)
})
