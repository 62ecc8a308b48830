import { textToExtra } from '@markbook/sync/extra'
import { textToVersions, type Versions } from '@markbook/sync/versions'
import { knownRows, rowsById, rowsNaming } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { type ChangeMessage, changeMessage } from './messages.ts'
import { behind, lastIdOf, type Position } from './offsets.ts'
import { type ClassPlace, type Found, isFirst, isMadeSince, operationFor, type Reader } from './operations.ts'
import type { AnyRow } from './shape-tables.ts'
import { type Entry, entriesById, entriesFrom, entriesOfTable, knownBefore } from './shapes.queries.ts'

/** `to`: the reader's position after these messages. `isLast`: that is the end of the feed, `head`. */
export type ShapePage = { messages: ChangeMessage[]; to: Position; isLast: boolean }

/** One report book has about a dozen entries. */
const ROWS_OF_A_BOOK = 10

/** The next page of a shape, about `limit` rows, from one snapshot. */
export async function readPage(tx: ReadTx, reader: Reader, from: Position, head: number, limit: number): Promise<ShapePage> {
  const { table, began } = reader
  const { entries, isLast } = await nextEntries(tx, reader, from, table.through ? Math.ceil(limit / ROWS_OF_A_BOOK) : limit)
  const own = entries.filter(({ table_name }) => table_name === table.name)
  const books = entries.filter(({ table_name, seq }) => table_name !== table.name && seq > began).map(({ row_id }) => row_id)
  const found = [...(await ofBooks(tx, reader, books, from)), ...(await withRows(tx, reader, own))]
  const classOf = await classesOf(tx, reader, found)
  const since = found.filter(({ entry }) => entry.seq > began)
  const again = await madeAnew(tx, reader, since, from)
  const messages = found.flatMap((each, at) => {
    const facts = { place: classOf(each), isAnew: again.has(each.entry.row_id) }
    const operation = operationFor(reader, from, each, facts)
    if (operation === null) return []
    const { entry, row } = each
    const when = isFirst(reader, each) ? null : { seq: Math.max(entry.seq, from.next), at }
    return [changeMessage(table, reader.columns, operation, seen(row ?? { id: entry.row_id }, reader), when)]
  })
  const last = entries.at(-1)
  return { messages, to: isLast || !last ? behind(head) : { next: last.seq, upTo: last.row_id }, isLast }
}

/** A row without the columns that its reader may not see. */
const seen = (row: AnyRow, { scope: { hidden } }: Reader): AnyRow =>
  hidden.size === 0 ? row : ({ ...row, ...Object.fromEntries([...hidden].map((column) => [column, null])) } as AnyRow)

async function nextEntries(tx: ReadTx, { school, table, began }: Reader, from: Position, limit: number) {
  if (from.next <= 1 && from.upTo === null) {
    const all = await entriesOfTable(tx, { school, table: table.name, limit: limit + 1 })
    if (all.length <= limit && all.every(({ seq }) => seq <= began)) return { entries: all, isLast: true }
  }
  const input = { school, table: table.name, other: table.through ?? table.name }
  const entries = await entriesFrom(tx, { ...input, next: from.next, lastId: lastIdOf(from), limit: limit + 1 })
  return { entries: entries.slice(0, limit), isLast: entries.length <= limit }
}

async function withRows(tx: ReadTx, { school, table }: Reader, entries: readonly Entry[]): Promise<Found[]> {
  const ids = entries.map(({ row_id }) => row_id)
  const rows = new Map((await rowsById(tx, table.name, school, ids)).map((row) => [row.id, row]))
  return entries.map((entry) => ({ entry, row: rows.get(entry.row_id) ?? null, again: false }))
}

/** Entries of books that have changed: their figures and their class follow from the book, and have no feed number of their own. */
async function ofBooks(tx: ReadTx, { school, table }: Reader, books: readonly string[], from: Position): Promise<Found[]> {
  if (books.length === 0) return []
  const rows = await rowsNaming(tx, table.name, school, 'report_book_id', books)
  const known = new Map(rows.map((row) => [row.id, row]))
  const entries = await entriesById(tx, { school, table: table.name, ids: JSON.stringify([...known.keys()]) })
  // An entry with its own number that the reader has not reached is sent with that number.
  return entries.filter(({ seq }) => seq < from.next).map((entry) => ({ entry, row: known.get(entry.row_id) ?? null, again: true }))
}

/** The class by which a row is, or was, readable, and the stamp of the write that set it. */
async function classesOf(tx: ReadTx, { school, table, scope }: Reader, found: readonly Found[]): Promise<(each: Found) => ClassPlace> {
  const { classColumn, classUnit, through } = table
  if (classColumn === null || scope.classes === null) return () => ({ id: null, stamp: null })
  const read = ({ entry, row }: Found, column: string) => ((row ?? lastOf(entry))?.[column] as string | undefined) ?? null
  const stampIn = (units: Versions['units'] | undefined) => (classUnit === null ? null : (units?.[classUnit] ?? null))
  if (!through) return (each) => ({ id: read(each, classColumn), stamp: stampIn(textToVersions(each.entry).units) })
  const books = new Set(found.flatMap((each) => read(each, 'report_book_id') ?? []))
  const known = await knownRows(tx, through, school, [...books])
  return (each) => {
    const book = known.get(read(each, 'report_book_id') ?? '')?.state
    return { id: (book?.values[classColumn] as string | undefined) ?? null, stamp: stampIn(book?.units) }
  }
}

const lastOf = ({ extra }: Entry): AnyRow | null => (textToExtra(extra)?.last as AnyRow | undefined) ?? null

/** Of the rows that seem to be created since, those that were only created again. */
async function madeAnew(tx: ReadTx, { school, table, nodeId }: Reader, found: readonly Found[], from: Position): Promise<Set<string>> {
  const ids = found.filter((each) => isMadeSince(nodeId, from, each)).map(({ entry }) => entry.row_id)
  if (ids.length === 0) return new Set()
  const known = await knownBefore(tx, { school, table: table.name, ids: JSON.stringify(ids), next: from.next })
  return new Set(known.map(({ row_id }) => row_id))
}
