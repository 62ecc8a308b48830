import { asc, eq } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** Every member of the school, including suspended ones; unordered. */
export const membersOf = statement<{ school: string }>()(({ db, t, p }) =>
  db
    .select({
      ...pick(t.user_profile, 'email', 'first_name', 'last_name'),
      ...pick(t.school_management, 'user_id', 'role', 'is_active'),
      joined_at: t.school_management.created_at,
    })
    .from(t.school_management)
    .innerJoin(t.user_profile, eq(t.user_profile.id, t.school_management.user_id))
    .where(eq(t.school_management.school_id, p.school)),
)

export const activeAdminsOf = rowsBy('school_management', { school: 'school_id' }, { where: { role: 'admin', is_active: true } })

/** The classes of which a person is class teacher, in any year. */
export const classesLedBy = statement<{ school: string; user: string }>()(({ db, t, p }) =>
  db
    .select({ name: t.student_group.name, year: t.academic_year.name })
    .from(t.class_teacher)
    .innerJoin(t.student_group, matches(t.student_group, { school_id: t.class_teacher.school_id, id: t.class_teacher.student_group_id }))
    .innerJoin(t.academic_year, matches(t.academic_year, { school_id: t.student_group.school_id, id: t.student_group.academic_year_id }))
    .where(matches(t.class_teacher, { school_id: p.school, user_profile_id: p.user }))
    .orderBy(asc(t.academic_year.name), asc(t.student_group.name)),
)

export const subjectAssignmentsOf = rowsBy('teacher_subject_assignment', { school: 'school_id', user: 'user_profile_id' }, { lock: true })

export const groupAssignmentsOf = rowsBy('teacher_group_assignment', { school: 'school_id', user: 'user_profile_id' }, { lock: true })
