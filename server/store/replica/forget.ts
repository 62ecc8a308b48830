import type { Replicated } from '@markbook/shared/tables/tables'
import { and, eq, inArray } from 'drizzle-orm'
import type { WriteTx } from '../tx.ts'

/** Takes rows from this database as if it had never had them: no deletion, which others would hear of. */
export async function forgetRows(tx: WriteTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.replica.erase(table, schoolId, ids)
  const { sync_row } = tx.t
  const place = and(eq(sync_row.school_id, schoolId), eq(sync_row.table_name, table), inArray(sync_row.row_id, [...ids]))
  await tx.line.db.delete(sync_row).where(place)
}
