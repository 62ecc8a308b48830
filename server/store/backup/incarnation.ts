import { toInstant } from '@markbook/shared/clock'
import type { IdSource } from '@markbook/shared/ids'
import { isNull } from 'drizzle-orm'
import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { digestOf } from '../history-chain.ts'

/**
 * Makes a restored database a node of its own (docs/design/backup.md): what it writes from here on bears another id
 * than what the database wrote that it was copied from, so that equal numbers never meet. Every school's history says when and
 * from which backup. Sessions and codes end: one that was ended since the backup must not live again.
 */
export async function beginIncarnation(
  connection: Connection,
  { tables, advance }: Dialect,
  { newId, now, takenAt }: { newId: IdSource; now: number; takenAt: string },
): Promise<string> {
  const { node, sync_feed, session, otp_code } = tables
  const at = toInstant(now)
  const [before] = await connection.db.select().from(node).where(isNull(node.ended_at))
  if (!before) throw new Error('this database has no node id')
  const id = newId()
  // The first of them says whose database it is, also where the clock was wrong once (database-owner.ts).
  const begun = toInstant(Math.max(now, Date.parse(before.created_at) + 1))
  await connection.db.update(node).set({ ended_at: begun }).where(isNull(node.ended_at))
  await connection.db.insert(node).values({ id, kind: before.kind, created_at: begun, ended_at: null })
  await connection.db.delete(session)
  await connection.db.delete(otp_code)
  const feeds = await connection.db.select({ school_id: sync_feed.school_id }).from(sync_feed).orderBy(sync_feed.school_id)
  const changes = JSON.stringify({ node_id: { before: before.id, after: id }, restored_from: { before: null, after: takenAt } })
  for (const { school_id: schoolId } of feeds) {
    const entry = { id: newId(), at, actor_id: null, node_id: id, entity: 'node', row_id: id, near_id: id, action: 'create', changes }
    const history = [entry]
    const digest = digestOf(history)
    await advance(connection, { schoolId, digest, rows: [], history })
  }
  return id
}
