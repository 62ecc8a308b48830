import { and, asc, eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

type OfMember = { school: string; user: string }

/** Everybody with a membership of the school, suspended people too; in no order. */
export const membersOf = statement<{ school: string }>()(({ db, t, p }) =>
  db
    .select({
      user_id: t.user_profile.id,
      email: t.user_profile.email,
      first_name: t.user_profile.first_name,
      last_name: t.user_profile.last_name,
      role: t.school_management.role,
      is_active: t.school_management.is_active,
      joined_at: t.school_management.created_at,
    })
    .from(t.school_management)
    .innerJoin(t.user_profile, eq(t.user_profile.id, t.school_management.user_id))
    .where(eq(t.school_management.school_id, p.school)),
)

export const activeAdminsOf = statement<{ school: string }>()(({ db, t, p }) =>
  db
    .select({ user_id: t.school_management.user_id })
    .from(t.school_management)
    .where(
      and(eq(t.school_management.school_id, p.school), eq(t.school_management.role, 'admin'), eq(t.school_management.is_active, true)),
    ),
)

/** The classes that a person leads, whichever year. */
export const classesLedBy = statement<OfMember>()(({ db, t, p }) =>
  db
    .select({ name: t.student_group.name, year: t.academic_year.name })
    .from(t.class_teacher)
    .innerJoin(
      t.student_group,
      and(eq(t.student_group.school_id, t.class_teacher.school_id), eq(t.student_group.id, t.class_teacher.student_group_id)),
    )
    .innerJoin(
      t.academic_year,
      and(eq(t.academic_year.school_id, t.student_group.school_id), eq(t.academic_year.id, t.student_group.academic_year_id)),
    )
    .where(and(eq(t.class_teacher.school_id, p.school), eq(t.class_teacher.user_profile_id, p.user)))
    .orderBy(asc(t.academic_year.name), asc(t.student_group.name)),
)

export const subjectAssignmentsOf = statement<OfMember>({ lock: 'teacher_subject_assignment' })(({ db, t, p }) =>
  db
    .select()
    .from(t.teacher_subject_assignment)
    .where(and(eq(t.teacher_subject_assignment.school_id, p.school), eq(t.teacher_subject_assignment.user_profile_id, p.user))),
)

export const groupAssignmentsOf = statement<OfMember>({ lock: 'teacher_group_assignment' })(({ db, t, p }) =>
  db
    .select()
    .from(t.teacher_group_assignment)
    .where(and(eq(t.teacher_group_assignment.school_id, p.school), eq(t.teacher_group_assignment.user_profile_id, p.user))),
)
