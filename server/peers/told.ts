import { limits } from '@markbook/shared/limits'
import type { Replicated, Row, Tables } from '@markbook/shared/tables/tables'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { and, asc, eq, getTableColumns, gt, isNull, lte, not, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Dialect } from '../store/dialect.ts'
import { knownRows } from '../store/replica/states.ts'
import { statement } from '../store/statement.ts'
import type { ReadTx, WriteTx } from '../store/tx.ts'
import { parentsOf } from './enrolment.ts'
import { OF_BOOKS, type Scope, within } from './scope.ts'
import { proved, provedAlone } from './signed-history.ts'

/** What nodes tell each other of the history: up with the rows, and down with the rows. */
type Peer = Row<'sync_peer'>
/** Numbers of this node's feed, the first left out. */
type Span = { after: number; upTo: number }

/** `nodes` is a JSON array: those that told the entry here have it. */
const notTold = ({ source_id }: Tables['history'], nodes: Placeholder, { inList }: Dialect): SQL | undefined =>
  or(isNull(source_id), not(inList(source_id as never, nodes)))

/** Changes stay the text that they are stored as. */
const entriesIn = statement<Span & { school: string; notFrom: string }>()(({ db, t: { history }, p, dialect }) =>
  db
    .select({ ...getTableColumns(history), changes: sql<string>`${history.changes}` })
    .from(history)
    .where(and(eq(history.school_id, p.school), gt(history.seq, p.after), lte(history.seq, p.upTo), notTold(history, p.notFrom, dialect)))
    .orderBy(asc(history.seq)),
)
/** One more than a page has room for. */
const weightsAfter = statement<{ school: string; after: number; notFrom: string }>()(({ db, t: { history }, p, dialect }) =>
  db
    .select({ seq: history.seq, size: sql<number>`length(${history.changes})` })
    .from(history)
    .where(and(eq(history.school_id, p.school), gt(history.seq, p.after), notTold(history, p.notFrom, dialect)))
    .orderBy(asc(history.seq))
    .limit(limits.sync.pageHistory + 1),
)
export const storedEntries = statement<{ school: string; ids: string }>()(({ db, t: { history }, p, dialect }) =>
  db
    .select({ id: history.id })
    .from(history)
    .where(and(eq(history.school_id, p.school), dialect.inList(history.id as never, p.ids))),
)

/**
 * Up to which number of the feed the history after another fits into a page; beyond all that there is, where all of it does. `notFrom`:
 * what these nodes told here is left out.
 */
export async function lastOfPage(
  tx: ReadTx,
  school: string,
  { after, notFrom }: { after: number; notFrom: readonly string[] },
): Promise<number> {
  const entries = await weightsAfter(tx, { school, after, notFrom: JSON.stringify(notFrom) })
  let room: number = limits.sync.pageChanges
  const beyond = entries.find(({ size }, at) => {
    room -= Number(size)
    return room < 0 || at === limits.sync.pageHistory
  })
  return beyond ? Math.max(beyond.seq - 1, after + 1) : Number.MAX_SAFE_INTEGER
}

/** Every entry of whole transactions. */
async function entriesOf(tx: ReadTx, school: string, span: Span, notFrom: readonly string[]): Promise<HistoryEntry[]> {
  const entries = await entriesIn(tx, { school, ...span, notFrom: JSON.stringify(notFrom) })
  return entries.map(({ school_id: _, seq: __, source_id: ___, ...entry }) => entry)
}

type To = { peer: Peer; secret: string }

/**
 * For a parent: what this node wrote, and what others told it. What that parent wrote or told here it has; and what a laptop has from one
 * parent comes to the other without it.
 */
export async function toldUp(tx: ReadTx, { peer, secret }: To, to: number): Promise<HistoryEntry[]> {
  const { school_id, own_seq, node_id, user_id } = peer
  const school = school_id as string
  const notFrom = user_id === null ? [node_id] : [node_id, ...(await parentsOf(tx)).map((each) => each.node_id)]
  const all = await entriesOf(tx, school, { after: own_seq, upTo: to }, notFrom)
  const isTold = ({ node_id: node }: HistoryEntry) => node !== node_id
  return proved(tx, school, secret, all.filter(isTold), all)
}

/** For a child: what it neither wrote itself nor told here, of rows whose past it may hold. */
export async function toldDown(tx: ReadTx, { peer, scope, secret }: To & { scope: Scope }, span: Span): Promise<HistoryEntry[]> {
  const { school_id, node_id } = peer
  const school = school_id as string
  const all = await entriesOf(tx, school, span, [node_id])
  const entries = all.filter((entry) => entry.node_id !== node_id && scope.hasPast(entry.entity))
  return proved(tx, school, secret, scope.books ? await withoutOthersBooks(tx, school, scope, entries) : entries, all)
}

async function withoutOthersBooks(tx: ReadTx, school: string, scope: Scope, entries: readonly HistoryEntry[]): Promise<HistoryEntry[]> {
  const held = new Set<string>()
  for (const table of OF_BOOKS) {
    const ids = entries.filter(({ entity }) => entity === table).map(({ row_id }) => row_id)
    const rows = [...(await knownRows(tx, table, school, [...new Set(ids)])).values()].map(({ state }) => ({ table, state }))
    for (const { state } of await within(tx, school, scope, rows)) held.add(state.id)
  }
  return entries.filter(({ entity, row_id }) => !OF_BOOKS.includes(entity as Replicated) || held.has(row_id))
}

/**
 * Entries that other nodes wrote, or this one under a number that it has ended, as `source` told them, into this database: each once, however
 * often it comes and by how many ways. What a child tells was verified before (`judge.history.ts`); a parent's reply is signed whole.
 */
export async function takeTold(tx: WriteTx, school: string, entries: readonly HistoryEntry[], source: string): Promise<void> {
  if (entries.length === 0) return
  const stored = await storedEntries(tx, { school, ids: JSON.stringify(entries.map(({ id }) => id)) })
  const known = new Set(stored.map(({ id }) => id))
  const fresh = entries.filter(({ id }) => !known.has(id))
  tx.replica.bring(
    school,
    [],
    provedAlone(fresh, entries).map(({ detail, ...entry }) => ({ ...entry, ...(detail !== null && { detail }), source_id: source })),
  )
}
