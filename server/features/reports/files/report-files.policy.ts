import { reportFileFailures } from '@markbook/shared/contract/report-files'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx } from '../../../store/tx.ts'
import { termById, yearById } from '../../policy.ts'
import type { ClassPlace } from '../reports.policy.ts'
import { booksOfType } from '../reports.queries.ts'
import type { Period } from './report-card-data.ts'
import { groupById } from './report-files.queries.ts'

type Book = Row<'report_book'>
type Type = Book['report_type']
/** The class and period of a report that was loaded. */
export async function periodOf(
  tx: ReadTx,
  { school_id: school, student_group_id, term_id, academic_year_id, report_type }: Book,
): Promise<Period> {
  const [group] = await groupById(tx, { school, id: student_group_id })
  const [term] = await termById(tx, { school, id: term_id })
  const [year] = await yearById(tx, { school, id: academic_year_id })
  if (!group || !term || !year) throw common.notFound()
  return { group, term, year, type: report_type }
}

/** The reports of a class and term, by last name; 404 `reports.no_books` where none was generated. */
export async function booksOf(tx: ReadTx, { group, term }: ClassPlace, type: Type): Promise<Book[]> {
  const books = await booksOfType(tx, { school: group.school_id, group: group.id, term: term.id }, type)
  if (books.length === 0) throw reportFileFailures.noBooks()
  return books
}
