import type { Row } from '@markbook/shared/tables/tables'
import { and, eq, getTableColumns, lt, sql } from 'drizzle-orm'
import { statement } from './statement.ts'
import type { WriteTx } from './tx.ts'

/** An enrolment: of a parent of this node, or of a child (`side`). */
export type Peer = Row<'sync_peer'>

const setters = new Map<string, (tx: WriteTx, params: Record<string, unknown> & { id: string }) => Promise<unknown>>()

/** Writes these columns of a peer. Peers are local and have no versions. The statement is built once for each set of columns. */
export async function setPeer(tx: WriteTx, id: string, set: Partial<Omit<Peer, 'id'>>): Promise<void> {
  const names = Object.keys(set).sort()
  const key = names.join()
  const setter =
    setters.get(key) ??
    statement<Record<string, unknown> & { id: string }>()(({ db, t: { sync_peer }, p }) =>
      db
        .update(sync_peer)
        .set(Object.fromEntries(names.map((name) => [name, p[name]])))
        .where(eq(sync_peer.id, p.id)),
    )
  setters.set(key, setter)
  await setter(tx, { ...set, id })
}

const raised = statement<{ id: string; nonce: string; number: number; now: string }>()(({ db, t: { sync_peer }, p }) =>
  db
    .update(sync_peer)
    .set({
      session_number: sql`${sql.param(p.number, sync_peer.session_number)}`,
      last_seen_at: sql`${sql.param(p.now, sync_peer.last_seen_at)}`,
    })
    .where(and(eq(sync_peer.id, p.id), eq(sync_peer.session_nonce, p.nonce), lt(sync_peer.session_number, p.number)))
    .returning(getTableColumns(sync_peer)),
)

/**
 * Uses the next number of a peer's session. Returns undefined where the session has ended, or has already reached this number. Being one
 * statement, it refuses one of two identical concurrent requests, and a request of an old session cannot change the new one. Returns the
 * peer as the previous requests left it; later ones wait.
 */
export async function raiseNumber(
  tx: WriteTx,
  id: string,
  { nonce, number }: { nonce: string; number: number },
): Promise<Peer | undefined> {
  const [peer] = await raised(tx, { id, nonce, number, now: tx.now })
  return peer as Peer | undefined
}
