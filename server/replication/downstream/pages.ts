import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Replicated } from '@markbook/shared/tables/tables'
import { type Cursor, cursorToText, textToCursor } from '@markbook/sync/protocol/cursor'
import { type HistoryEntry, packEntries } from '@markbook/sync/protocol/entries'
import type { Page } from '@markbook/sync/protocol/messages'
import { type Carried, packRows } from '@markbook/sync/protocol/page'
import { and, desc, eq, gt, isNull, ne } from 'drizzle-orm'
import { numbersHad } from '../../store/node.ts'
import type { Peer } from '../../store/peer-row.ts'
import { type CopyPlace, readCopy, readFeed, withConflicts } from '../../store/replica/feed.ts'
import { keyOfRow } from '../../store/replica/links.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import type { SealKeys } from '../identity/own-keys.ts'
import { parentOfSchool } from '../identity/parent-state.ts'
import { withCheckpoint } from '../incarnation/checkpoint.ts'
import { entriesForChild, lastOfPage } from '../journal/history-exchange.ts'
import { isBelowFloor } from '../scope/missed-deletions.ts'
import { booksLeft, withParts } from '../scope/moved-books.ts'
import { changedPeople, withNamed } from '../scope/people.ts'
import { type Scope, scopeOf, within } from '../scope/scope.ts'
import { resealed } from '../scope/secrets.ts'

type PageRequest = { cursor: string | null; scope: string | null }

/**
 * The next page of a school for a child (SPEC, «Pull»). A first copy begins where the cursor is null, of another epoch or below the floor,
 * and where the scope has changed. The child saves the page's cursor together with its rows.
 */
export async function nextPage(tx: ReadTx, peer: Peer, epoch: string, asked: PageRequest, keys: SealKeys): Promise<Page> {
  const school = peer.school_id as string
  const scope = await scopeOf(tx, peer)
  const known = textToCursor(asked.cursor)
  const isInScope = asked.scope === null || asked.scope === scope.text
  const goesOn = known && known.epoch === epoch && isInScope && !(await isBelowFloor(tx, school, epoch, asked.cursor))
  const cursor = goesOn ? known : await beginning(tx, school, epoch)
  const read = await readOn(tx, { peer, scope, secret: keys.secret }, cursor)
  const rows = await within(tx, school, scope, read.rows)
  return {
    epoch,
    cursor: cursorToText(await withCheckpoint(tx, peer, read.cursor, keys.own)),
    tables: packRows(scope.secrets ? resealed(rows, keys.own, keys.shared) : rows),
    is_last: read.isLast,
    total: read.total,
    copied: read.copied,
    scope: scope.text,
    above: (await parentOfSchool(tx, school))?.own_seq ?? null,
    history: packEntries(read.told),
    ...(scope.books && { left: booksLeft(read.rows, rows) }),
  }
}

/** For whom a page is read. */
type Reader = { peer: Peer; scope: Scope; secret: string }

function readOn(tx: ReadTx, reader: Reader, cursor: Cursor): Promise<Read> {
  if (cursor.kind === 'copy') return copyOn(tx, reader, cursor)
  return cursor.kind === 'history' ? historyOn(tx, reader, cursor) : feedOn(tx, reader, cursor)
}

async function beginning(tx: ReadTx, school: string, epoch: string): Promise<Cursor> {
  const [own, people] = [await tx.dialect.feedOf(tx.connection, school), await tx.dialect.feedOf(tx.connection, COMMONS)]
  return { kind: 'copy', epoch, seq: own.seq, people: people.seq, table: FIRST, after: COMMONS, copied: 0 }
}
const FIRST: Replicated = 'school'

/** Rows of a page. Marks are small and many: with few of them the cost of a page would mostly be that of its commit. */
const rowsAtOnce = (table: Replicated) => (table === 'grade' ? limits.sync.copyPageMarks : limits.sync.pageRows)

type Read = { rows: Carried[]; told: HistoryEntry[]; cursor: Cursor; isLast: boolean; total: number | null; copied: number | null }

async function copyOn(tx: ReadTx, { peer, scope }: Reader, cursor: Cursor & { kind: 'copy' }): Promise<Read> {
  const school = peer.school_id as string
  const place: CopyPlace = { table: cursor.table as Replicated, after: cursor.after }
  const { rows, next } = await readCopy(tx, school, place, rowsAtOnce(place.table))
  const copied = cursor.copied + rows.length
  const total = await tx.dialect.countVersions(tx.connection, school)
  const { epoch, seq, people } = cursor
  const whole = await withConflicts(tx, school, await withNamed(tx, school, scope, rows))
  // After the rows a school's server gets all earlier history; a laptop only what it missed because its parent began anew.
  const after = peer.kind === 'laptop' ? await heardSince(tx, peer, { epoch, seq }) : 0
  const last: Cursor = after === null ? { kind: 'feed', epoch, seq, people } : { kind: 'history', epoch, seq, people, after }
  return { rows: whole, told: [], cursor: next ? { ...cursor, ...next, copied } : last, isLast: false, total, copied }
}

const writtenBefore = statement<{ school: string; epoch: string; after: number }>()(({ db, t: { history }, p }) =>
  db
    .select({ seq: history.seq })
    .from(history)
    .where(and(eq(history.school_id, p.school), gt(history.seq, p.after), isNull(history.source_id), ne(history.node_id, p.epoch)))
    .orderBy(desc(history.seq))
    .limit(1),
)
const lastEntries = statement<{ school: string }>()(({ db, t: { history }, p }) =>
  db
    .select({ seq: history.seq })
    .from(history)
    .where(eq(history.school_id, p.school))
    .orderBy(desc(history.seq))
    .limit(1)
    .offset(limits.sync.pageHistoryEntries),
)

/**
 * The feed number after which a laptop is told history with a copy; null where it is told none. A laptop that was enrolled before this
 * database began anew copies for that reason: it gets the history since then, at most one page.
 */
async function heardSince(
  tx: ReadTx,
  { school_id, enrolled_at }: Peer,
  { epoch, seq }: { epoch: string; seq: number },
): Promise<number | null> {
  const school = school_id as string
  const current = (await numbersHad(tx)).find(({ id }) => id === epoch)
  if (!current || enrolled_at >= current.at) return null
  const [beyond] = await lastEntries(tx, { school })
  const [own] = await writtenBefore(tx, { school, epoch, after: beyond?.seq ?? 0 })
  const after = own?.seq ?? beyond?.seq ?? 0
  return after < seq ? after : null
}

/** The history up to where a copy began. It comes after the rows, since nobody waits for it. */
async function historyOn(tx: ReadTx, reader: Reader, cursor: Cursor & { kind: 'history' }): Promise<Read> {
  const { peer } = reader
  const { epoch, seq, people, after } = cursor
  const upTo = Math.min(seq, await lastOfPage(tx, peer.school_id as string, { after, notFrom: [peer.node_id] }))
  const told = await entriesForChild(tx, reader, { after, upTo })
  const onward: Cursor = upTo < seq ? { ...cursor, after: upTo } : { kind: 'feed', epoch, seq, people }
  return { rows: [], told, cursor: onward, isLast: false, total: null, copied: null }
}

async function feedOn(tx: ReadTx, reader: Reader, cursor: Cursor & { kind: 'feed' }): Promise<Read> {
  const { peer, scope } = reader
  const { epoch, seq, people } = cursor
  const school = peer.school_id as string
  const limit = limits.sync.pageRows
  const span = {
    after: seq,
    limit,
    notFrom: [peer.node_id],
    upTo: await lastOfPage(tx, school, { after: seq, notFrom: [peer.node_id] }),
  }
  const own = await readFeed(tx, school, span)
  const of = await changedPeople(tx, school, scope, { after: people, limit })
  const rows = [...of.rows, ...(await withNamed(tx, school, scope, await withParts(tx, school, scope, own.rows)))]
  return {
    rows: unique(rows),
    told: await entriesForChild(tx, reader, { after: seq, upTo: own.to }),
    cursor: { kind: 'feed', epoch, seq: own.to, people: of.to },
    isLast: own.isLast && of.isLast,
    total: null,
    copied: null,
  }
}

const unique = (rows: readonly Carried[]) => [...new Map(rows.map((row) => [keyOfRow(row), row])).values()]
