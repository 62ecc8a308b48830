import type { Row } from '@markbook/shared/tables/tables'
import { PENDING } from '@markbook/sync/stamp'
import { type Presence, type Stamp, textToVersions, type Versions, versionsToText } from '@markbook/sync/versions'
import { eq, isNull } from 'drizzle-orm'
import type { Services } from '../http/services.ts'
import { asSystem, type WriteTx } from '../store/tx.ts'
import { peerById } from './enrolment.ts'
import { type NodeKeys, nodeKeys } from './keys.ts'
import type { ParentLine } from './parent-line.ts'

/** The keys by which the parent knows this node: of the incarnation that was enrolled last. */
export const keysOfEnrolment = (
  { config, store }: Pick<Services, 'config' | 'store'>,
  { own_epoch }: Pick<Row<'sync_peer'>, 'own_epoch'>,
): NodeKeys => nodeKeys(config.sessionSecret, own_epoch ?? store.nodeId)

/**
 * A new incarnation of this database (SPEC, «Incarnations»): the parent is told with the old keys; what the parent has not acknowledged is
 * stamped anew, because another database may have used the same numbers; and everything is merged from the start, both ways.
 */
export async function beginAnew({ store, config }: Services, peerId: string, line: ParentLine): Promise<void> {
  const enrolled = await store.read(asSystem(), (tx) => peerById(tx, peerId))
  const before = enrolled?.own_epoch ?? store.nodeId
  // To a parent that lost this enrolment it is said again: nobody else has used its numbers.
  const id = store.nodeId === before && !line.isKnownAsFormer ? await store.renewNode() : store.nodeId
  const { publicKey, boxKey } = nodeKeys(config.sessionSecret, id)
  const { peer } = await line.renew({ node: id, public_key: publicKey, box_key: boxKey })
  await store.write(asSystem(), async (tx) => {
    const { sync_peer } = tx.t
    const [own] = await tx.db.select().from(sync_peer).where(eq(sync_peer.id, peerId))
    if (!own) return
    if (id !== before) await restamp(tx, own.school_id as string, before, own.own_seq)
    await tx.local.delete(tx.t.sync_peer).where(eq(sync_peer.id, peerId))
    const fresh = { ...own, id: peer, own_epoch: id, own_seq: 0, own_people: 0, their_cursor: null, their_epoch: null }
    await tx.local.insert(tx.t.sync_peer).values(fresh)
  })
}

/** Gives the writes of `node` after `acknowledged` dots of this incarnation, as one transaction of it. */
async function restamp(tx: WriteTx, school: string, node: string, acknowledged: number): Promise<void> {
  const { sync_row } = tx.t
  const rows: Row<'sync_row'>[] = await tx.db.select().from(sync_row).where(eq(sync_row.school_id, school))
  const { node: nodes } = tx.t
  const [current] = await tx.db.select().from(nodes).where(isNull(nodes.ended_at))
  const own = current?.id as string
  const changed = rows.flatMap((row) => {
    const versions = textToVersions(row)
    if ((versions.vv[node] ?? 0) <= acknowledged) return []
    const { table_name, row_id, deleted, extra, settled, schema } = row
    return [
      { table_name, row_id, deleted, extra, settled, schema, source_id: null, ...versionsToText(moved(versions, node, own, acknowledged)) },
    ]
  })
  tx.replica.bring(school, changed)
}

function moved({ vv, units, alive }: Versions, from: string, to: string, after: number): Versions {
  const stamps = Object.entries(units).map(([unit, stamp]): [string, Stamp] => {
    const [node, counter, ...rest] = stamp
    return [unit, node === from && counter > after ? ([to, PENDING, ...rest] as unknown as Stamp) : stamp]
  })
  const there = alive.map((each): Presence => (each[0] === from && each[1] > after ? [to, PENDING] : each))
  return { vv: { ...vv, [from]: Math.min(vv[from] ?? 0, after), [to]: PENDING }, units: Object.fromEntries(stamps), alive: there }
}
