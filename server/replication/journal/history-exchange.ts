import { limits } from '@markbook/shared/limits'
import type { Replicated, Row, Tables } from '@markbook/shared/tables/tables'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import type { Carried } from '@markbook/sync/protocol/page'
import { and, asc, eq, gt, inArray, isNull, lte, not, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Dialect } from '../../store/dialect.ts'
import type { Peer } from '../../store/peer-row.ts'
import { knownRows } from '../../store/replica/states.ts'
import { nearIdOf } from '../../store/row-changes.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { parentsOf } from '../identity/enrolment.ts'
import { OF_BOOKS, type Scope, within } from '../scope/scope.ts'
import { entryColumns, proved, provedAlone, type StoredEntry } from './signed-history.ts'

// History between nodes: entries travel with the rows, up and down.

/** Numbers of this node's feed: after `after`, up to and with `upTo`. */
type Span = { after: number; upTo: number }

/** The entries that did not come from `nodes`, a JSON array of numbers. */
const notTold = ({ source_id }: Tables['history'], nodes: Placeholder, { inList }: Dialect): SQL | undefined =>
  or(isNull(source_id), not(inList(source_id as never, nodes)))

const entriesIn = statement<Span & { school: string; notFrom: string }>()(({ db, t: { history }, p, dialect }) =>
  db
    .select(entryColumns(history))
    .from(history)
    .where(and(eq(history.school_id, p.school), gt(history.seq, p.after), lte(history.seq, p.upTo), notTold(history, p.notFrom, dialect)))
    .orderBy(asc(history.seq)),
)
/** The sizes of one entry more than a page has room for. */
const weightsAfter = statement<{ school: string; after: number; notFrom: string }>()(({ db, t: { history }, p, dialect }) =>
  db
    .select({ seq: history.seq, size: sql<number>`length(${history.changes})` })
    .from(history)
    .where(and(eq(history.school_id, p.school), gt(history.seq, p.after), notTold(history, p.notFrom, dialect)))
    .orderBy(asc(history.seq))
    .limit(limits.sync.pageHistoryEntries + 1),
)
const entriesOfRows = statement<{ school: string; nears: string; rows: string; from: string }>()(({ db, t: { history }, p, dialect }) =>
  db
    .select(entryColumns(history))
    .from(history)
    .where(
      and(
        eq(history.school_id, p.school),
        dialect.inList(history.near_id as never, p.nears),
        dialect.inList(history.row_id as never, p.rows),
        dialect.inList(history.source_id as never, p.from),
      ),
    )
    .orderBy(asc(history.seq)),
)
export const storedEntries = rowsBy('history', { school: 'school_id', ids: { in: 'id' } }, { columns: ['id'] })

/**
 * The feed number up to which the history after `after` fits into a page; greater than any where all of it fits. `notFrom`: entries that
 * came from these nodes do not count.
 */
export async function lastOfPage(
  tx: ReadTx,
  school: string,
  { after, notFrom }: { after: number; notFrom: readonly string[] },
): Promise<number> {
  const entries = await weightsAfter(tx, { school, after, notFrom: JSON.stringify(notFrom) })
  let room: number = limits.sync.pageChangesLength
  const beyond = entries.find(({ size }, at) => {
    room -= Number(size)
    return room < 0 || at === limits.sync.pageHistoryEntries
  })
  return beyond ? Math.max(beyond.seq - 1, after + 1) : Number.MAX_SAFE_INTEGER
}

const plain = ({ school_id: _, seq: __, source_id: ___, ...entry }: StoredEntry): HistoryEntry => entry

/** The entries of whole transactions. */
async function entriesOf(tx: ReadTx, school: string, span: Span, notFrom: readonly string[]): Promise<HistoryEntry[]> {
  const entries: StoredEntry[] = await entriesIn(tx, { school, ...span, notFrom: JSON.stringify(notFrom) })
  return entries.map(plain)
}

type To = { peer: Peer; secret: string }
/** The rows of a page, and the feed number up to which it goes. */
type Sent = { to: number; rows: readonly Carried[] }

/**
 * The entries for a parent: what this node wrote, and what came from its children. Left out are entries that this parent wrote or sent; and
 * those that a laptop has from another parent, from which they come anyway, except those that the rows of the page need as proof.
 */
export async function entriesForParent(tx: ReadTx, { peer, secret }: To, { to, rows }: Sent): Promise<HistoryEntry[]> {
  const { school_id, own_seq, node_id, user_id } = peer
  const school = school_id as string
  const parents = user_id === null ? [] : await parentsOf(tx)
  const others = parents.map((each) => each.node_id).filter((node) => node !== node_id)
  const all = await entriesOf(tx, school, { after: own_seq, upTo: to }, [node_id, ...others])
  const isTold = ({ node_id: node }: HistoryEntry) => node !== node_id
  const own = await proved(tx, school, secret, all.filter(isTold), all)
  const known = new Set(own.map(({ id }) => id))
  const isFirst = parents[0]?.id === peer.id
  const seen = others.length > 0 ? await entriesNamed(tx, { school, secret, from: others, isFirst }, rows) : []
  return [...own, ...seen.filter((entry) => isTold(entry) && !known.has(entry.id))]
}

type Dot = readonly [node: string, counter: number]
/** The writes of a row that a page must prove. */
type Named = { near: string; row: string; dots: readonly Dot[] }

/** For each row of a page: the writes that it bears, and the last that it has seen of each number. For a conflict: the lost write. */
async function named(tx: ReadTx, school: string, rows: readonly Carried[]): Promise<Named[]> {
  const all: Named[] = []
  for (const { table, state } of rows) {
    const { id, values, vv, units } = state
    if (table !== 'sync_conflict') {
      const stamps = Object.values(units).map(([node, counter]): Dot => [node, counter])
      all.push({ near: nearIdOf(table, { ...values, id }), row: id, dots: [...Object.entries(vv), ...stamps] })
      continue
    }
    const { entity, row_id: row, node_id, counter } = values as Row<'sync_conflict'>
    const of = entity as Replicated
    const known = (await knownRows(tx, of, school, [row])).get(row)
    all.push({ near: nearIdOf(of, { ...known?.state.values, id: row }), row, dots: [[node_id, counter]] })
  }
  return all
}

type Reading = { school: string; secret: string; from: readonly string[]; isFirst: boolean }

/**
 * Entries that came from other parents (`from`) and that prove rows of a page: of each write that these name. Nothing else proves to this
 * parent that the writes were made. The first parent gets every entry of these rows, as far as there is room: it may have been put back,
 * and only the entries between show that the writers had seen what stands there.
 */
async function entriesNamed(tx: ReadTx, { school, secret, from, isFirst }: Reading, rows: readonly Carried[]): Promise<HistoryEntry[]> {
  const wanted = await named(tx, school, rows)
  const dots = new Set(wanted.flatMap(({ row, dots }) => dots.map(([node, counter]) => `${row} ${node} ${counter}`)))
  const ids = (list: readonly string[]) => JSON.stringify([...new Set(list)])
  const asked = { nears: ids(wanted.map(({ near }) => near)), rows: ids(wanted.map(({ row }) => row)), from: ids(from) }
  const stored: StoredEntry[] = await entriesOfRows(tx, { school, ...asked })
  const isNamed = ({ row_id, node_id, node_seq }: StoredEntry) => dots.has(`${row_id} ${node_id} ${node_seq}`)
  const told = stored.filter(isNamed)
  if (isFirst) told.push(...stored.filter((entry) => !isNamed(entry)).slice(-limits.sync.pageHistoryEntries))
  if (told.length === 0) return []
  const { history } = tx.t
  const seqs = [...new Set(told.map(({ seq }) => seq))]
  // Also the entries that came together with them: one of these bears the signature.
  const all = (await tx.db
    .select(entryColumns(history))
    .from(history)
    .where(and(eq(history.school_id, school), inArray(history.seq, seqs)))
    .orderBy(asc(history.seq))) as StoredEntry[]
  return proved(tx, school, secret, told.map(plain), all.map(plain))
}

/** The entries for a child: those that it neither wrote nor sent, of rows whose history it may hold. */
export async function entriesForChild(tx: ReadTx, { peer, scope, secret }: To & { scope: Scope }, span: Span): Promise<HistoryEntry[]> {
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
 * Stores entries that came from `source`: of other nodes, or of this one under an ended number. Each is stored once, however often and from
 * however many nodes it comes. A child's entries were judged before (judge.history.ts); a parent's reply is signed as a whole.
 */
export async function takeEntries(tx: WriteTx, school: string, entries: readonly HistoryEntry[], source: string): Promise<void> {
  if (entries.length === 0) return
  const stored = await storedEntries(tx, { school, ids: JSON.stringify(entries.map(({ id }) => id)) })
  const known = new Set(stored.map(({ id }) => id))
  const fresh = entries.filter(({ id }) => !known.has(id))
  tx.replica.recordReceived(
    school,
    [],
    provedAlone(fresh, entries).map(({ detail, ...entry }) => ({ ...entry, ...(detail !== null && { detail }), source_id: source })),
  )
}
