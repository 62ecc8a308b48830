import { and, asc, desc, eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/** The confirmed secret of a person. */
export const totpOfUser = statement<{ user: string }>()(({ db, t, p }) =>
  db.select().from(t.user_totp).where(eq(t.user_totp.user_id, p.user)),
)

/** The secret that a person was shown last. */
export const enrolmentOf = statement<{ user: string }>({ lock: 'totp_enrolment' })(({ db, t, p }) =>
  db.select().from(t.totp_enrolment).where(eq(t.totp_enrolment.user_id, p.user)),
)

const printedCodes = (options: { lock?: string }) =>
  statement<{ user: string }>(options)(({ db, t, p }) =>
    db.select().from(t.recovery_code).where(eq(t.recovery_code.user_id, p.user)).orderBy(asc(t.recovery_code.slot)),
  )

/** The printed codes of a person by slot, those used up included; not locked, since anybody may try a code. */
export const recoveryCodesOf = printedCodes({})
/** The same, locked to be written over. */
export const recoveryCodesToReplace = printedCodes({ lock: 'recovery_code' })

/** Every membership of a person, at whatever school. */
export const membershipsOf = statement<{ user: string }>()(({ db, t, p }) =>
  db.select().from(t.school_management).where(eq(t.school_management.user_id, p.user)),
)

/** What the history of a school says of its desk, newest first. What is no row lies together by the school. */
export const deskEntriesOf = statement<{ school: string; entity: string }>()(({ db, t, p }) =>
  db
    .select({
      id: t.history.id,
      at: t.history.at,
      action: t.history.action,
      actor_id: t.history.actor_id,
      user_id: t.history.row_id,
      changes: t.history.changes,
      first_name: t.user_profile.first_name,
      last_name: t.user_profile.last_name,
    })
    .from(t.history)
    .leftJoin(t.user_profile, eq(t.user_profile.id, t.history.actor_id))
    .where(and(eq(t.history.school_id, p.school), eq(t.history.near_id, p.school), eq(t.history.entity, p.entity)))
    .orderBy(desc(t.history.at), desc(t.history.seq), desc(t.history.id)),
)
