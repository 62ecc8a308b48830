import { COMMONS } from '@markbook/shared/ids'
import { and, eq } from 'drizzle-orm'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { membershipOf } from '../scope/scope.ts'

/** What the rights table asks about a person, in their school and in one class. */
export type Facts = {
  role: 'admin' | 'teacher' | 'member' | null
  isActive: boolean
  isClassTeacher: boolean
  teachesClass: boolean
  subjects: ReadonlySet<string>
}

const inClass = { school: 'school_id', user: 'user_profile_id', group: 'student_group_id' } as const
const assignedTo = rowsBy('teacher_group_assignment', inClass, { columns: ['id'] })
const subjectsTaught = rowsBy('teacher_subject_assignment', inClass, { columns: ['subject_id'] })
const classTeacherOf = rowsBy('class_teacher', { school: 'school_id', group: 'student_group_id' }, { columns: ['user_profile_id'] })

/** The class of a pupil in the year of a term. */
export const classesInYear = statement<{ school: string; student: string; term: string }>()(({ db, t: { enrolment, term }, p }) =>
  db
    .select({ group: enrolment.student_group_id })
    .from(enrolment)
    .innerJoin(term, and(eq(term.school_id, enrolment.school_id), eq(term.academic_year_id, enrolment.academic_year_id)))
    .where(and(eq(enrolment.school_id, p.school), eq(enrolment.student_id, p.student), eq(term.id, p.term))),
)
/** The assignments of a person to a subject, in the year of a term. */
export const lessonsInYear = statement<{ school: string; user: string; subject: string; term: string }>()(
  ({ db, t: { teacher_subject_assignment: of, term }, p }) =>
    db
      .select({ id: of.id })
      .from(of)
      .innerJoin(term, and(eq(term.school_id, of.school_id), eq(term.academic_year_id, of.academic_year_id)))
      .where(and(eq(of.school_id, p.school), eq(of.user_profile_id, p.user), eq(of.subject_id, p.subject), eq(term.id, p.term))),
)

/** `group`: the class; null to ask about the school alone. */
export async function readFacts(tx: ReadTx, school: string, actor: string, group: string | null): Promise<Facts> {
  const of = { school, user: actor, group: group ?? COMMONS }
  const [membership] = await membershipOf(tx, of)
  const assigned = await assignedTo(tx, of)
  const subjects = await subjectsTaught(tx, of)
  const [teacher] = await classTeacherOf(tx, of)
  return {
    role: membership?.role ?? null,
    isActive: membership?.is_active ?? false,
    isClassTeacher: teacher?.user_profile_id === actor,
    teachesClass: assigned.length > 0,
    subjects: new Set(subjects.map(({ subject_id }) => subject_id)),
  }
}
