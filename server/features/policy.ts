import { type Area, type CallerFacts, may } from '@markbook/shared/domain/access'
import { common } from '@markbook/shared/failures'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { and, eq } from 'drizzle-orm'
import type { SchoolCaller } from '../http/caller.ts'
import { statement } from '../store/statement.ts'
import type { ReadTx } from '../store/tx.ts'

/** What policies need of a scene. */
export type Asker = { tx: ReadTx; caller: SchoolCaller }

/** A row of the caller's school; 404 where it is absent or another school's, which look the same (decisions §1). */
export async function rowOf<T extends Replicated>({ tx, caller }: Asker, table: T, id: string | undefined): Promise<Row<T>> {
  const row = id === undefined ? undefined : await tx.find(table, caller.school_id, id)
  if (!row) throw common.notFound()
  return row
}

const assignment = statement<{ school: string; user: string; group: string }>()(({ db, t, p }) =>
  db
    .select({
      teacher: t.teacher_group_assignment.user_profile_id,
      class_teacher: t.class_teacher.user_profile_id,
      subject_id: t.teacher_subject_assignment.subject_id,
    })
    .from(t.teacher_group_assignment)
    .leftJoin(
      t.class_teacher,
      and(
        eq(t.class_teacher.school_id, t.teacher_group_assignment.school_id),
        eq(t.class_teacher.student_group_id, t.teacher_group_assignment.student_group_id),
      ),
    )
    .leftJoin(
      t.teacher_subject_assignment,
      and(
        eq(t.teacher_subject_assignment.school_id, t.teacher_group_assignment.school_id),
        eq(t.teacher_subject_assignment.student_group_id, t.teacher_group_assignment.student_group_id),
        eq(t.teacher_subject_assignment.user_profile_id, t.teacher_group_assignment.user_profile_id),
      ),
    )
    .where(
      and(
        eq(t.teacher_group_assignment.school_id, p.school),
        eq(t.teacher_group_assignment.user_profile_id, p.user),
        eq(t.teacher_group_assignment.student_group_id, p.group),
      ),
    ),
)

/** What the caller is to a class: assigned, its class teacher, and which subjects are theirs there. */
export type ClassFacts = { isClassTeacher: boolean; teachesClass: boolean; subjectIds: ReadonlySet<string> }

export async function classFactsOf({ tx, caller }: Asker, classId: string): Promise<ClassFacts> {
  const rows = await assignment(tx, { school: caller.school_id, user: caller.user_id, group: classId })
  return {
    teachesClass: rows.length > 0,
    isClassTeacher: rows[0]?.class_teacher === caller.user_id,
    subjectIds: new Set(rows.flatMap((row) => row.subject_id ?? [])),
  }
}

/** The facts that the rights table asks for, about one class and, where it matters, one subject. */
export const factsAbout = (caller: SchoolCaller, facts: ClassFacts, subjectId?: string): CallerFacts => ({
  role: caller.role,
  isActive: caller.is_active,
  isClassTeacher: facts.isClassTeacher,
  teachesClass: facts.teachesClass,
  teachesSubject: subjectId !== undefined && facts.subjectIds.has(subjectId),
})

/** Throws 403 where the rights table says no. */
export function demand(area: Area, facts: CallerFacts): void {
  if (!may(area, facts)) throw common.forbidden()
}

export type ClassAccess = { group: Row<'student_group'>; facts: ClassFacts }

/**
 * A class that the caller may use for `area` (ClassTeacherGuard for `manageClass` and `reports`). Who may not gets 403 whether
 * the class is absent, foreign or simply not theirs; an admin gets 404 for one that is absent or foreign (decisions §1).
 */
export async function classOf(asker: Asker, area: Area, classId: string | undefined): Promise<ClassAccess> {
  const { caller } = asker
  const group = classId === undefined ? undefined : await asker.tx.find('student_group', caller.school_id, classId)
  if (!group) throw caller.role === 'admin' ? common.notFound() : common.forbidden()
  const facts = await classFactsOf(asker, group.id)
  demand(area, factsAbout(caller, facts))
  return { group, facts }
}

/** Anything that belongs to a class and was loaded first: 403 where the class is not the caller's for `area`. */
export async function demandInClass(asker: Asker, area: Area, classId: string, subjectId?: string): Promise<ClassFacts> {
  const facts = await classFactsOf(asker, classId)
  demand(area, factsAbout(asker.caller, facts, subjectId))
  return facts
}
