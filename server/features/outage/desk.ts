import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { membershipsOf } from './outage.queries.ts'

/** The kind of entry that the history of a school keeps of its desk. */
export const DESK = 'desk_code'

/**
 * The membership of somebody whom a desk may sign in: an active one, not of an administrator, and their only one, since a code signs in
 * the whole account and a school has no say in another's. Undefined for anybody else.
 */
export async function deskMembership(tx: ReadTx, userId: string): Promise<Row<'school_management'> | undefined> {
  const [membership, ...others] = await membershipsOf(tx, { user: userId })
  return membership?.is_active && membership.role !== 'admin' && others.length === 0 ? membership : undefined
}

/** Writes down what the desk did: `create` for a code issued, `update` for one that somebody signed in with. */
export const noteDesk = (tx: WriteTx, schoolId: string, userId: string, action: 'create' | 'update', changes: Record<string, string>) =>
  tx.note({ schoolId, entity: DESK, id: userId, action, changes })
