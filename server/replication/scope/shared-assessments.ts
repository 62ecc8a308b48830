import { descriptions } from '@markbook/shared/tables/tables'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, eq, isNull, notExists } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { statement } from '../../store/statement.ts'

/** The units of an assessment that change the results of every class with marks in it. */
const UNITS = ['scoring', 'exclusion', 'student_group_id']

/** Their columns. */
export const columnsOfResults: readonly string[] = UNITS.flatMap((unit) => descriptions.assessment.units[unit] ?? [])

/** Whether this write to an existing assessment changes results. `lives`: the assessment exists after it. */
export const changesResults = ({ unit, lives }: { unit: string; lives: boolean }): boolean =>
  UNITS.includes(unit) || (unit === EXISTENCE && !lives)

/**
 * The classes, by name, whose pupils have marks in an assessment and in which the user does not teach its subject (decisions §8). A pupil's
 * class is that of the present enrolment in the year of the term, as for results; a pupil without one is in nobody's results. A pupil in a
 * teaching set of the user counts as taught. None for an assessment of one class or one set.
 */
export const classesNotTaught = statement<{ school: string; assessment: string; user: string }>()(({ db, t, p }) => {
  const { assessment, grade, term, enrolment, student_group, teacher_subject_assignment: taught } = t
  const { teaching_set, teaching_set_teacher, teaching_set_member: member } = t
  const inOwnSet = db
    .select({ id: member.id })
    .from(member)
    .innerJoin(teaching_set, matches(teaching_set, { school_id: member.school_id, id: member.teaching_set_id }))
    .innerJoin(
      teaching_set_teacher,
      matches(teaching_set_teacher, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id, user_profile_id: p.user }),
    )
    .where(
      and(
        matches(member, { school_id: grade.school_id, student_id: grade.student_id }),
        matches(teaching_set, { academic_year_id: term.academic_year_id, subject_id: assessment.subject_id }),
      ),
    )
  return db
    .selectDistinct({ id: student_group.id, name: student_group.name })
    .from(assessment)
    .innerJoin(term, matches(term, { school_id: assessment.school_id, id: assessment.term_id }))
    .innerJoin(grade, matches(grade, { school_id: assessment.school_id, assessment_id: assessment.id }))
    .innerJoin(
      enrolment,
      matches(enrolment, { school_id: grade.school_id, student_id: grade.student_id, academic_year_id: term.academic_year_id }),
    )
    .innerJoin(student_group, matches(student_group, { school_id: enrolment.school_id, id: enrolment.student_group_id }))
    .leftJoin(
      taught,
      and(
        matches(taught, { school_id: student_group.school_id, student_group_id: student_group.id, subject_id: assessment.subject_id }),
        eq(taught.user_profile_id, p.user),
      ),
    )
    .where(
      and(
        matches(assessment, { school_id: p.school, id: p.assessment }),
        isNull(assessment.student_group_id),
        isNull(assessment.teaching_set_id),
        isNull(taught.id),
        notExists(inOwnSet),
      ),
    )
    .orderBy(student_group.name, student_group.id)
})
