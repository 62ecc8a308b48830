import { createHash } from 'node:crypto'
import { getTableName, type Table } from 'drizzle-orm'
import { type Encoder, encodedValues, encodersOf } from './column-encoders.ts'
import type { Connection } from './connection.ts'
import type { FeedWrite, HistoryWrite, SyncRowWrite } from './dialect.rows.ts'
import { columnNames, endingOf, keyOf, memo, quoted, SYNC_ROW_UPDATE } from './dialect.texts.ts'

type AnyRow = Readonly<Record<string, unknown>>
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const marks = (names: readonly string[]) => names.map(() => '?')
const assigned = (names: readonly string[]) => names.map((name) => `${quoted(name)} = ?`)

const insertText = memo(
  (table: Table, how) =>
    `insert into ${quoted(getTableName(table))} (${columnNames(table).map(quoted)}) values (${marks(columnNames(table))})${endingOf(table, how)}`,
)
const updateText = memo(
  (table: Table, columns) =>
    `update ${quoted(getTableName(table))} set ${assigned(columns.split(','))} where ${assigned(keyOf(table)).join(' and ')}`,
)
/** Converts rows lazily: an array of a page's thousands of converted rows would survive several garbage collections. */
function* inTurn<T, R>(rows: Iterable<T>, make: (row: T) => R): Generator<R> {
  for (const row of rows) yield make(row)
}

/**
 * Writes one row at a time: the database is in this process, and binding one statement for many rows costs more than it saves
 * (docs/design/store.md).
 */
export async function sqliteWrite(connection: Connection, table: Table, rows: Iterable<AnyRow>, how: string): Promise<void> {
  const columns = encodersOf(table)
  await connection.runEach(
    insertText(table, how),
    inTurn(rows, (row) => encodedValues(row, columns)),
  )
}

/** A plain update, since SQLite has no policies. Throws where a row does not exist, which only a bug can cause. */
export async function sqliteUpdate(
  connection: Connection,
  table: Table,
  rows: readonly AnyRow[],
  columns: readonly string[],
): Promise<void> {
  const names = [...columns, ...keyOf(table)]
  const encoders = names.map((name) => encodersOf(table).find((each) => each.name === name) as Encoder)
  const changed = await connection.runEach(
    updateText(table, columns.join(',')),
    inTurn(rows, (row) => encodedValues(row, encoders)),
  )
  if (changed !== rows.length) throw new Error(`${getTableName(table)}: of ${rows.length} rows to change ${changed} are there`)
}

const VERSIONS = ['seq', 'vv', 'units', 'deleted', 'schema', 'extra', 'source_id', 'settled'] as const
const SYNC_ROW = ['school_id', 'table_name', 'row_id', ...VERSIONS]
const NEW_VERSIONS = `insert into sync_row (${SYNC_ROW}) values (${marks(SYNC_ROW)})`
const ANY_VERSIONS = `${NEW_VERSIONS} ${SYNC_ROW_UPDATE}`
const KNOWN_VERSIONS = `update sync_row set ${assigned(VERSIONS)} where rowid = ?`
const HISTORY = [
  'id',
  'school_id',
  'seq',
  'node_seq',
  'at',
  'actor_id',
  'node_id',
  'entity',
  'row_id',
  'near_id',
  'action',
  'changes',
  'detail',
  'head',
  'proof',
  'source_id',
]
const NEW_HISTORY = `insert into history (${HISTORY}) values (${marks(HISTORY)}) on conflict do nothing`
/** SQLite has no digest function: each writing connection registers `chained`. */
const FEED = `
  insert into sync_feed (school_id, seq, head) values (?, 1, chained('', ?))
  on conflict (school_id) do update set seq = seq + 1, head = chained(head, ?) returning seq, head`
/** The head of a chain after one more transaction; unchanged where that wrote no history here. */
export const chained = (head: string, digest: string): string => (digest === '' ? head : sha256(head + digest))

/** WAL pages of 4 KB before a checkpoint. The pages of a class's marks are rewritten many times before one. */
export const LOG_PAGES = { usual: 4_000, most: 40_000 } as const

/** Placeholder in the texts of versions for the feed number, which is not drawn yet. */
const PENDING_JSON = '"#"'
/** Caches the result, since many rows of a transaction have the same text. */
function counter(seq: number): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const counted = known.get(text) ?? text.replaceAll(PENDING_JSON, String(seq))
    known.set(text, counted)
    return counted
  }
}
const versionsOf = (row: SyncRowWrite, seq: number, counted: (text: string) => string) => [
  seq,
  counted(row.vv),
  counted(row.units),
  row.deleted ? 1 : 0,
  row.schema,
  row.extra,
  row.source_id,
  row.settled ? 1 : 0,
]
const historyOf = (entry: HistoryWrite, { schoolId, seq, head }: { schoolId: string; seq: number; head: string }) => [
  entry.id,
  schoolId,
  seq,
  entry.node_seq ?? seq,
  entry.at,
  entry.actor_id,
  entry.node_id,
  entry.entity,
  entry.row_id,
  entry.near_id,
  entry.action,
  entry.changes,
  entry.detail ?? null,
  entry.head ?? head,
  entry.proof ?? null,
  entry.source_id ?? null,
]

export async function sqliteAdvance(connection: Connection, { schoolId, digest, rows, history }: FeedWrite): Promise<void> {
  const [feed] = await connection.rows<{ seq: number; head: string }>(FEED, [schoolId, digest, digest])
  const { seq, head } = feed as { seq: number; head: string }
  const counted = counter(seq)
  const isThere = ({ place }: SyncRowWrite) => typeof place === 'number'
  const whole = (row: SyncRowWrite) => [schoolId, row.table_name, row.row_id, ...versionsOf(row, seq, counted)]
  await connection.runEach(
    KNOWN_VERSIONS,
    inTurn(rows.filter(isThere), (row) => [...versionsOf(row, seq, counted), row.place]),
  )
  await connection.runEach(
    NEW_VERSIONS,
    inTurn(
      rows.filter(({ place }) => place === null),
      whole,
    ),
  )
  await connection.runEach(
    ANY_VERSIONS,
    inTurn(
      rows.filter(({ place }) => place === undefined),
      whole,
    ),
  )
  await connection.runEach(
    NEW_HISTORY,
    inTurn(history, (entry) => historyOf(entry, { schoolId, seq, head })),
  )
}
