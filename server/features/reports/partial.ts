import { isPartialTerm, isPartialYear } from '@markbook/shared/domain/partial'
import type { ReportWeights } from '@markbook/shared/tables/reporting'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx } from '../../store/tx.ts'
import { periodOfBook } from './reports.policy.ts'
import { inSnapshot, weightsNow, weightsOfBook } from './snapshot.ts'

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>

/** The weights by which a book's figures were calculated; of a book of an older program, which says none, those of now. */
export async function weightsOf(tx: ReadTx, book: Book): Promise<ReportWeights> {
  return weightsOfBook(book) ?? weightsNow(await periodOfBook(tx, book))
}

/** Tells which entries of some books of one period have a result that rests on coursework or exam alone: `is_partial`, absent where not. */
export async function partialIn(tx: ReadTx, books: readonly Book[]): Promise<(entry: Entry) => { is_partial?: true }> {
  const older = books.find((book) => !weightsOfBook(book))
  const now = older && (await weightsOf(tx, older))
  const bookById = new Map(books.map((book) => [book.id, book]))
  return (entry) => {
    const book = bookById.get(entry.report_book_id)
    const weights = book && (weightsOfBook(book) ?? now)
    return book && weights && isPartialEntry(book, entry, weights) ? { is_partial: true } : {}
  }
}

function isPartialEntry(book: Book, entry: Entry, weights: ReportWeights): boolean {
  if (book.report_type === 'term') return isPartialTerm(entry, weights)
  const { year } = inSnapshot(book, entry.subject_id)
  return year !== undefined && entry.year_grade !== null && isPartialYear(year, weights)
}
