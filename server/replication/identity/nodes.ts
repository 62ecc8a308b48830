import { visibleText } from '@markbook/shared/domain/visible-text'
import { type Peer, setPeer } from '../../store/peer-row.ts'
import type { WriteTx } from '../../store/tx.ts'

/** The name that another node tells, as it is kept: one line, without characters that nobody sees. */
export const keptName = (said: string): string => visibleText(said.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')).trim() || '?'

/** «Ada’s laptop (3)» is the third of that name; one without a number is the first. */
function partsOf(name: string): { base: string; number: number } {
  const [, base, number] = /^(.+) \((\d{1,6})\)$/.exec(name) ?? []
  return base && number ? { base, number: Number(number) } : { base: name, number: 1 }
}

/** The name of a node that begins anew, among the names of its school. */
export function nameAnew(name: string, others: readonly string[]): string {
  const { base } = partsOf(name)
  const alike = [name, ...others].map(partsOf).filter((other) => other.base === base)
  return `${base} (${Math.max(...alike.map(({ number }) => number)) + 1})`
}

/** The columns from which successors follow. */
export type NamedPeer = Pick<
  Peer,
  'id' | 'name' | 'side' | 'kind' | 'school_id' | 'user_id' | 'enrolled_at' | 'last_seen_at' | 'revoked_at'
>

/** As which node another began anew, and when. `bothHeard`: there are two of them, since this one was heard after the last began. */
export type Successor = { name: string; at: string; bothHeard: boolean }

/**
 * The successor of a node, by names and times alone. Null where the node did not begin anew, is revoked, or shares its name with another.
 */
export function successorOf(peer: NamedPeer, peers: readonly NamedPeer[]): Successor | null {
  const { base, number } = partsOf(peer.name)
  const ever = peers.filter((other) => isAlike(peer, other) && partsOf(other.name).base === base)
  const family = ever.filter((other) => !other.revoked_at)
  const numbered = (other: NamedPeer) => partsOf(other.name).number
  const later = family.filter((other) => numbered(other) > number).sort((a, b) => numbered(a) - numbered(b))
  const [next, last] = [later[0], later.at(-1)]
  if (!next || !last || next.enrolled_at < peer.enrolled_at) return null
  const before = family.filter((other) => numbered(other) === number && other.enrolled_at <= next.enrolled_at)
  if (before.length !== 1 || before[0]?.id !== peer.id) return null
  // A copy and its original both begin anew from one number, which is silent from then on.
  const bothHeard = ever.every((other) => numbered(other) <= number || (peer.last_seen_at ?? '') > other.enrolled_at)
  const { name, enrolled_at } = bothHeard ? last : next
  return { name, at: enrolled_at, bothHeard }
}

const isAlike = (peer: NamedPeer, other: NamedPeer) =>
  other.side === 'child' && other.school_id === peer.school_id && other.kind === peer.kind && other.user_id === peer.user_id

/** The children that take part: of a database that has begun anew only its last number. */
export function computersAmong<P extends NamedPeer>(peers: readonly P[]): P[] {
  const families = new Map<string, P[]>()
  for (const peer of peers) {
    if (peer.side !== 'child') continue
    const key = [peer.school_id, peer.kind, peer.user_id, partsOf(peer.name).base].join(' ')
    families.set(key, [...(families.get(key) ?? []), peer])
  }
  return [...families.values()].flatMap((family) =>
    family.filter((peer) => !peer.revoked_at && successorOf(peer, family)?.bothHeard !== false),
  )
}

export async function renamePeer(tx: WriteTx, peer: Peer, name: string): Promise<Peer> {
  await setPeer(tx, peer.id, { name })
  if (name !== peer.name) noteChange(tx, peer, 'update', { name: { before: peer.name, after: name } })
  return { ...peer, name }
}

/** Ends an enrolment. A child's next request is refused; a parent is left, and this node goes on alone. Doing it again changes nothing. */
export async function revokePeer(tx: WriteTx, peer: Peer): Promise<void> {
  if (peer.revoked_at) return
  await setPeer(tx, peer.id, { revoked_at: tx.now })
  noteChange(tx, peer, 'delete', { name: { before: peer.name, after: null } })
}

/** Notes a change to an enrolment in the history of its school. */
export function noteChange(
  tx: WriteTx,
  { id, school_id }: Peer,
  action: 'update' | 'delete',
  changes: Readonly<Record<string, unknown>>,
): void {
  if (school_id) tx.note({ schoolId: school_id, entity: 'sync_peer', id, action, changes })
}
