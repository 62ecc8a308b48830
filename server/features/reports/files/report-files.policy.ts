import { reportFileFailures } from '@markbook/shared/contract/report-files'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx } from '../../../store/tx.ts'
import { type ClassPlace, periodOfBook } from '../reports.policy.ts'
import { booksOfType } from '../reports.queries.ts'
import type { ClassPeriod } from './report-card-data.ts'
import { groupById } from './report-files.queries.ts'

type Book = Row<'report_book'>
type Type = Book['report_type']
/** The class and period of a report that was loaded. */
export async function periodOf(tx: ReadTx, book: Book): Promise<ClassPeriod> {
  const [group] = await groupById(tx, { school: book.school_id, id: book.student_group_id })
  if (!group) throw common.notFound()
  return { group, ...(await periodOfBook(tx, book)) }
}

/** The reports of a class and term, by last name; 404 `reports.no_books` where none was generated. */
export async function booksOf(tx: ReadTx, { group, term }: ClassPlace, type: Type): Promise<Book[]> {
  const books = await booksOfType(tx, { school: group.school_id, group: group.id, term: term.id }, type)
  if (books.length === 0) throw reportFileFailures.noBooks()
  return books
}
