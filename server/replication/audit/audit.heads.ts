import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { PROTOCOL } from '@markbook/sync/protocol/messages'
import { and, eq } from 'drizzle-orm'
import type { Services } from '../../http/services.ts'
import type { Peer } from '../../store/peer-row.ts'
import { rowsBy } from '../../store/statement.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { version } from '../../version.ts'
import { divergenceOf } from '../incarnation/checkpoint.ts'
import { NO_HEAD } from '../incarnation/duplicate-number.ts'
import { keysOfEnrolment } from '../incarnation/incarnation.ts'
import { hasLost } from '../incarnation/number.ts'
import { type Carrier, LineFailure, ParentLine } from '../line/parent-line.ts'

/**
 * What another node shows of the history here. `same`: this database has what it knows. `other`: it has not, so the history was changed or
 * lost since. `silent`: it has told nothing yet that could be compared. `unasked`: it cannot be asked now; `why` says the reason.
 */
export type Witness =
  | { name: string; side: Peer['side']; is: 'same' | 'other' | 'silent' }
  | { name: string; side: Peer['side']; is: 'unasked'; why: string }

const entriesWith = rowsBy('history', { school: 'school_id', node: 'node_id', head: 'head' }, { columns: ['id'], limit: 1 })

/** Compares with what stands here, for each child, the last head that it told of its own history, and its place in this one. */
export async function childrenAsWitnesses(tx: ReadTx, school: string, epoch: string, seal: Buffer): Promise<Witness[]> {
  const { sync_peer } = tx.t
  const peers: Peer[] = await tx.db
    .select()
    .from(sync_peer)
    .where(and(eq(sync_peer.school_id, school), eq(sync_peer.side, 'child')))
    .orderBy(sync_peer.name)
  const witnesses: Witness[] = []
  for (const peer of peers) {
    const { name, side, node_id, history_head, their_cursor } = peer
    const head = history_head === NO_HEAD ? null : history_head
    const isHere = head === null || (await entriesWith(tx, { school, node: node_id, head })).length > 0
    const isAsShown = (await divergenceOf(tx, peer, epoch, their_cursor, seal)) === null
    const is = head === null && their_cursor === null ? 'silent' : isHere && isAsShown ? 'same' : 'other'
    witnesses.push({ name, side, is })
  }
  return witnesses
}

/**
 * Greets a parent, whose reply says up to where it has this database's history, and the head there. A session of the running server begins
 * anew.
 */
export async function parentAsWitness(
  { store, config, clock }: Pick<Services, 'store' | 'config' | 'clock'>,
  peer: Peer,
  carry: Carrier,
): Promise<Witness> {
  const { name, side } = peer
  const node = peer.own_epoch ?? store.nodeId
  if (node !== store.nodeId) return { name, side, is: 'unasked', why: ANEW }
  const line = new ParentLine(peer, keysOfEnrolment({ config, store }, peer), carry)
  const hello = {
    protocol: PROTOCOL,
    schema: SCHEMA_VERSION,
    node,
    kind: config.role,
    version,
    now: clock.now(),
    cursor: peer.their_cursor,
  }
  try {
    const welcome = await inTurn(() => line.hello(hello))
    const isOther = await store.read(asSystem(), (tx) => hasLost(tx, node, peer, welcome))
    return { name, side, is: isOther ? 'other' : welcome.head === null ? 'silent' : 'same' }
  } catch (error) {
    if (!(error instanceof LineFailure)) throw error
    return { name, side, is: 'unasked', why: error.message }
  }
}

const ANEW = 'This database was restored or copied, and has not met it since.'
const TRIES = 3

/** Asks again where the running server was greeting at the same moment. */
async function inTurn<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof LineFailure) || error.code !== 'sync.stale_session' || tries === TRIES) throw error
    }
  }
}
