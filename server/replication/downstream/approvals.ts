import type { Row } from '@markbook/shared/tables/tables'
import { contentOf } from '@markbook/sync/merge/settle'
import { isSame, pick } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import { knownRows } from '../../store/replica/states.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { SENT_BACK } from '../scope/normal-form.ts'
import { idIn, Rights } from './judge.rights.ts'

type Book = Row<'report_book'>

const booksById = rowsBy('report_book', { school: 'school_id', ids: { in: 'id' } }, { lock: true, orderBy: ['id'] })
const entriesById = rowsBy('report_book_entry', { school: 'school_id', ids: { in: 'id' } }, { columns: ['report_book_id'] })
const entriesOf = rowsBy('report_book_entry', { school: 'school_id', books: { in: 'report_book_id' } }, { orderBy: ['id'] })

/** What a report card prints of each book, by the book's id. */
async function contentsOf(tx: ReadTx, school: string, books: readonly Book[]): Promise<Map<string, unknown>> {
  const entries = await entriesOf(tx, { school, books: JSON.stringify(books.map(({ id }) => id)) })
  return new Map(
    books.map((book) => [
      book.id,
      contentOf(
        book,
        entries.filter(({ report_book_id }) => report_book_id === book.id),
      ),
    ]),
  )
}

/**
 * Call before a laptop's page is applied; call the returned function afterwards. That function removes approvals of books whose content the
 * page changed, and restores the reason of books that were sent back and that the page emptied (docs/design/reports.md). `withEntries`: ids
 * of books in whose entries the page writes.
 */
export async function watchApprovals(
  tx: WriteTx,
  school: string,
  rows: readonly Carried[],
  withEntries: ReadonlySet<string>,
): Promise<() => Promise<void>> {
  const ids = JSON.stringify([
    ...new Set([...withEntries, ...rows.flatMap(({ table, state }) => (table === 'report_book' ? [state.id] : []))]),
  ])
  const read = async (is: (book: Book) => boolean) => (ids === '[]' ? [] : (await booksById(tx, { school, ids })).filter(is))
  const decided = await read(({ approved_at, sent_back_at }) => approved_at !== null || sent_back_at !== null)
  if (decided.length === 0) return async () => {}
  const approved = new Map(decided.flatMap((book) => (book.approved_at === null ? [] : [[book.id, book]])))
  const sentBack = new Map(decided.flatMap((book) => (book.sent_back_at === null ? [] : [[book.id, book]])))
  const before = await contentsOf(tx, school, [...approved.values()])
  return async () => {
    const standing = await read(({ id, approved_at, approved_by }) => {
      const earlier = approved.get(id)
      return approved_at !== null && earlier?.approved_at === approved_at && earlier.approved_by === approved_by
    })
    const emptied = await read(({ id, approved_at, sent_back_at }) => approved_at === null && sent_back_at === null && sentBack.has(id))
    const unread = await changedFrom(tx, school, standing, before)
    const taken = await takenByOthers(tx, school, emptied)
    await tx.update('report_book', [
      ...unread.map((book) => ({ before: book, patch: { approved_at: null, approved_by: null } })),
      ...taken.map((book) => ({ before: book, patch: pick(sentBack.get(book.id) as Book, SENT_BACK) })),
    ])
  }
}

/**
 * The books whose content is no longer what it was in `before`: whoever approved them has not read the new content. The caller leaves out
 * books whose approval came with the page.
 */
async function changedFrom(tx: ReadTx, school: string, books: readonly Book[], before: ReadonlyMap<string, unknown>): Promise<Book[]> {
  const after = await contentsOf(tx, school, books)
  return books.filter(({ id }) => !isSame(before.get(id), after.get(id)))
}

/**
 * The books whose `sent_back_…` columns were emptied by somebody who is no administrator. Whoever changes a book that is approved as far as
 * they know takes the approval away, and did not know that it had been sent back. The write is not refused: whatever was written with it
 * would be refused too.
 */
async function takenByOthers(tx: ReadTx, school: string, books: readonly Book[]): Promise<Book[]> {
  const rights = new Rights(tx, school)
  const known = await knownRows(
    tx,
    'report_book',
    school,
    books.map(({ id }) => id),
  )
  const taken: Book[] = []
  for (const book of books) {
    const [, , , actor] = known.get(book.id)?.state.units['approval'] ?? []
    if (!actor || !(await rights.isAdministrator(actor))) taken.push(book)
  }
  return taken
}

/**
 * Ids of the books in whose entries a page writes: the book that the page names, and for a known entry also the book that it belongs to
 * here.
 */
export async function booksWithEntries(tx: ReadTx, school: string, rows: readonly Carried[]): Promise<ReadonlySet<string>> {
  const entries = rows.flatMap(({ table, state }) => (table === 'report_book_entry' ? [state] : []))
  if (entries.length === 0) return new Set()
  const known = await entriesById(tx, { school, ids: JSON.stringify(entries.map(({ id }) => id)) })
  const named = entries.flatMap(({ values }) => idIn(values, 'report_book_id') ?? [])
  return new Set([...named, ...known.map(({ report_book_id }) => report_book_id)])
}
