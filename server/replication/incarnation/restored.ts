import { COMMONS } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import type { Services } from '../../http/services.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { type DatabaseDivergence, divergenceOf } from './checkpoint.ts'
import { restamp } from './restamp.ts'

type Peer = Row<'sync_peer'>
type Used = Pick<Services, 'store' | 'log' | 'keys'>

/** A child shows that this database was put back to an earlier state, without `markbook restore`. */
export class DatabaseRestored extends Error {
  constructor(
    readonly node: string,
    readonly child: Peer,
    readonly shown: DatabaseDivergence,
  ) {
    super('this database was put back to an earlier state')
  }
}

/**
 * Throws `DatabaseRestored` where a child's place in this node's feed is one that this database no longer has. Call before anything is
 * answered.
 */
export async function demandNotRestored(
  tx: ReadTx,
  { store, keys }: Pick<Used, 'store' | 'keys'>,
  child: Peer,
  cursor: string | null,
): Promise<void> {
  const { nodeId } = store
  const shown = await divergenceOf(tx, child, nodeId, cursor, keys.seal)
  if (shown) throw new DatabaseRestored(nodeId, child, shown)
}

/** Runs `answer`. If that throws `DatabaseRestored`, this database begins anew, and `otherwise` is run. */
export async function withRenewal<T>(services: Used, answer: () => Promise<T>, otherwise: () => Promise<T>): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof DatabaseRestored)) throw error
    await beginAnewHere(services, error)
    return otherwise()
  }
}

/**
 * Does what `markbook restore` would have done: takes another number, so that a dot never names two writes. What was written under the
 * number before since the database was put back is stamped anew, for the lost days have other writes under it. Nobody knows since when, so
 * it is all that may be. Ends every session, of people and of children.
 */
async function beginAnewHere({ store, log }: Used, { node, child, shown }: DatabaseRestored): Promise<void> {
  const { sign, number, common } = shown
  const school = child.school_id as string
  const isDone = await store.replaceNode(node, async (tx) => {
    const { sync_feed, sync_peer, session, otp_code } = tx.t
    const feeds = await tx.db.select({ id: sync_feed.school_id }).from(sync_feed)
    for (const { id } of feeds) {
      await restamp(tx, id, [{ node, acknowledged: id === school ? common.seq : id === COMMONS ? common.people : 0 }])
      tx.note({ schoolId: id, entity: ENTITY, id: number, action: 'delete', changes: { put_back: sign, shown_by: child.node_id } })
    }
    await tx.local.delete(session)
    await tx.local.delete(otp_code)
    await tx.local.update(sync_peer).set({ session_nonce: null }).where(eq(sync_peer.side, 'child'))
  })
  if (isDone) log.warn({ child: child.name, sign, before: node, node: store.nodeId }, PUT_BACK)
}

const PUT_BACK =
  'the database was put back to an earlier state, and not by markbook restore: it began anew, and everybody below sends everything again'

const ENTITY = 'node'

const lastNote = rowsBy(
  'history',
  {},
  {
    columns: ['at'],
    where: { school_id: COMMONS, near_id: COMMONS, entity: ENTITY, action: 'delete' },
    orderBy: [{ desc: 'seq' }],
    limit: 1,
  },
)

/** When this database last began anew because it had been put back; null where it never did. */
export async function restoredAt(tx: ReadTx): Promise<string | null> {
  const [last] = await lastNote(tx, {})
  return last?.at ?? null
}
