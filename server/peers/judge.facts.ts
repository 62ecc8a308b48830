import { COMMONS } from '@markbook/shared/ids'
import { and, eq } from 'drizzle-orm'
import { statement } from '../store/statement.ts'
import type { ReadTx } from '../store/tx.ts'
import { membershipOf } from './scope.ts'

/** What the rights table asks about somebody, of their school and of one class. */
export type Facts = {
  role: 'admin' | 'teacher' | 'member' | null
  isActive: boolean
  isClassTeacher: boolean
  teachesClass: boolean
  subjects: ReadonlySet<string>
}

type InClass = { school: string; user: string; group: string }
const assignedTo = statement<InClass>()(({ db, t: { teacher_group_assignment: of }, p }) =>
  db
    .select({ id: of.id })
    .from(of)
    .where(and(eq(of.school_id, p.school), eq(of.user_profile_id, p.user), eq(of.student_group_id, p.group))),
)
const subjectsTaught = statement<InClass>()(({ db, t: { teacher_subject_assignment: of }, p }) =>
  db
    .select({ id: of.subject_id })
    .from(of)
    .where(and(eq(of.school_id, p.school), eq(of.user_profile_id, p.user), eq(of.student_group_id, p.group))),
)
const classTeacherOf = statement<{ school: string; group: string }>()(({ db, t: { class_teacher: of }, p }) =>
  db
    .select({ id: of.user_profile_id })
    .from(of)
    .where(and(eq(of.school_id, p.school), eq(of.student_group_id, p.group))),
)

export async function readFacts(tx: ReadTx, school: string, actor: string, group: string | null): Promise<Facts> {
  const inClass = { school, user: actor, group: group ?? COMMONS }
  const [membership] = await membershipOf(tx, inClass)
  const assigned = await assignedTo(tx, inClass)
  const subjects = await subjectsTaught(tx, inClass)
  const [teacher] = await classTeacherOf(tx, inClass)
  return {
    role: membership?.role ?? null,
    isActive: membership?.is_active ?? false,
    isClassTeacher: teacher?.id === actor,
    teachesClass: assigned.length > 0,
    subjects: new Set(subjects.map(({ id }) => id)),
  }
}
