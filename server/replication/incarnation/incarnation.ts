import { COMMONS } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import type { Services } from '../../http/services.ts'
import { incarnations } from '../../store/node.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { everyParent, parentsOf, peerById } from '../identity/enrolment.ts'
import { type NodeKeys, nodeKeys } from '../identity/keys.ts'
import { LineFailure, type ParentLine } from '../line/parent-line.ts'
import { broughtBack, restamp, type UnacknowledgedNumber } from './restamp.ts'

/** The keys by which the parent knows this node: those of the number that was enrolled last. */
export const keysOfEnrolment = (
  { config, store }: Pick<Services, 'config' | 'store'>,
  { own_epoch }: Pick<Row<'sync_peer'>, 'own_epoch'>,
): NodeKeys => nodeKeys(config.sessionSecret, own_epoch ?? store.nodeId)

/**
 * Begins a new incarnation of this database (SPEC, «Incarnations»). The parent is told with the old keys. What the parent has not
 * acknowledged is stamped anew, because another database may have used the same dots. Then everything is merged from the start, both ways.
 */
export async function beginAnew(services: Services, peerId: string, line: ParentLine): Promise<void> {
  const { store } = services
  const enrolled = await store.read(asSystem(), (tx) => peerById(tx, peerId))
  const before = enrolled?.own_epoch ?? store.nodeId
  // A parent that only lost this enrolment is told the present number again: nobody else has used it.
  if (store.nodeId === before && !line.isKnownAsFormer) await leave(store, peerId, before)
  const { id, peer } = await enrolledAs(services, peerId, line)
  await store.write(asSystem(), async (tx) => {
    const { sync_peer } = tx.t
    const [own] = await tx.db.select().from(sync_peer).where(eq(sync_peer.id, peerId))
    if (!own) return
    await restampUnsaid(tx, own, id)
    await tx.local.delete(tx.t.sync_peer).where(eq(sync_peer.id, peerId))
    // Stays the number of the database whose key is known here, not one that was only heard of.
    const node_id = own.their_epoch ?? own.node_id
    const fresh = { ...own, id: peer, node_id, own_epoch: id, own_seq: 0, own_people: 0, their_cursor: null, their_epoch: null }
    await tx.local.insert(tx.t.sync_peer).values(fresh)
  })
}

type ServerAddress = Pick<Row<'sync_peer'>, 'node_id' | 'url'>
/** Whether both are the same server, whatever happened to its database since. */
export const isSamePlace = (a: ServerAddress, b: ServerAddress): boolean => a.node_id === b.node_id || (a.url !== null && a.url === b.url)

/**
 * Takes the number under which this node was enrolled at a parent that has its present one already (`joinParent`). In the same transaction
 * the writes under the present number that the parent had not acknowledged are stamped anew. Doing it again changes nothing.
 */
export async function beginUnderNumber(store: Store, peerId: string): Promise<void> {
  const { nodeId } = store
  const enrolled = await store.read(asSystem(), (tx) => peerById(tx, peerId))
  const number = enrolled?.own_epoch
  if (!enrolled || !number || enrolled.last_seen_at !== null) return
  if ((await store.read(asSystem(), incarnations)).includes(number)) return
  const stampAnew = async (tx: WriteTx) => {
    const former = (await everyParent(tx)).filter((each) => each.id !== peerId && isSamePlace(each, enrolled))
    const last = former.sort((a, b) => (a.enrolled_at < b.enrolled_at ? 1 : -1))[0]
    // Without an earlier enrolment here the number there is that of another database: this one is a copy of it, or it of this one. Nothing
    // shows which writes both have.
    await restampUnsaid(tx, last ?? { ...enrolled, own_epoch: nodeId }, number)
  }
  await store.replaceNode(nodeId, stampAnew, number)
}

async function restampUnsaid(tx: WriteTx, own: Row<'sync_peer'>, id: string): Promise<void> {
  const numbers = await unsaid(tx, own, id)
  const school = own.school_id as string
  await restamp(tx, school, numbers, await broughtBack(tx, school, numbers))
  await restamp(
    tx,
    COMMONS,
    numbers.map(({ node, people }) => ({ node, acknowledged: people })),
  )
}

/**
 * Ends a number, and in the same transaction stamps anew what the parent has not acknowledged under it. Children read of this node under
 * the next number from then on, and a child that has days which this database has lost knows other writes under the old one (world 628).
 */
const leave = (store: Store, peerId: string, number: string): Promise<boolean> =>
  store.replaceNode(number, async (tx) => {
    const own = await peerById(tx, peerId)
    const [id] = await incarnations(tx)
    if (own && id) await restampUnsaid(tx, own, id)
  })

/** Enrols the present number or, where the parent has another database of that number, the next one. */
async function enrolledAs({ store, config }: Services, peerId: string, line: ParentLine): Promise<{ id: string; peer: string }> {
  for (let tries = 1; ; tries += 1) {
    const id = store.nodeId
    const { publicKey, boxKey } = nodeKeys(config.sessionSecret, id)
    try {
      return { id, peer: (await line.renew({ node: id, public_key: publicKey, box_key: boxKey })).peer }
    } catch (error) {
      if (tries === MOST_TRIES || !(error instanceof LineFailure) || error.code !== 'sync.node_taken') throw error
      await leave(store, peerId, id)
    }
  }
}
const MOST_TRIES = 3

/** `acknowledged`: in the school's feed; `people`: in that of people. */
type UnsaidOf = UnacknowledgedNumber & { people: number }

/** The number that this parent knew and those since, which it never knew, each with what a parent has acknowledged of it. */
async function unsaid(tx: WriteTx, own: Row<'sync_peer'>, id: string): Promise<UnsaidOf[]> {
  const all = await incarnations(tx)
  const known = all.indexOf(own.own_epoch ?? id)
  const parents = await parentsOf(tx)
  return all.slice(0, known + 1).flatMap((node) => {
    if (node === id) return []
    const acknowledged = node === own.own_epoch ? [own] : parents.filter(({ own_epoch }) => own_epoch === node)
    const most = (of: 'own_seq' | 'own_people') => Math.max(0, ...acknowledged.map((each) => each[of]))
    return [{ node, acknowledged: most('own_seq'), people: most('own_people') }]
  })
}
