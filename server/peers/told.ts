import { limits } from '@markbook/shared/limits'
import type { Replicated, Row, Tables } from '@markbook/shared/tables/tables'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { and, asc, eq, getTableColumns, gt, isNull, lte, ne, or, type Placeholder, sql } from 'drizzle-orm'
import { incarnations } from '../store/node.ts'
import { knownRows } from '../store/replica/states.ts'
import { statement } from '../store/statement.ts'
import type { ReadTx, WriteTx } from '../store/tx.ts'
import { OF_BOOKS, type Scope, within } from './scope.ts'

/** What nodes tell each other of the history: up with the rows, and down with the rows. */
type Peer = Row<'sync_peer'>
type Span = { after: number; upTo: number }

const notTold = ({ source_id }: Tables['history'], node: Placeholder) => or(isNull(source_id), ne(source_id, node))

/** Changes stay the text that they are stored as. */
const entriesIn = statement<Span & { school: string; notFrom: string }>()(({ db, t: { history }, p }) =>
  db
    .select({ ...getTableColumns(history), changes: sql<string>`${history.changes}` })
    .from(history)
    .where(and(eq(history.school_id, p.school), gt(history.seq, p.after), lte(history.seq, p.upTo), notTold(history, p.notFrom)))
    .orderBy(asc(history.seq)),
)
/** One more than a page has room for. */
const weightsAfter = statement<{ school: string; after: number; notFrom: string }>()(({ db, t: { history }, p }) =>
  db
    .select({ seq: history.seq, size: sql<number>`length(${history.changes})` })
    .from(history)
    .where(and(eq(history.school_id, p.school), gt(history.seq, p.after), notTold(history, p.notFrom)))
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
 * Up to which number of the feed the history after another fits into a page; beyond all that there is, where all of it does. `notFrom`: a
 * node to which nothing is told again that it told here.
 */
export async function lastOfPage(tx: ReadTx, school: string, { after, notFrom }: { after: number; notFrom: string }): Promise<number> {
  const entries = await weightsAfter(tx, { school, after, notFrom })
  let room: number = limits.sync.pageChanges
  const beyond = entries.find(({ size }, at) => {
    room -= Number(size)
    return room < 0 || at === limits.sync.pageHistory
  })
  return beyond ? Math.max(beyond.seq - 1, after + 1) : Number.MAX_SAFE_INTEGER
}

async function entriesOf(
  tx: ReadTx,
  school: string,
  span: Span & { notFrom: string },
  isTold: (node: string) => boolean,
): Promise<HistoryEntry[]> {
  const entries = await entriesIn(tx, { school, ...span })
  return entries.filter(({ node_id }) => isTold(node_id)).map(({ school_id: _, seq: __, source_id: ___, ...entry }) => entry)
}

/**
 * For a parent: what this node wrote, and what its children did and it took. What that parent wrote or told here it has. A laptop tells what it wrote
 * itself: nobody takes from it what others did.
 */
export async function toldUp(tx: ReadTx, { school_id, own_seq, node_id, user_id }: Peer, to: number): Promise<HistoryEntry[]> {
  const own = user_id === null ? null : new Set(await incarnations(tx))
  const span = { after: own_seq, upTo: to, notFrom: node_id }
  return entriesOf(tx, school_id as string, span, (node) => own?.has(node) ?? node !== node_id)
}

/** For a child: what it neither wrote itself nor told here, of rows whose past it may hold. */
export async function toldDown(tx: ReadTx, { school_id, node_id }: Peer, scope: Scope, span: Span): Promise<HistoryEntry[]> {
  const school = school_id as string
  const entries = (await entriesOf(tx, school, { ...span, notFrom: node_id }, (node) => node !== node_id)).filter(({ entity }) =>
    scope.hasPast(entity),
  )
  if (!scope.books) return entries
  const held = new Set<string>()
  for (const table of OF_BOOKS) {
    const ids = entries.filter(({ entity }) => entity === table).map(({ row_id }) => row_id)
    const rows = [...(await knownRows(tx, table, school, [...new Set(ids)])).values()].map(({ state }) => ({ table, state }))
    for (const { state } of await within(tx, school, scope, rows)) held.add(state.id)
  }
  return entries.filter(({ entity, row_id }) => !OF_BOOKS.includes(entity as Replicated) || held.has(row_id))
}

/**
 * Entries that other nodes wrote, as `source` told them, into this database: each once, however often it comes and by how many ways. What this database wrote
 * itself it has, or has lost with a disk: its own chain takes nothing from others.
 */
export async function takeTold(tx: WriteTx, school: string, entries: readonly HistoryEntry[], source: string): Promise<void> {
  if (entries.length === 0) return
  const stored = await storedEntries(tx, { school, ids: JSON.stringify(entries.map(({ id }) => id)) })
  const [known, own] = [new Set(stored.map(({ id }) => id)), new Set(await incarnations(tx))]
  const fresh = entries.filter(({ id, node_id }) => !known.has(id) && !own.has(node_id))
  tx.replica.bring(
    school,
    [],
    fresh.map((entry) => ({ ...entry, near_id: entry.near_id ?? entry.row_id, source_id: source })),
  )
}
