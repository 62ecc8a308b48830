import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { and, desc, eq } from 'drizzle-orm'
import { digestOf, headAfter } from '../../store/history-chain.ts'
import { setPeer } from '../../store/peer-row.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { syncFailures } from '../identity/enrolment.ts'
import { storedEntries } from '../journal/history-exchange.ts'
import { restamp } from './restamp.ts'

/**
 * A laptop and a copy of it both wrote under `node` and told two parents, and the two histories meet here. Of the writes that came from one
 * of them, those after `after` are its own.
 */
class DuplicateNumber extends Error {
  constructor(
    readonly school: string,
    readonly node: string,
    readonly after: number,
    /** Whether that one is the node that sends now. */
    readonly isSpeaker: boolean,
  ) {
    super('a laptop and a copy of it write under one number')
  }
}

/** Stands in the place of a peer's head. No history has it, so a child that greets under that number learns that it must begin anew. */
export const NO_HEAD = 'twofold'

/** A transaction of a node's history: its counter, its head, and the digest from which the head was chained. */
type Link = { node_seq: number; head: string; digest: string }
const follows = ({ head, digest }: Link, before: string) => headAfter(before, digest) === head

/** The laptops with these numbers; locked in a write, so that no other process takes history of them meanwhile. */
const laptopsOf = rowsBy(
  'sync_peer',
  { school: 'school_id', nodes: { in: 'node_id' } },
  { columns: ['id', 'node_id', 'history_head'], where: { side: 'child', kind: 'laptop' }, orderBy: ['id'], lock: true },
)
const headOf = rowsBy('sync_peer', { id: 'id' }, { columns: ['history_head'] })
const peersUnder = rowsBy(
  'sync_peer',
  { school: 'school_id', node: 'node_id' },
  { columns: ['id', 'own_seq'], where: { side: 'child' }, lock: true },
)
const lastOf = rowsBy(
  'history',
  { school: 'school_id', node: 'node_id' },
  { columns: ['node_seq', 'head'], orderBy: [{ desc: 'seq' }, { desc: 'node_seq' }], limit: 1 },
)
const chainOf = statement<{ school: string; node: string }>()(({ db, t: { history }, p }) =>
  db
    .selectDistinct({ node_seq: history.node_seq, head: history.head })
    .from(history)
    .where(and(eq(history.school_id, p.school), eq(history.node_id, p.node)))
    .orderBy(desc(history.node_seq)),
)

/**
 * Throws `DuplicateNumber` where entries of a laptop do not continue what that laptop told here itself: they are of a copy of it, or it is
 * the copy. `speaker`: the enrolment of the child that tells the entries; null for a parent.
 */
export async function demandSingleWriter(
  tx: ReadTx,
  school: string,
  entries: readonly HistoryEntry[],
  speaker: string | null,
): Promise<void> {
  if (entries.length === 0) return
  // A laptop that must begin anew, whatever it says.
  if (speaker !== null && (await headOf(tx, { id: speaker }))[0]?.history_head === NO_HEAD) throw syncFailures.staleSession()
  const nodes = JSON.stringify([...new Set(entries.map(({ node_id }) => node_id))])
  for (const { id, node_id: node, history_head: head } of await laptopsOf(tx, { school, nodes })) {
    const isSpeaker = id === speaker
    // Nothing can contradict a laptop that has told nothing here.
    if (head === NO_HEAD || (head === null && !isSpeaker)) continue
    const fresh = await freshLinks(
      tx,
      school,
      entries.filter((entry) => entry.node_id === node),
    )
    let [last] = fresh.length > 0 ? await lastOf(tx, { school, node }) : []
    for (const link of fresh) {
      if (last && (link.node_seq <= last.node_seq || !follows(link, last.head)))
        throw new DuplicateNumber(school, node, await forkOf(tx, school, node, link), isSpeaker)
      last = link
    }
  }
}

/** The transactions that are not stored here yet, by counter. */
async function freshLinks(tx: ReadTx, school: string, entries: readonly HistoryEntry[]): Promise<Link[]> {
  if (entries.length === 0) return []
  const stored = await storedEntries(tx, { school, ids: JSON.stringify(entries.map(({ id }) => id)) })
  const known = new Set(stored.map(({ id }) => id))
  const byNumber = new Map<number, HistoryEntry[]>()
  for (const entry of entries) if (!known.has(entry.id)) byNumber.set(entry.node_seq, [...(byNumber.get(entry.node_seq) ?? []), entry])
  return [...byNumber]
    .sort(([a], [b]) => a - b)
    .map(([node_seq, own]) => ({
      node_seq,
      head: (own[0] as HistoryEntry).head,
      digest: digestOf(own.map((entry) => ({ ...entry, near_id: entry.near_id ?? entry.row_id }))),
    }))
}

/** The last counter that both histories have in common; 0 where nothing shows it. */
async function forkOf(tx: ReadTx, school: string, node: string, link: Link): Promise<number> {
  const chain = await chainOf(tx, { school, node })
  return chain.find(({ node_seq, head }) => node_seq < link.node_seq && follows(link, head))?.node_seq ?? 0
}

/**
 * Runs `take`, which takes what another node sends. Where that throws `DuplicateNumber`, the writes of the laptop that spoke here are
 * stamped anew as this database's own before anything is merged with them: so they stay other writes than those of the copy. Then `take`
 * runs again. The laptop learns at its next greeting that it must begin anew. Throws `sync.stale_session` where it is the one that sends.
 */
export async function withSingleWriter<T>(store: Store, take: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await take()
    } catch (error) {
      if (!(error instanceof DuplicateNumber) || tries === MOST_TRIES) throw error
      await partWays(store, error)
      if (error.isSpeaker) throw syncFailures.staleSession()
    }
  }
}
/** One for each copy of which a page tells. */
const MOST_TRIES = 8

async function partWays(store: Store, { school, node, after, isSpeaker }: DuplicateNumber): Promise<void> {
  await store.write(asSystem(), async (tx) => {
    // The laptop may be pushing: what it pushes now is stamped anew with the rest, and its next push is refused.
    const peers = await peersUnder(tx, { school, node })
    // What the sender tells was not taken yet, and what came of its copy stays the copy's.
    if (!isSpeaker) await restamp(tx, school, [{ node, acknowledged: after }])
    for (const { id, own_seq } of peers) await setPeer(tx, id, { own_seq: Math.min(own_seq, after), history_head: NO_HEAD })
  })
}
