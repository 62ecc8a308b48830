import { and, eq, inArray } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** Active teachers and administrators of the school. */
export const teachersOfSchool = statement<{ school: string }>()(({ db, t, p }) => {
  const { school_management, user_profile } = t
  return db
    .select({ ...pick(user_profile, 'id', 'first_name', 'last_name', 'email'), role: school_management.role })
    .from(school_management)
    .innerJoin(user_profile, eq(user_profile.id, school_management.user_id))
    .where(and(matches(school_management, { school_id: p.school, is_active: true }), inArray(school_management.role, ['admin', 'teacher'])))
})

export const groupAssignmentOf = rowsBy('teacher_group_assignment', {
  school: 'school_id',
  group: 'student_group_id',
  user: 'user_profile_id',
})

export const subjectAssignmentsOf = rowsBy('teacher_subject_assignment', {
  school: 'school_id',
  group: 'student_group_id',
  user: 'user_profile_id',
})
