import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import { statement } from './statement.ts'
import type { WriteTx } from './tx.ts'

const setters = new Map<string, (tx: WriteTx, params: Record<string, unknown>) => Promise<unknown>>()

/** Writes these columns of a peer, which is this node's own and has no versions; built once for each choice of columns. */
export async function setPeer(tx: WriteTx, id: string, set: Partial<Omit<Row<'sync_peer'>, 'id'>>): Promise<void> {
  const names = Object.keys(set).sort()
  const key = names.join()
  const setter =
    setters.get(key) ??
    statement<Record<string, unknown>>()(({ db, t: { sync_peer }, p }) =>
      db
        .update(sync_peer)
        .set(Object.fromEntries(names.map((name) => [name, p[name]])))
        .where(eq(sync_peer.id, p['id'] as never)),
    )
  setters.set(key, setter)
  await setter(tx, { ...set, id })
}
