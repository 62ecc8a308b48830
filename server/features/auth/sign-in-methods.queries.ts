import { desc, eq } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** The confirmed secret of a person. */
export const totpOfUser = rowsBy('user_totp', { user: 'user_id' })

/** The secret that is not confirmed yet. */
export const enrolmentOf = rowsBy('totp_enrolment', { user: 'user_id' }, { lock: true })

/** The printed codes of a person by slot, including used ones; not locked, because anybody may try a code. */
export const recoveryCodesOf = rowsBy('recovery_code', { user: 'user_id' }, { orderBy: ['slot'] })
/** The same, locked to be replaced. */
export const recoveryCodesToReplace = rowsBy('recovery_code', { user: 'user_id' }, { lock: true, orderBy: ['slot'] })

/** Every membership of a person, in any school. */
export const membershipsOf = rowsBy('school_management', { user: 'user_id' })

/** The desk codes in the history of a school, newest first. Entries that concern no row have the id of the school as `near_id`. */
export const deskEntriesOf = statement<{ school: string; entity: string }>()(({ db, t, p }) =>
  db
    .select({
      ...pick(t.history, 'id', 'at', 'action', 'actor_id', 'changes'),
      user_id: t.history.row_id,
      ...pick(t.user_profile, 'first_name', 'last_name'),
    })
    .from(t.history)
    .leftJoin(t.user_profile, eq(t.user_profile.id, t.history.actor_id))
    .where(matches(t.history, { school_id: p.school, near_id: p.school, entity: p.entity }))
    .orderBy(desc(t.history.at), desc(t.history.seq), desc(t.history.id)),
)

/** The newest of them for one person: a school issues at most thirty an hour, and a code expires within ten minutes. */
export const newestDeskEntriesFor = rowsBy(
  'history',
  { school: 'school_id', near: 'near_id', entity: 'entity', user: 'row_id' },
  { columns: ['actor_id', 'changes'], where: { action: 'create' }, orderBy: [{ desc: 'at' }, { desc: 'seq' }, { desc: 'id' }], limit: 60 },
)
