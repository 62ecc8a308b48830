import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { LimitOf } from '@markbook/sync/merge/claims'
import { MADE_BY_RULE } from '@markbook/sync/merge/conflict'
import { and, eq, ne } from 'drizzle-orm'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** For a table, and whether the row is known here: up to which counter a child answers for each writer. */
export type Limits = (table: Replicated, isKnown: boolean) => LimitOf

type Peer = Pick<Row<'sync_peer'>, 'kind' | 'school_id' | 'user_id' | 'node_id'>

/** The numbers under which laptops of a person were ever enrolled here. */
export const numbersOf = rowsBy('sync_peer', { school: 'school_id', user: 'user_id' }, { columns: ['node_id'], where: { side: 'child' } })
const childrenOf = rowsBy('sync_peer', { school: 'school_id' }, { columns: ['node_id', 'highest_counter'], where: { side: 'child' } })
const otherServers = statement<{ school: string }>()(({ db, t: { sync_peer: of }, p }) =>
  db
    .select({ node_id: of.node_id })
    .from(of)
    .where(and(eq(of.side, 'child'), eq(of.kind, 'school'), ne(of.school_id, p.school))),
)

/** The highest counter that this node has received of each number that was ever enrolled here. */
export async function heardOf(tx: ReadTx, school: string): Promise<ReadonlyMap<string, number>> {
  return new Map((await childrenOf(tx, { school })).map(({ node_id, highest_counter }) => [node_id, highest_counter]))
}

/** The counter of the one dot under which rules make conflict records. */
const BY_RULE = 1

/**
 * For which writers a child answers in a push that ends at its counter `to`, and up to which counter; 0 for not at all. A laptop answers
 * for all numbers of its person's laptops. A school's server answers for every writer but this node (`epoch`) and the servers of other
 * schools: this node does not know whose writes came to it from below. Writes under an ended number of this node may come back from it
 * (SPEC, «Incarnations»).
 */
export async function writersOf(tx: ReadTx, { kind, school_id, user_id, node_id }: Peer, epoch: string, to: number): Promise<Limits> {
  const school = school_id as string
  const isLaptop = kind === 'laptop'
  const named = isLaptop ? await numbersOf(tx, { school, user: user_id ?? '' }) : await otherServers(tx, { school })
  const listed = new Set(named.map((each) => each.node_id))
  // A server may bring back what this node wrote and forgot, but nothing beyond the end of this node's feed.
  const used = isLaptop ? 0 : (await tx.dialect.feedOf(tx.connection, school)).seq
  return (table, isKnown) => {
    // People have a feed of their own, and a push does not tell its place there.
    const own = descriptions[table].scope === 'commons' ? Number.MAX_SAFE_INTEGER : to
    return (node) => {
      if (node === node_id) return own
      if (node === MADE_BY_RULE) return BY_RULE
      if (node === epoch) return isKnown || descriptions[table].scope === 'commons' ? 0 : used
      return listed.has(node) === isLaptop ? Number.MAX_SAFE_INTEGER : 0
    }
  }
}
