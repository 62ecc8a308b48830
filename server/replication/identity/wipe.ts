import { replicationFailures } from '@markbook/shared/contract/replication'
import type { Services } from '../../http/services.ts'
import { type Peer, setPeer } from '../../store/peer-row.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { parentsOf, peerHeld, syncFailures } from './enrolment.ts'
import { noteChange } from './nodes.ts'

/**
 * The order that a laptop be erased (sync/SPEC.md, «Wiping»). It stands beside the enrolment at the parent; the laptop reads it in the
 * reply to its next greeting.
 */
type Order = Pick<Peer, 'wipe_asked_at' | 'wiped_at'>

/** Whether the order stands, and the laptop has not reported yet that it is carried out. */
export const isToBeWiped = ({ wipe_asked_at, wiped_at }: Order): boolean => wipe_asked_at !== null && wiped_at === null

/**
 * Whether the child's requests are refused. A laptop that is to be wiped is heard even where it was revoked: it first sends what nobody
 * else has.
 */
export const isShutOut = (peer: Order & Pick<Peer, 'revoked_at'>): boolean => peer.revoked_at !== null && !isToBeWiped(peer)

/**
 * Orders that a laptop be erased; doing it again changes nothing. Ends its session, so that it greets and reads the order. Throws where the
 * child is no laptop, or was erased already.
 */
export async function askWipe(tx: WriteTx, { id }: Peer): Promise<Peer> {
  const peer = (await peerHeld(tx, id)) as Peer
  if (peer.side !== 'child' || peer.kind !== 'laptop') throw replicationFailures.notALaptop()
  if (peer.wiped_at !== null) throw replicationFailures.wipedAlready()
  if (isToBeWiped(peer)) return peer
  const set = { wipe_asked_at: tx.now, session_nonce: null }
  await setPeer(tx, id, set)
  noteChange(tx, peer, 'update', { wipe_asked_at: { before: null, after: tx.now } })
  return { ...peer, ...set }
}

/**
 * Notes that the laptop has sent everything and erases itself now, and revokes it. Throws 409 `sync.no_wipe` where that was not ordered, or
 * at another time.
 */
export async function noteWiped(tx: WriteTx, id: string, askedAt: string): Promise<void> {
  const peer = await peerHeld(tx, id)
  if (!peer || peer.wipe_asked_at !== askedAt) throw syncFailures.noWipe()
  if (peer.wiped_at !== null) return
  await setPeer(tx, id, { wiped_at: tx.now, revoked_at: peer.revoked_at ?? tx.now, session_nonce: null, last_seen_at: tx.now })
  noteChange(tx, peer, 'update', { wiped_at: { before: null, after: tx.now } })
}

/**
 * Whether a node carries out this parent's order to erase itself: only a laptop does, and only that of its school (sync/SPEC.md, «Wiping»).
 * The school is the parent that is a school's server, or the first parent where there is none.
 */
export async function isObeyed(tx: ReadTx, { config }: Pick<Services, 'config'>, peer: Pick<Peer, 'id' | 'user_id'>): Promise<boolean> {
  if (config.role !== 'school' || peer.user_id === null) return false
  const parents = await parentsOf(tx)
  const school = parents.find(({ kind }) => kind === 'school') ?? parents[0]
  return school?.id === peer.id
}
