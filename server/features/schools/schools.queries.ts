import { asc, eq, sql } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** Any school, active or not. */
export const anySchool = rowsBy('school', {}, { columns: ['id'], limit: 1 })

/**
 * The number of schools, and the sum of their feed positions. Every change of a school, made here or received, raises its position, so
 * equal figures mean an unchanged list.
 */
export const schoolsRevision = statement<Record<never, never>>()(({ db, t }) =>
  db
    .select({ count: sql<number>`count(*)`.mapWith(Number), seqs: sql<number>`coalesce(sum(${t.sync_row.seq}), 0)`.mapWith(Number) })
    .from(t.school)
    .innerJoin(t.sync_row, matches(t.sync_row, { school_id: t.school.id, table_name: 'school', row_id: t.school.id })),
)

export const activeSchools = rowsBy('school', {}, { columns: ['id', 'name', 'school_type'], where: { is_active: true } })

/** The pending requests of a person, locked where the transaction writes. */
export const pendingRequestsOf = rowsBy('school_join_request', { user: 'user_id' }, { lock: true, where: { status: 'pending' } })

/** A request of any school, not locked: its person is locked before it. */
export const requestById = rowsBy('school_join_request', { id: 'id' })

/** The pending requests of a school, oldest first. */
export const queueOf = statement<{ school: string }>()(({ db, t, p }) =>
  db
    .select({
      ...pick(t.school_join_request, 'id', 'status', 'message', 'requested_at'),
      user: pick(t.user_profile, 'id', 'first_name', 'last_name', 'email'),
      school: pick(t.school, 'id', 'name'),
    })
    .from(t.school_join_request)
    .innerJoin(t.user_profile, eq(t.user_profile.id, t.school_join_request.user_id))
    .innerJoin(t.school, eq(t.school.id, t.school_join_request.school_id))
    .where(matches(t.school_join_request, { school_id: p.school, status: 'pending' }))
    .orderBy(asc(t.school_join_request.requested_at), asc(t.school_join_request.id)),
)
