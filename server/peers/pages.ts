import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { type Cursor, cursorToText, textToCursor } from '@markbook/sync/protocol/cursor'
import type { Page } from '@markbook/sync/protocol/messages'
import { type Carried, packRows, packSheets } from '@markbook/sync/protocol/page'
import { type CopyPlace, readCopy, readFeed, readPeople, withConflicts, withPeople } from '../store/replica/feed.ts'
import type { ReadTx } from '../store/tx.ts'
import { passedOn } from './above.ts'
import { isBelowFloor } from './gone.ts'
import { type Scope, scopeOf, within } from './scope.ts'
import { resealed } from './secrets.ts'

type Peer = Row<'sync_peer'>
/** Keys of sealed columns: this node's own, and the one that it shares with the peer. */
export type SealKeys = { own: Buffer; shared: Buffer }

/**
 * The next page of a school for a child (SPEC, «The wire»). A cursor of another epoch, or none, begins a first copy; so does a scope that
 * has grown since. The page's cursor is to be saved with its rows.
 */
export async function nextPage(
  tx: ReadTx,
  peer: Peer,
  epoch: string,
  asked: { cursor: string | null; scope: string | null; sheets?: boolean | undefined },
  keys: SealKeys,
): Promise<Page> {
  const school = peer.school_id as string
  const scope = await scopeOf(tx, peer)
  const known = textToCursor(asked.cursor)
  const isInScope = asked.scope === null || asked.scope === scope.text
  const goesOn = known && known.epoch === epoch && isInScope && !(await isBelowFloor(tx, school, epoch, asked.cursor))
  const cursor = goesOn ? known : await beginning(tx, school, epoch)
  const read = cursor.kind === 'copy' ? await copyOn(tx, school, cursor, scope) : await feedOn(tx, school, cursor, scope, peer)
  const rows = await within(tx, school, scope, read.rows)
  const pack = asked.sheets ? packSheets : packRows
  const tables = pack(scope.secrets ? resealed(rows, keys.own, keys.shared) : rows)
  return {
    epoch,
    cursor: cursorToText(read.cursor),
    tables,
    is_last: read.isLast,
    total: read.total,
    copied: read.copied,
    scope: scope.text,
    above: await passedOn(tx, school),
  }
}

async function beginning(tx: ReadTx, school: string, epoch: string): Promise<Cursor> {
  const [own, people] = [await tx.dialect.feedOf(tx.line, school), await tx.dialect.feedOf(tx.line, COMMONS)]
  return { kind: 'copy', epoch, seq: own.seq, people: people.seq, table: FIRST, after: COMMONS, copied: 0 }
}
const FIRST: Replicated = 'school'

/** What a page costs by itself, above all a commit, is the most of it where rows are as small and as many as marks. */
const rowsAtOnce = (table: Replicated) => (table === 'grade' ? limits.sync.copyMarks : limits.sync.pageRows)

type Read = { rows: Carried[]; cursor: Cursor; isLast: boolean; total: number | null; copied: number | null }

async function copyOn(tx: ReadTx, school: string, cursor: Cursor & { kind: 'copy' }, scope: Scope): Promise<Read> {
  const place: CopyPlace = { table: cursor.table as Replicated, after: cursor.after }
  const { rows, next } = await readCopy(tx, school, place, rowsAtOnce(place.table))
  const copied = cursor.copied + rows.length
  const total = await tx.dialect.countVersions(tx.line, school)
  const { epoch, seq, people } = cursor
  const onward: Cursor = next ? { ...cursor, ...next, copied } : { kind: 'feed', epoch, seq, people }
  const whole = await withConflicts(tx, school, await withPeople(tx, rows, scope))
  return { rows: whole, cursor: onward, isLast: false, total, copied }
}

async function feedOn(tx: ReadTx, school: string, { epoch, seq, people }: Cursor, scope: Scope, peer: Peer): Promise<Read> {
  const limit = limits.sync.pageRows
  const own = await readFeed(tx, school, { after: seq, limit, notFrom: [peer.node_id] })
  const of = await readPeople(tx, school, { after: people, limit, secrets: scope.secrets })
  const rows = [...of.rows, ...(await withPeople(tx, own.rows, scope))]
  return {
    rows: unique(rows),
    cursor: { kind: 'feed', epoch, seq: own.to, people: of.to },
    isLast: own.isLast && of.isLast,
    total: null,
    copied: null,
  }
}

const unique = (rows: readonly Carried[]) => [...new Map(rows.map((row) => [`${row.table}:${row.state.id}`, row])).values()]
