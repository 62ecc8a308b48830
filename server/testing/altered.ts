import { and, eq, isNotNull } from 'drizzle-orm'
import type { WriteTx } from '../store/tx.ts'

/** What a laptop writes on which somebody has altered the program: it believes to be none, and refuses nothing that its parent will. */
export async function altered<T>(tx: WriteTx, write: () => Promise<T>): Promise<T> {
  const { sync_peer } = tx.t
  const parents = await tx.db
    .select({ id: sync_peer.id, user_id: sync_peer.user_id })
    .from(sync_peer)
    .where(and(eq(sync_peer.side, 'parent'), isNotNull(sync_peer.user_id)))
  const name = (of: (user: string | null) => string | null) =>
    Promise.all(
      parents.map(({ id, user_id }) =>
        tx.local
          .update(tx.t.sync_peer)
          .set({ user_id: of(user_id) })
          .where(eq(sync_peer.id, id)),
      ),
    )
  await name(() => null)
  const written = await write()
  await name((user) => user)
  return written
}
