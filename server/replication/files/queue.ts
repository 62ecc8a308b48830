import { toInstant } from '@markbook/shared/clock'
import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { type FileTable, fileTables } from '@markbook/sync/protocol/files'
import { and, asc, count, eq, gt, inArray, lte, notInArray } from 'drizzle-orm'
import { keyOf, type RowName } from '../../store/replica/links.ts'
import { asSystem, type ReadTx, type WriteTx } from '../../store/tx.ts'
import { parentsOf, peerById } from '../identity/enrolment.ts'
import { type RowOfFile, rowsOfFiles } from './named.ts'
import { type Carrying, eachOf, heldOf, LOOKUPS_AT_ONCE } from './store-file.ts'

type Peer = Pick<Row<'sync_peer'>, 'id' | 'school_id' | 'node_id'>
export type Queued = RowOfFile & { direction: 'up' | 'down'; tries: number }
type FilePosition = Pick<Row<'sync_file_place'>, 'epoch' | 'seq' | 'people'>

/**
 * The next rows with files in this node's feeds. `place`: how far the feeds have been looked at, to be saved once the queue has the rows.
 */
type Look = { rows: RowOfFile[]; place: FilePosition; more: boolean }

const NOWHERE = { seq: 0, people: 0 }
/** Where nothing concerned files, a place is saved only after so many feed numbers: fewer are sooner read again. */
const WORTH_SAVING = 5_000

/**
 * Rows with files that came or changed since the last look; null where there are none. For a parent with a new epoch, and for a new
 * enrolment, that is every row: so what either has lost is found.
 */
async function lookForNew(tx: ReadTx, { id, school_id, node_id: epoch }: Peer): Promise<Look | null> {
  const school = school_id as string
  const { sync_file_place } = tx.t
  const [known] = await tx.db.select().from(sync_file_place).where(eq(sync_file_place.peer_id, id))
  const { seq, people } = known?.epoch === epoch ? known : NOWHERE
  const own = await changed(tx, school, seq)
  const of = await changed(tx, COMMONS, people)
  const moved = own.to - seq + of.to - people
  if (known?.epoch === epoch && own.entries.length + of.entries.length === 0 && moved < WORTH_SAVING) return null
  const rows = [...(await rowsOfFiles(tx, school, own.entries)), ...(await rowsOfFiles(tx, COMMONS, of.entries))]
  return { rows, place: { epoch, seq: own.to, people: of.to }, more: own.more || of.more }
}

type Entry = RowName<FileTable>

/** The rows of whole transactions; only a transaction that is larger makes more than a batch. */
async function changed(tx: ReadTx, school: string, after: number): Promise<{ entries: Entry[]; to: number; more: boolean }> {
  const { seq: head } = await tx.dialect.feedOf(tx.connection, school)
  if (head <= after) return { entries: [], to: after, more: false }
  const { sync_row } = tx.t
  const since = and(eq(sync_row.school_id, school), gt(sync_row.seq, after), inArray(sync_row.table_name, [...fileTables]))
  const select = (where: typeof since, limit: number) =>
    tx.db
      .select({ table: sync_row.table_name, id: sync_row.row_id, seq: sync_row.seq })
      .from(sync_row)
      .where(where)
      .orderBy(asc(sync_row.seq))
      .limit(limit)
  const found = (await select(since, limits.sync.files.perQuery + 1)) as (Entry & { seq: number })[]
  if (found.length <= limits.sync.files.perQuery) return { entries: found, to: head, more: false }
  const last = found.at(-1)?.seq as number
  const whole = found.filter(({ seq }) => seq < last)
  if (whole.length > 0) return { entries: whole, to: last - 1, more: true }
  const all = await select(and(since, lte(sync_row.seq, last)), Number.MAX_SAFE_INTEGER)
  return { entries: all as Entry[], to: last, more: true }
}

/** Puts the files of rows that came or changed since the last look into the queue for a parent. Needs no line. */
export async function enqueueFiles({ store, files }: Pick<Carrying, 'store' | 'files'>, peerId: string): Promise<void> {
  for (let more = true; more; ) {
    const look = await store.read(asSystem(), async (tx) => {
      const peer = await peerById(tx, peerId)
      return peer ? lookForNew(tx, peer) : null
    })
    if (!look) return
    const rows = look.rows.map((row) => ({ ...row, isHere: false }))
    await eachOf(rows, LOOKUPS_AT_ONCE, async (row) => {
      row.isHere = row.file !== null && (await heldOf({ files }, row.file)) !== null
    })
    await store.write(asSystem(), (tx) => enqueue(tx, peerId, rows, look.place))
    more = look.more
  }
}

/**
 * Puts rows into the queue, those that are in it already to its front, and takes out those that name no file any more. Saves the place of
 * the look.
 */
async function enqueue(
  tx: WriteTx,
  peerId: string,
  rows: readonly (RowOfFile & { isHere: boolean })[],
  place: FilePosition,
): Promise<void> {
  const { sync_file, sync_file_place } = tx.t
  for (const { table, id, file, isHere } of rows) {
    await tx.local.delete(tx.t.sync_file).where(placeIn(tx, peerId, { table, id }))
    if (!file) continue
    const direction = isHere ? 'up' : 'down'
    const fresh = { peer_id: peerId, table_name: table, row_id: id, direction, tries: 0, next_at: tx.now, reason: null } as const
    await tx.local.insert(tx.t.sync_file).values(fresh)
  }
  // What is left of ended enrolments goes too.
  const others = (await parentsOf(tx)).map(({ id }) => id).filter((id) => id !== peerId)
  await tx.local.delete(tx.t.sync_file_place).where(notInArray(sync_file_place.peer_id, others))
  await tx.local.delete(tx.t.sync_file).where(notInArray(sync_file.peer_id, [...others, peerId]))
  await tx.local.insert(tx.t.sync_file_place).values({ peer_id: peerId, ...place })
}

type Which = { dueOnly: boolean; limit: number }
/** The queue, or the part of it that is due, least tried first: a file that always fails holds up no other. */
export async function queuedOf(tx: ReadTx, { id, school_id }: Peer, { dueOnly, limit }: Which): Promise<Queued[]> {
  const { sync_file } = tx.t
  const found: Row<'sync_file'>[] = await tx.db
    .select()
    .from(sync_file)
    .where(and(eq(sync_file.peer_id, id), dueOnly ? lte(sync_file.next_at, tx.now) : undefined))
    .orderBy(asc(sync_file.tries), asc(sync_file.next_at), asc(sync_file.table_name), asc(sync_file.row_id))
    .limit(limit)
  const entries = found.map((row) => ({ table: row.table_name as FileTable, id: row.row_id }))
  const rows = await rowsOfFiles(tx, school_id as string, entries)
  const known = new Map(found.map((row) => [keyOf({ table: row.table_name, id: row.row_id }), row]))
  return rows.map((row) => {
    const { direction, tries } = known.get(keyOf(row)) as Row<'sync_file'>
    return { ...row, direction, tries }
  })
}

const placeIn = ({ t: { sync_file } }: ReadTx, peerId: string, { table, id }: Entry) =>
  and(eq(sync_file.peer_id, peerId), eq(sync_file.table_name, table), eq(sync_file.row_id, id))

/** Takes rows out of the queue: nothing is left to do for them. */
export async function settle(tx: WriteTx, peerId: string, rows: readonly Entry[]): Promise<void> {
  for (const row of rows) await tx.local.delete(tx.t.sync_file).where(placeIn(tx, peerId, row))
}

export type Later = Entry & { direction: 'up' | 'down'; tries: number; reason: string }

/** Each row waits longer than the last time. Wrong content is asked for once a day in the end. */
export async function postpone(tx: WriteTx, peerId: string, rows: readonly Later[]): Promise<void> {
  const { retryFirstMs, retryMaxMs, retryWrongContentMs } = limits.sync.files
  for (const row of rows) {
    const { direction, tries, reason } = row
    const ms = Math.min(retryFirstMs * 2 ** Math.min(tries, 30), reason === WRONG ? retryWrongContentMs : retryMaxMs)
    const next_at = toInstant(tx.nowMs + ms)
    await tx.local
      .update(tx.t.sync_file)
      .set({ direction, tries: tries + 1, next_at, reason })
      .where(placeIn(tx, peerId, row))
  }
}
export const WRONG = 'sync.wrong_content'

/** A file came by another way: it is tried at once with every parent that has it queued. */
export async function hurry(tx: WriteTx, { table, id }: Entry): Promise<void> {
  const { sync_file } = tx.t
  const of = and(eq(sync_file.table_name, table), eq(sync_file.row_id, id))
  await tx.local.update(tx.t.sync_file).set({ tries: 0, next_at: tx.now }).where(of)
}

/** Empties the queue: every row is looked at again, and all is tried at once. */
export async function lookAgain(tx: WriteTx, peerId: string): Promise<void> {
  const { sync_file, sync_file_place } = tx.t
  await tx.local.delete(tx.t.sync_file).where(eq(sync_file.peer_id, peerId))
  await tx.local.delete(tx.t.sync_file_place).where(eq(sync_file_place.peer_id, peerId))
}

/** When the next row is due; null where none waits. */
export async function nextDue(tx: ReadTx, peerId: string): Promise<string | null> {
  const { sync_file } = tx.t
  const [first] = await tx.db
    .select({ at: sync_file.next_at })
    .from(sync_file)
    .where(eq(sync_file.peer_id, peerId))
    .orderBy(asc(sync_file.next_at))
    .limit(1)
  return first?.at ?? null
}

/** How many files wait to come from a parent, and to go to it. */
export async function filesWaiting(tx: ReadTx, peerId: string): Promise<{ down: number; up: number }> {
  const { sync_file } = tx.t
  const found = await tx.db
    .select({ direction: sync_file.direction, count: count() })
    .from(sync_file)
    .where(eq(sync_file.peer_id, peerId))
    .groupBy(sync_file.direction)
  const of = (direction: 'up' | 'down') => found.find((each) => each.direction === direction)?.count ?? 0
  return { down: of('down'), up: of('up') }
}
