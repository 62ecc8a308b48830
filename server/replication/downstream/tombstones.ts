import { limits } from '@markbook/shared/limits'
import { textToCursor } from '@markbook/sync/protocol/cursor'
import { EXISTENCE, textToVersions } from '@markbook/sync/versions'
import { eq } from 'drizzle-orm'
import type { Services } from '../../http/services.ts'
import { repeatedly } from '../../repeatedly.ts'
import { type Peer, setPeer } from '../../store/peer-row.ts'
import { dropTombstones } from '../../store/replica/forget.ts'
import { asSystem, type ReadTx, type WriteTx } from '../../store/tx.ts'

type Used = Pick<Services, 'store' | 'log'>
/**
 * Forgets deletions older than 180 days that every node has read (SPEC, «Tombstones»): children by their place in this node's feed, parents
 * by what they acknowledged. A child that was silent for a year does not count; it copies anew when it comes back. Returns how many were
 * forgotten.
 */
export async function forgetDeletions({ store }: Pick<Services, 'store'>): Promise<number> {
  const schools = await store.read(asSystem(), (tx) => tx.db.select({ id: tx.t.school.id }).from(tx.t.school))
  let forgotten = 0
  for (const { id } of schools)
    for (let after = 0, isLast = false; !isLast; ) {
      const page = await store.write(asSystem(), (tx) => forgetPage(tx, store.nodeId, id, after))
      forgotten += page.forgotten
      after = page.after
      isLast = page.isLast
    }
  return forgotten
}

async function forgetPage(tx: WriteTx, node: string, school: string, after: number) {
  const heard = await heardByAll(tx, node, school)
  const limit = limits.sync.pageRows
  const found = await tx.dialect.tombstones(tx.connection, school, after, heard, limit)
  const before = tx.nowMs - limits.sync.tombstones.ageMs
  const old = found.filter(({ units }) => deletedAt(units) < before)
  const last = found.at(-1)?.seq ?? heard
  if (old.length > 0) await dropTombstones(tx, school, old, old.at(-1)?.seq ?? 0)
  // One feed number can have more rows than a page: the next page looks at that number again.
  return { forgotten: old.length, after: old.length > 0 ? last - 1 : last, isLast: found.length < limit }
}

const deletedAt = (units: string): number => textToVersions({ vv: '{}', units }).units[EXISTENCE]?.[2] ?? Number.MAX_SAFE_INTEGER

/** The highest number of the school's feed up to which every other node has read. */
async function heardByAll(tx: ReadTx, node: string, school: string): Promise<number> {
  const { sync_peer } = tx.t
  const peers: Peer[] = await tx.db.select().from(sync_peer).where(eq(sync_peer.school_id, school))
  const silentSince = tx.nowMs - limits.sync.tombstones.silentChildMs
  const places = peers
    .filter(({ revoked_at }) => revoked_at === null)
    .filter(({ side, last_seen_at, enrolled_at }) => side === 'parent' || Date.parse(last_seen_at ?? enrolled_at) >= silentSince)
    .map(({ side, own_seq, their_cursor }) => (side === 'parent' ? own_seq : placeIn(node, their_cursor)))
  return Math.min((await tx.dialect.feedOf(tx.connection, school)).seq, ...places)
}

/** Up to which number of this node's feed a child has read; 0 while it copies, since it has read no deletion yet. */
export function placeIn(node: string, cursor: string | null): number {
  const known = textToCursor(cursor)
  return known?.kind === 'feed' && known.epoch === node ? known.seq : 0
}

/** Saves how far a child has read, where that is further than before. */
export async function heard(tx: WriteTx, node: string, peer: Peer, cursor: string | null): Promise<void> {
  if (placeIn(node, cursor) <= placeIn(node, peer.their_cursor)) return
  await setPeer(tx, peer.id, { their_cursor: cursor })
}

/** Forgets deletions once a day, and first a while after the start. */
export function scheduleForgetting(services: Used): { stop(): Promise<void> } {
  const { startDelayMs, everyMs } = limits.sync.tombstones
  const forget = () =>
    forgetDeletions(services)
      .then((forgotten) => forgotten > 0 && services.log.info({ forgotten }, 'forgot old deletions that every node has heard of'))
      .catch((error: unknown) => services.log.warn({ err: error }, 'forgetting old deletions failed'))
  return repeatedly(forget, { first: startDelayMs, every: everyMs })
}
