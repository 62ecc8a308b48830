import type { Replicated, Row } from '@markbook/shared/tables/tables'
import type { Welcome } from '@markbook/sync/protocol/messages'
import type { Carried } from '@markbook/sync/protocol/page'
import { textToVersions } from '@markbook/sync/versions'
import { and, desc, eq, lte } from 'drizzle-orm'
import { setPeer } from '../../store/peer-row.ts'
import { scopeIn } from '../../store/replica/links.ts'
import { statement } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { parentsOf } from '../identity/enrolment.ts'
import { LineFailure } from '../line/parent-line.ts'

/** A copy of this database writes under the same number, elsewhere. */
export class NumberTaken extends Error {}

/** The number was given up, and the session with it: what is sent next is a greeting under another number. */
export class NumberGivenUp extends LineFailure {
  constructor() {
    super('sync.stale_session', 'This database has given up the number under which it wrote. It begins under another.')
  }
}

/**
 * Throws `NumberTaken` where rows of a parent bear writes of `node`, this database, that it never made. A row that is not here shows
 * nothing: it may have been forgotten together with writes to it.
 */
export async function demandOwnNumber(tx: ReadTx, school: string, node: string, rows: readonly Carried[]): Promise<void> {
  const counters = new Map<Replicated, Map<string, number>>()
  for (const { table, state } of rows) {
    const counter = state.vv[node]
    if (counter === undefined) continue
    const own = counters.get(table) ?? new Map<string, number>()
    counters.set(table, own.set(state.id, counter))
  }
  for (const [table, counterById] of counters)
    for (const stored of await tx.dialect.versionsOf(tx.connection, scopeIn(table, school), table, [...counterById.keys()]))
      if ((textToVersions(stored).vv[node] ?? 0) < (counterById.get(stored.row_id) ?? 0)) throw new NumberTaken()
}

/**
 * Gives up the number under which a copy of this database writes as well. No parent can tell which of its writes were made here. So the
 * next greeting stamps anew all that any of the parents has not acknowledged.
 */
export async function leaveNumber(store: Store): Promise<void> {
  const node = store.nodeId
  await store.write(asSystem(), async (tx) => {
    const parents = (await parentsOf(tx)).filter(({ own_epoch }) => own_epoch === node)
    const own_seq = Math.min(...parents.map((each) => each.own_seq))
    const own_people = Math.min(...parents.map((each) => each.own_people))
    for (const { id } of parents) await setPeer(tx, id, { own_seq, own_people })
  })
  await store.renewNode()
}

const lastOwnEntry = statement<{ school: string; node: string; upTo: number }>()(({ db, t: { history }, p }) =>
  db
    .select({ head: history.head })
    .from(history)
    .where(and(eq(history.school_id, p.school), eq(history.node_id, p.node), lte(history.seq, p.upTo)))
    .orderBy(desc(history.seq))
    .limit(1),
)
/** Whether the parent has more of this node's feed than there is here, or another history at the same counter. */
export async function hasLost(
  tx: ReadTx,
  nodeId: string,
  peer: Pick<Row<'sync_peer'>, 'school_id'>,
  { acknowledged, head }: Pick<Welcome, 'acknowledged' | 'head'>,
): Promise<boolean> {
  const feed = await tx.dialect.feedOf(tx.connection, peer.school_id as string)
  if (acknowledged > feed.seq) return true
  if (head === null) return false
  const [last] = await lastOwnEntry(tx, { school: peer.school_id as string, node: nodeId, upTo: acknowledged })
  return last?.head !== head
}
