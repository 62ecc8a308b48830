import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import type { WriteTx } from '../store/tx.ts'

type Peer = Row<'sync_peer'>

export async function renamePeer(tx: WriteTx, peer: Peer, name: string): Promise<Peer> {
  const { sync_peer } = tx.t
  await tx.local.update(tx.t.sync_peer).set({ name }).where(eq(sync_peer.id, peer.id))
  if (name !== peer.name) told(tx, peer, 'update', { name: { before: peer.name, after: name } })
  return { ...peer, name }
}

/** Of a child: its next request is refused. Of a parent: this node leaves it, and goes on by itself. Again is the same. */
export async function revokePeer(tx: WriteTx, peer: Peer): Promise<void> {
  if (peer.revoked_at) return
  const { sync_peer } = tx.t
  await tx.local.update(tx.t.sync_peer).set({ revoked_at: tx.now }).where(eq(sync_peer.id, peer.id))
  told(tx, peer, 'delete', { name: { before: peer.name, after: null } })
}

function told(tx: WriteTx, { id, school_id }: Peer, action: 'update' | 'delete', changes: Readonly<Record<string, unknown>>): void {
  if (school_id) tx.note({ schoolId: school_id, entity: 'sync_peer', id, action, changes })
}
