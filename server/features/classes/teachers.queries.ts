import { and, eq, inArray } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/** Who is assigned to a class; only people who still have a membership, whom row-level security shows to colleagues. */
export const teachersOfClass = statement<{ school: string; group: string }>()(({ db, t, p }) => {
  const { teacher_group_assignment: assignment, school_management, user_profile, class_teacher } = t
  return db
    .select({
      id: user_profile.id,
      first_name: user_profile.first_name,
      last_name: user_profile.last_name,
      class_teacher_id: class_teacher.user_profile_id,
    })
    .from(assignment)
    .innerJoin(
      school_management,
      and(eq(school_management.school_id, assignment.school_id), eq(school_management.user_id, assignment.user_profile_id)),
    )
    .innerJoin(user_profile, eq(user_profile.id, assignment.user_profile_id))
    .leftJoin(
      class_teacher,
      and(eq(class_teacher.school_id, assignment.school_id), eq(class_teacher.student_group_id, assignment.student_group_id)),
    )
    .where(and(eq(assignment.school_id, p.school), eq(assignment.student_group_id, p.group)))
})

export const subjectsTaughtIn = statement<{ school: string; group: string }>()(({ db, t, p }) => {
  const { teacher_subject_assignment: assignment, subject } = t
  return db
    .select({
      teacher_id: assignment.user_profile_id,
      id: subject.id,
      name: subject.name,
      code: subject.code,
      sort_order: subject.sort_order,
    })
    .from(assignment)
    .innerJoin(subject, and(eq(subject.school_id, assignment.school_id), eq(subject.id, assignment.subject_id)))
    .where(and(eq(assignment.school_id, p.school), eq(assignment.student_group_id, p.group)))
})

/** Active teachers and administrators of the school. */
export const teachersOfSchool = statement<{ school: string }>()(({ db, t, p }) => {
  const { school_management, user_profile } = t
  return db
    .select({
      id: user_profile.id,
      first_name: user_profile.first_name,
      last_name: user_profile.last_name,
      email: user_profile.email,
      role: school_management.role,
    })
    .from(school_management)
    .innerJoin(user_profile, eq(user_profile.id, school_management.user_id))
    .where(
      and(
        eq(school_management.school_id, p.school),
        eq(school_management.is_active, true),
        inArray(school_management.role, ['admin', 'teacher']),
      ),
    )
})

/** Locked where the transaction writes: whoever is named to something is not removed in between. */
export const membershipOf = statement<{ school: string; user: string }>({ lock: 'school_management' })(({ db, t, p }) =>
  db
    .select({ role: t.school_management.role, is_active: t.school_management.is_active })
    .from(t.school_management)
    .where(and(eq(t.school_management.school_id, p.school), eq(t.school_management.user_id, p.user))),
)

export const groupAssignmentOf = statement<{ school: string; group: string; user: string }>()(({ db, t, p }) => {
  const { teacher_group_assignment: assignment } = t
  return db
    .select()
    .from(assignment)
    .where(and(eq(assignment.school_id, p.school), eq(assignment.student_group_id, p.group), eq(assignment.user_profile_id, p.user)))
})

export const subjectAssignmentsOf = statement<{ school: string; group: string; user: string }>()(({ db, t, p }) => {
  const { teacher_subject_assignment: assignment } = t
  return db
    .select()
    .from(assignment)
    .where(and(eq(assignment.school_id, p.school), eq(assignment.student_group_id, p.group), eq(assignment.user_profile_id, p.user)))
})
