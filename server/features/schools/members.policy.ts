import { schoolFailures } from '@markbook/shared/contract/schools'
import type { Row } from '@markbook/shared/tables/tables'
import type { WriteTx } from '../../store/tx.ts'
import { activeAdminsOf } from './members.queries.ts'

/** 409 where this member is the school's last active administrator. The caller holds the school's row locked. */
export async function demandAnotherAdmin(tx: WriteTx, member: Row<'school_management'>): Promise<void> {
  if (member.role !== 'admin' || !member.is_active) return
  const admins = await activeAdminsOf(tx, { school: member.school_id })
  if (admins.every((admin) => admin.user_id === member.user_id)) throw schoolFailures.lastAdmin()
}
