import { and, desc, eq } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** The person with a normalised address. */
export const userByEmail = rowsBy('user_profile', { email: 'email' })

/** The newest pending join request of a person, with its school. */
export const newestPendingRequest = statement<{ user: string }>()(({ db, t, p }) =>
  db
    .select({ ...pick(t.school_join_request, 'id', 'status', 'requested_at'), school: pick(t.school, 'id', 'name') })
    .from(t.school_join_request)
    .innerJoin(t.school, eq(t.school.id, t.school_join_request.school_id))
    .where(matches(t.school_join_request, { user_id: p.user, status: 'pending' }))
    .orderBy(desc(t.school_join_request.requested_at), desc(t.school_join_request.id))
    .limit(1),
)

export const activeMembership = rowsBy('school_management', { user: 'user_id', school: 'school_id' }, { where: { is_active: true } })

/** The memberships of a person in active schools, including suspended memberships. */
export const schoolsOf = statement<{ user: string }>()(({ db, t, p }) =>
  db
    .select({ school: pick(t.school, 'id', 'name'), ...pick(t.school_management, 'role', 'is_active') })
    .from(t.school_management)
    .innerJoin(t.school, eq(t.school.id, t.school_management.school_id))
    .where(and(eq(t.school_management.user_id, p.user), eq(t.school.is_active, true))),
)
