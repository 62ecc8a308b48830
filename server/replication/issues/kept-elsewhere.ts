import { descriptions, type Row } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import { covers, textToVersions, type Versions } from '@markbook/sync/versions'
import { and, eq, isNotNull, isNull, lte, ne } from 'drizzle-orm'
import { pick } from '../../store/conditions.ts'
import { incarnations } from '../../store/node.ts'
import type { Peer } from '../../store/peer-row.ts'
import { idsByTable, keyOf, keyOfRow, type RowName, scopeIn } from '../../store/replica/links.ts'
import { knownByKey, versionsByKey } from '../../store/replica/states.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { AWAITS_PERSON } from '../scope/consent.ts'
import { enrolmentsOf } from './child-refusals.ts'

type Entry = Pick<Row<'sync_refused'>, 'id' | 'table_name' | 'row_id' | 'unit' | 'peer_id' | 'parent_id'> & {
  node_id: string
  counter: number
}

/**
 * Closes entries on the list of refused writes whose write another node has taken, or keeps as a conflict. Call before the rows of a page
 * of `from` are applied. Call the returned function after that, with the rows of which something was refused meanwhile.
 */
export async function watchRefused(
  tx: WriteTx,
  from: Peer,
  rows: readonly Carried[],
): Promise<(refused: readonly RowName[]) => Promise<void>> {
  const school = from.school_id as string
  const before = await openEntries(tx, school)
  // The usual case.
  if (before.length === 0)
    return async (refused) => {
      if (refused.length > 0) await close(tx, await recordedHere(tx, school, await openEntries(tx, school)))
    }
  const stateByKey = new Map(rows.map((row) => [keyOfRow(row), row.state]))
  const concerned = before.filter((entry) => stateByKey.has(keyIn(entry)))
  const unseen = await unseenHere(tx, from, concerned)
  const arrived = await arrivedAt(tx, from, concerned, stateByKey)
  return async (refused) => {
    const records = rows.flatMap(({ table, state: { values } }) =>
      table === 'sync_conflict' ? [keyOf({ table: String(values['entity']), id: String(values['row_id']) })] : [],
    )
    const near = new Set([...stateByKey.keys(), ...records, ...refused.map(keyOf)])
    const entries = (await openEntries(tx, school)).filter((entry) => near.has(keyIn(entry)))
    await close(tx, [...arrived, ...(await recordedHere(tx, school, entries)), ...(await seenHere(tx, school, unseen))])
  }
}

/**
 * At a laptop whose first parent has answered for this node's feed up to `to`, and for that of people up to `people`: closes what other
 * parents refused of rows in it, since the first has them.
 */
export async function settleAnswered(tx: WriteTx, first: Peer, { to, people }: { to: number; people: number }): Promise<void> {
  const school = first.school_id as string
  const ofOthers = (await openEntries(tx, school)).filter(({ peer_id, parent_id }) => peer_id === null && parent_id !== first.id)
  const versions = new Map<string, Versions>()
  for (const [table, ids] of idsByTable(ofOthers.map(rowIn))) {
    const upTo = descriptions[table].scope === 'commons' ? people : to
    const stored = await rowsUpTo(tx, { scope: scopeIn(table, school), table, ids: JSON.stringify(ids), upTo })
    for (const row of stored) versions.set(keyOf({ table, id: row.row_id }), textToVersions(row))
  }
  await close(
    tx,
    ofOthers.filter((entry) => hasSeen(versions.get(keyIn(entry)), entry)),
  )
}
const rowsUpTo = statement<{ scope: string; table: string; ids: string; upTo: number }>()(({ db, t: { sync_row: of }, p, dialect }) =>
  db
    .select({ row_id: of.row_id, vv: of.vv, units: of.units })
    .from(of)
    .where(and(eq(of.school_id, p.scope), eq(of.table_name, p.table), dialect.inList(of.row_id as never, p.ids), lte(of.seq, p.upTo))),
)

/** The row that an entry is about. */
const rowIn = ({ table_name: table, row_id: id }: Entry): RowName => ({ table, id })
const keyIn = (entry: Entry) => keyOf(rowIn(entry))

const openHere = statement<{ school: string }>()(({ db, t: { sync_refused: of }, p }) =>
  db
    .select(pick(of, 'id', 'table_name', 'row_id', 'unit', 'peer_id', 'parent_id', 'node_id', 'counter'))
    .from(of)
    .where(and(eq(of.school_id, p.school), isNull(of.seen_at), isNotNull(of.node_id), ne(of.code, AWAITS_PERSON))),
)
const openEntries = async (tx: ReadTx, school: string): Promise<Entry[]> => (await openHere(tx, { school })) as Entry[]

/**
 * Entries that the parent `from` refused and whose write its own state of the row covers by now. Not of this node's own writes: of these
 * the parent has seen only that they were given up.
 */
async function arrivedAt(tx: ReadTx, from: Peer, entries: readonly Entry[], stateByKey: ReadonlyMap<string, RowState>): Promise<Entry[]> {
  const theirs = entries.filter(({ parent_id }) => parent_id === from.id)
  if (theirs.length === 0) return []
  const own = new Set(await incarnations(tx))
  return theirs.filter((entry) => !own.has(entry.node_id) && hasSeen(stateByKey.get(keyIn(entry)), entry))
}

/** Entries that were refused to nodes below, other than those that send now, and whose write this node has not seen yet. */
async function unseenHere(tx: ReadTx, from: Peer, entries: readonly Entry[]): Promise<Entry[]> {
  const below = entries.filter(({ peer_id }) => peer_id !== null)
  if (below.length === 0) return []
  const senders = from.side === 'child' ? await enrolmentsOf(tx, from) : []
  const ofOthers = below.filter(({ peer_id }) => !senders.includes(peer_id as string))
  const versions = await versionsByKey(tx, from.school_id as string, ofOthers.map(rowIn))
  return ofOthers.filter((entry) => !covers(versions.get(keyIn(entry))?.vv ?? {}, [entry.node_id, entry.counter]))
}
async function seenHere(tx: ReadTx, school: string, entries: readonly Entry[]): Promise<Entry[]> {
  const known = await knownByKey(tx, school, entries.map(rowIn))
  return entries.filter((entry) => hasSeen(known.get(keyIn(entry))?.state, entry))
}
/**
 * Whether these versions have the write of an entry. A child that gives way to a refusal covers the write too, by nobody: that does not
 * count.
 */
function hasSeen(versions: Pick<Versions, 'vv' | 'units'> | undefined, { unit, node_id, counter }: Entry): boolean {
  if (!versions || !covers(versions.vv, [node_id, counter])) return false
  const stamp = versions.units[unit]
  if (!stamp) return false
  const [writer, last, , actor] = stamp
  return writer !== node_id || actor !== null || last === counter
}

const recordsOf = rowsBy(
  'sync_conflict',
  { school: 'school_id', table: 'entity', ids: { in: 'row_id' } },
  { columns: ['row_id', 'unit', 'node_id', 'counter'] },
)

/** Entries whose write is kept as a conflict, decided or not. */
async function recordedHere(tx: ReadTx, school: string, entries: readonly Entry[]): Promise<Entry[]> {
  const records = new Set<string>()
  for (const [table, ids] of idsByTable(entries.map(rowIn)))
    for (const record of await recordsOf(tx, { school, table, ids: JSON.stringify(ids) })) records.add(writeOf(record))
  return entries.filter((entry) => records.has(writeOf(entry)))
}
const writeOf = ({ row_id, unit, node_id, counter }: Pick<Entry, 'row_id' | 'unit' | 'node_id' | 'counter'>) =>
  [row_id, unit, node_id, counter].join(' ')

async function close(tx: WriteTx, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return
  const ids = JSON.stringify(entries.map(({ id }) => id))
  await tx.local
    .update(tx.t.sync_refused)
    .set({ seen_at: tx.now })
    .where(tx.dialect.inList(tx.t.sync_refused.id as never, ids))
}
