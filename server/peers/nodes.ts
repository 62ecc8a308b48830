import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import type { WriteTx } from '../store/tx.ts'

type Peer = Row<'sync_peer'>

/** «Ada’s laptop (3)» is the third of that name; one without a number is the first. */
function partsOf(name: string): { base: string; number: number } {
  const [, base, number] = /^(.+) \((\d{1,6})\)$/.exec(name) ?? []
  return base && number ? { base, number: Number(number) } : { base: name, number: 1 }
}

/** What a node is called that begins anew, among those of its school. */
export function nameAnew(name: string, others: readonly string[]): string {
  const { base } = partsOf(name)
  const alike = [name, ...others].map(partsOf).filter((other) => other.base === base)
  return `${base} (${Math.max(...alike.map(({ number }) => number)) + 1})`
}

/** As which node another began anew, when, and whether the one before was heard after that: then one is a copy of the other. */
export type Successor = { name: string; at: string; bothHeard: boolean }

/** By their names and times alone; null of one that did not begin anew, is revoked, or shares its name with another. */
export function successorOf(peer: Peer, peers: readonly Peer[]): Successor | null {
  const { base, number } = partsOf(peer.name)
  const alike = (other: Peer) =>
    other.side === 'child' &&
    !other.revoked_at &&
    other.school_id === peer.school_id &&
    other.kind === peer.kind &&
    other.user_id === peer.user_id
  const family = peers.filter((other) => alike(other) && partsOf(other.name).base === base)
  const numbered = (other: Peer) => partsOf(other.name).number
  const [next] = family.filter((other) => numbered(other) > number).sort((a, b) => numbered(a) - numbered(b))
  if (!next || next.enrolled_at < peer.enrolled_at) return null
  const before = family.filter((other) => numbered(other) === number && other.enrolled_at <= next.enrolled_at)
  if (before.length !== 1 || before[0]?.id !== peer.id) return null
  return { name: next.name, at: next.enrolled_at, bothHeard: (peer.last_seen_at ?? '') > next.enrolled_at }
}

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
