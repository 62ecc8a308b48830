import type { Replicated } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { and, eq, inArray } from 'drizzle-orm'
import type { WriteTx } from '../tx.ts'
import { writeOutsidePage } from './apply.ts'
import { scopeIn, tableOrder } from './links.ts'
import type { Application } from './page.ts'
import { reconsiderParents, rowsBelow } from './remove-deleted.ts'
import { knownRows } from './states.ts'

/**
 * Removes rows from this database as if it had never had them, without a deletion that others would read. A deleted parent row that stayed
 * for one of them goes too, and rows whose unique text they had get their own again.
 */
export async function forgetRows(tx: WriteTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const known = await knownRows(tx, table, schoolId, ids)
  await tx.replica.erase(table, schoolId, ids)
  tx.replica.discardReceived(scopeIn(table, schoolId), table, ids)
  const { sync_row } = tx.t
  const place = and(eq(sync_row.school_id, schoolId), eq(sync_row.table_name, table), inArray(sync_row.row_id, [...ids]))
  await tx.connection.db.delete(sync_row).where(place)
  const application: Application = { tx, schoolId, changes: new Map(), kept: [], answers: new Map() }
  await reconsiderParents(application, table, [...known.values()])
  await writeOutsidePage(
    application,
    table,
    [...known.values()].map(({ state }) => state),
  )
}

/** Forgets a row with all that name it, directly or through others; nothing where `mayGo` refuses them. */
export async function forgetWithAll(
  tx: WriteTx,
  table: Replicated,
  schoolId: string,
  id: string,
  mayGo: (rows: readonly Carried[]) => boolean,
): Promise<void> {
  const below = new Map<Replicated, Set<string>>([[table, new Set([id])]])
  const all: Carried[] = []
  // Parents stand before children, so that each table is complete when its turn comes.
  for (const parent of tableOrder.slice(tableOrder.indexOf(table))) {
    const known = [...(await knownRows(tx, parent, schoolId, [...(below.get(parent) ?? [])])).values()]
    all.push(...known.map(({ state }) => ({ table: parent, state })))
    for (const [child, ids] of await rowsBelow(tx, schoolId, parent, known))
      below.set(child, new Set([...(below.get(child) ?? []), ...ids]))
  }
  if (!mayGo(all)) return
  for (const each of [...tableOrder].reverse()) await forgetRows(tx, each, schoolId, [...(below.get(each) ?? [])])
}

/** Forgets deletions that every node has read. `upTo`: the new floor of the feed. */
export const dropTombstones = (tx: WriteTx, schoolId: string, found: Parameters<WriteTx['dialect']['forgetTombstones']>[2], upTo: number) =>
  tx.dialect.forgetTombstones(tx.connection, schoolId, found, upTo)
