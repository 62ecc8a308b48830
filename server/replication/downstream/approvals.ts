import type { Row } from '@markbook/shared/tables/tables'
import { contentOf } from '@markbook/sync/merge/settle'
import { isSame } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { idIn } from './judge.rights.ts'

type Book = Row<'report_book'>

const approvedBooks = rowsBy('report_book', { school: 'school_id', ids: { in: 'id' } }, { lock: true, orderBy: ['id'] })
const entriesById = rowsBy('report_book_entry', { school: 'school_id', ids: { in: 'id' } }, { columns: ['report_book_id'] })
const entriesOf = rowsBy('report_book_entry', { school: 'school_id', books: { in: 'report_book_id' } }, { orderBy: ['id'] })

/** What a card prints of each book. */
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
 * Of a laptop's page, the approved books that it writes in. What it answers takes the approval from those that say something else once the
 * page was taken: whoever approved had not read that (docs/design/reports.md). An approval that came with the page stays.
 */
export async function watchApprovals(
  tx: WriteTx,
  school: string,
  rows: readonly Carried[],
  withEntries: ReadonlySet<string>,
): Promise<() => Promise<void>> {
  const ids = new Set([...withEntries, ...rows.flatMap(({ table, state }) => (table === 'report_book' ? [state.id] : []))])
  const read = async () =>
    ids.size === 0
      ? []
      : (await approvedBooks(tx, { school, ids: JSON.stringify([...ids]) })).filter(({ approved_at }) => approved_at !== null)
  const approved = new Map((await read()).map((book) => [book.id, book]))
  if (approved.size === 0) return async () => {}
  const before = await contentsOf(tx, school, [...approved.values()])
  return async () => {
    const books = (await read()).filter(({ id, approved_at, approved_by }) => {
      const earlier = approved.get(id)
      return earlier?.approved_at === approved_at && earlier.approved_by === approved_by
    })
    const after = await contentsOf(tx, school, books)
    const others = books.filter(({ id }) => !isSame(before.get(id), after.get(id)))
    await tx.update(
      'report_book',
      others.map((book) => ({ before: book, patch: { approved_at: null, approved_by: null } })),
    )
  }
}

/** The books in whose entries a page writes: where an entry is known, the book that it is of here, whatever the page says. */
export async function booksWithEntries(tx: ReadTx, school: string, rows: readonly Carried[]): Promise<ReadonlySet<string>> {
  const entries = rows.flatMap(({ table, state }) => (table === 'report_book_entry' ? [state] : []))
  if (entries.length === 0) return new Set()
  const known = await entriesById(tx, { school, ids: JSON.stringify(entries.map(({ id }) => id)) })
  const said = entries.flatMap(({ values }) => idIn(values, 'report_book_id') ?? [])
  return new Set([...said, ...known.map(({ report_book_id }) => report_book_id)])
}
