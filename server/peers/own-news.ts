import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import type { Carried } from '@markbook/sync/protocol/page'
import { and, asc, eq, getTableColumns, gt, lte, sql } from 'drizzle-orm'
import { readFeed, readPeople, withPeople } from '../store/replica/feed.ts'
import { statement } from '../store/statement.ts'
import type { ReadTx } from '../store/tx.ts'
import { parentsOf } from './enrolment.ts'

type Peer = Row<'sync_peer'>

/** Changes stay the text that they are stored as. */
const entriesUpTo = statement<{ school: string; after: number; upTo: number }>()(({ db, t: { history }, p }) =>
  db
    .select({ ...getTableColumns(history), changes: sql<string>`${history.changes}` })
    .from(history)
    .where(and(eq(history.school_id, p.school), gt(history.seq, p.after), lte(history.seq, p.upTo)))
    .orderBy(asc(history.seq)),
)
/** The number of the first entry that a page has no room for. */
const entryBeyond = statement<{ school: string; after: number }>()(({ db, t: { history }, p }) =>
  db
    .select({ seq: history.seq })
    .from(history)
    .where(and(eq(history.school_id, p.school), gt(history.seq, p.after)))
    .orderBy(asc(history.seq))
    .limit(1)
    .offset(limits.sync.pageHistory),
)

export type News = { rows: Carried[]; to: number; people: number; isLast: boolean }

/** Rows of the school since the acknowledged number, with the people whom they name and those who changed. A laptop's is one person's. */
export async function ownNews(tx: ReadTx, peer: Peer): Promise<News> {
  const school = peer.school_id as string
  const limit = limits.sync.pageRows
  const secrets = peer.user_id === null
  // What one parent of a laptop sent reaches the other without it: nobody takes from a laptop what others wrote.
  const others = peer.node_id === COMMONS ? [] : (await parentsOf(tx)).map(({ node_id }) => node_id)
  const [beyond] = await entryBeyond(tx, { school, after: peer.own_seq })
  const upTo = beyond && Math.max(beyond.seq - 1, peer.own_seq + 1)
  const own = await readFeed(tx, school, {
    after: peer.own_seq,
    limit,
    notFrom: [peer.node_id, ...others],
    ...(upTo !== undefined && { upTo }),
  })
  const people = await readPeople(tx, school, { after: peer.own_people, limit, secrets })
  const named = secrets ? await withPeople(tx, own.rows, { secrets }) : own.rows
  const rows = [...new Map([...people.rows, ...named].map((row) => [`${row.table}:${row.state.id}`, row])).values()]
  return { rows, to: own.to, people: people.to, isLast: own.isLast && people.isLast }
}

/** What this node wrote, and what its children did and it took: a parent tells no history, so that none of it is the parent's. */
export async function historyUpTo(tx: ReadTx, peer: Peer, to: number): Promise<HistoryEntry[]> {
  const entries = await entriesUpTo(tx, { school: peer.school_id as string, after: peer.own_seq, upTo: to })
  return entries.map(({ school_id: _, seq: __, ...entry }) => entry)
}
