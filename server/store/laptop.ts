import { and, eq, isNotNull } from 'drizzle-orm'
import { statement } from './statement.ts'
import type { ReadTx } from './tx.ts'

const laptopOwners = statement()(({ db, t: { sync_peer } }) =>
  db
    .select({ user_id: sync_peer.user_id })
    .from(sync_peer)
    .where(and(eq(sync_peer.side, 'parent'), isNotNull(sync_peer.user_id)))
    .limit(1),
)

/** The owner of this laptop, or of its last connection to a parent: the only person who works on it. Null on any other node. */
export async function laptopOwner(tx: ReadTx): Promise<string | null> {
  return (await laptopOwners(tx, {}))[0]?.user_id ?? null
}
