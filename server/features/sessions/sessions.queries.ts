import { and, desc, eq, gt, isNull } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** The live sessions of a person (see `callerOfSession`). */
export const liveSessionsOf = statement<{ user: string; now: string; idleSince: string }>()(({ db, t: { session }, p }) =>
  db
    .select(pick(session, 'id', 'program', 'system', 'address', 'created_at', 'last_used_at'))
    .from(session)
    .where(
      and(
        matches(session, { user_id: p.user }),
        isNull(session.revoked_at),
        gt(session.expires_at, p.now),
        gt(session.last_used_at, p.idleSince),
      ),
    )
    .orderBy(desc(session.last_used_at), desc(session.id)),
)

export const sessionById = rowsBy('session', { id: 'id' }, { columns: ['program', 'system', 'address'] })

export const noticesOf = statement<{ user: string; since: string }>()(({ db, t: { account_notice: notice }, p }) =>
  db
    .select()
    .from(notice)
    .where(and(eq(notice.user_id, p.user), gt(notice.at, p.since)))
    .orderBy(desc(notice.at), desc(notice.id)),
)
