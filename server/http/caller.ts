import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { statement } from '../store/statement.ts'
import type { ReadTx } from '../store/tx.ts'

/**
 * The sender of a request, read from the database each time. `school_id` and `role` are those of the active school where a membership
 * exists; `is_active` says whether the membership is active.
 */
export type Caller = {
  user_id: string
  session_id: string
  email: string
  first_name: string | null
  last_name: string | null
  avatar_path: string | null
  avatar_updated_at: string | null
  school_id: string | null
  school_name: string | null
  role: 'admin' | 'teacher' | 'member' | null
  is_active: boolean | null
  /** When this session's person last proved who they are; null where that was never recorded. */
  proved_at: string | null
  updated_at: string
  /** Changes whenever the newest pending join request, or its school, changes; null while there is none. */
  pending_stamp: string | null
}

/**
 * `isFirstUse`: this request is the first with the tokens of the last renewal (see sessions.ts). `lastUse`: the recorded time of the last
 * use.
 */
export type LiveSession = { caller: Caller; isFirstUse: boolean; lastUse: string }

/** A caller whose active membership the guard has checked. */
export type SchoolCaller = Caller & { school_id: string; role: 'admin' | 'teacher' | 'member'; is_active: true }

const bySession = statement<{ session: string; now: string; idleSince: string }>()(({ db, t, p }) =>
  db
    .select({
      user_id: t.user_profile.id,
      session_id: t.session.id,
      email: t.user_profile.email,
      first_name: t.user_profile.first_name,
      last_name: t.user_profile.last_name,
      avatar_path: t.user_profile.avatar_path,
      avatar_updated_at: t.user_profile.avatar_updated_at,
      school_id: t.school_management.school_id,
      school_name: t.school.name,
      role: t.school_management.role,
      is_active: t.school_management.is_active,
      proved_at: t.session.proved_at,
      updated_at: t.user_profile.updated_at,
      pending_stamp: sql<string | null>`${db
        .select({ stamp: sql`concat(${t.school_join_request.id}, ' ', ${t.school.updated_at})` })
        .from(t.school_join_request)
        .innerJoin(t.school, eq(t.school.id, t.school_join_request.school_id))
        .where(and(eq(t.school_join_request.user_id, t.user_profile.id), eq(t.school_join_request.status, 'pending')))
        .orderBy(desc(t.school_join_request.requested_at), desc(t.school_join_request.id))
        .limit(1)}`,
      previous_hash: t.session.previous_hash,
      last_used_at: t.session.last_used_at,
    })
    .from(t.session)
    .innerJoin(t.user_profile, eq(t.user_profile.id, t.session.user_id))
    .leftJoin(
      t.school_management,
      and(eq(t.school_management.user_id, t.user_profile.id), eq(t.school_management.school_id, t.user_profile.school_id)),
    )
    .leftJoin(t.school, eq(t.school.id, t.school_management.school_id))
    .where(
      and(
        eq(t.session.id, p.session),
        isNull(t.session.revoked_at),
        gt(t.session.expires_at, p.now),
        gt(t.session.last_used_at, p.idleSince),
      ),
    ),
)

/** The person of a live session, or undefined where the session was ended, is too old or was idle too long. */
export async function callerOfSession(tx: ReadTx, sessionId: string, idleSince: string): Promise<LiveSession | undefined> {
  const [row] = await bySession(tx, { session: sessionId, now: tx.now, idleSince })
  if (!row) return undefined
  const { previous_hash, last_used_at, ...caller } = row
  return { caller, isFirstUse: previous_hash !== null, lastUse: last_used_at }
}
