import type { Row } from '@markbook/shared/tables/tables'
import { and, eq, getTableColumns, gt } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'

/** The entity name of invitations in the history of a school. */
export const INVITATION = 'school_invitation'

const openFor = statement<{ email: string; now: string }>()(({ db, t, p }) => {
  const { school_invitation, school_management, school } = t
  const inviter = { school_id: school_invitation.school_id, user_id: school_invitation.invited_by }
  return db
    .select({ ...getTableColumns(school_invitation), school: pick(school, 'id', 'name') })
    .from(school_invitation)
    .innerJoin(school, eq(school.id, school_invitation.school_id))
    .innerJoin(school_management, matches(school_management, inviter))
    .where(
      and(
        matches(school_invitation, { email: p.email }),
        gt(school_invitation.expires_at, p.now),
        matches(school, { is_active: true }),
        matches(school_management, { role: 'admin', is_active: true }),
      ),
    )
})

export type OpenInvitation = Row<'school_invitation'> & { school: Pick<Row<'school'>, 'id' | 'name'> }

/**
 * The valid invitations of an address: their author is still an administrator of that school. Needs a transaction of the service (`as:
 * 'system'`).
 */
export const openInvitations = (tx: ReadTx, email: string): Promise<OpenInvitation[]> => openFor(tx, { email, now: tx.now })

export const invitationTo = rowsBy('school_invitation', { school: 'school_id', email: 'email' })

/** Deletes an invitation that was answered or withdrawn. */
export async function closeInvitation(tx: WriteTx, invitation: Row<'school_invitation'>, action: 'update' | 'delete'): Promise<void> {
  const { id, school_id, email, role } = invitation
  const { school_invitation } = tx.t
  await tx.local.delete(school_invitation).where(matches(school_invitation, { school_id, email }))
  tx.note({ schoolId: school_id, entity: INVITATION, id, action, changes: { email, role } })
}
