import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { LimitOf } from '@markbook/sync/merge/claims'
import { MADE_BY_RULE } from '@markbook/sync/merge/conflict'
import { and, eq, ne } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** By table, and whether the row is known here: for which writers a child answers. */
export type Limits = (table: Replicated, isKnown: boolean) => LimitOf

type Peer = Pick<Row<'sync_peer'>, 'kind' | 'school_id' | 'user_id' | 'node_id'>

/** The numbers under which the laptops of one person were ever enrolled here. */
export const numbersOf = statement<{ school: string; user: string }>()(({ db, t: { sync_peer: of }, p }) =>
  db
    .select({ node_id: of.node_id })
    .from(of)
    .where(and(eq(of.school_id, p.school), eq(of.side, 'child'), eq(of.user_id, p.user))),
)
const childrenOf = statement<{ school: string }>()(({ db, t: { sync_peer: of }, p }) =>
  db
    .select({ node_id: of.node_id, highest_counter: of.highest_counter })
    .from(of)
    .where(and(eq(of.school_id, p.school), eq(of.side, 'child'))),
)
const otherServers = statement<{ school: string }>()(({ db, t: { sync_peer: of }, p }) =>
  db
    .select({ node_id: of.node_id })
    .from(of)
    .where(and(eq(of.side, 'child'), eq(of.kind, 'school'), ne(of.school_id, p.school))),
)

/** Up to which of its writes each number that was ever enrolled here has been heard: none of them has yet to come by its own way. */
export async function heardOf(tx: ReadTx, school: string): Promise<ReadonlyMap<string, number>> {
  return new Map((await childrenOf(tx, { school })).map(({ node_id, highest_counter }) => [node_id, highest_counter]))
}

/** A record of a conflict is made by rule, under one dot. */
const BY_RULE = 1

/**
 * For which writers a child answers in a push that ends at its number `to`, and up to which counter. A laptop: for the numbers of its one
 * person's laptops. A school's server: for whoever is not this node, `epoch`, nor another school's server; whose writes came to it from below
 * is not known here. What a number wrote that this node has ended may come back by it (SPEC, «Incarnations»).
 */
export async function writersOf(tx: ReadTx, { kind, school_id, user_id, node_id }: Peer, epoch: string, to: number): Promise<Limits> {
  const school = school_id as string
  const isLaptop = kind === 'laptop'
  const named = isLaptop ? await numbersOf(tx, { school, user: user_id ?? '' }) : await otherServers(tx, { school })
  const listed = new Set(named.map((each) => each.node_id))
  // A school brings back what this node has written and forgotten: under no number that it has yet to use.
  const used = isLaptop ? 0 : (await tx.dialect.feedOf(tx.connection, school)).seq
  return (table, isKnown) => {
    // Of people another feed counts, whose place a push does not say.
    const own = descriptions[table].scope === 'commons' ? Number.MAX_SAFE_INTEGER : to
    return (node) => {
      if (node === node_id) return own
      if (node === MADE_BY_RULE) return BY_RULE
      if (node === epoch) return isKnown || descriptions[table].scope === 'commons' ? 0 : used
      return listed.has(node) === isLaptop ? Number.MAX_SAFE_INTEGER : 0
    }
  }
}
