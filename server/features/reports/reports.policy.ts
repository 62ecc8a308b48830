import { reportFailures } from '@markbook/shared/contract/reports'
import { may } from '@markbook/shared/domain/access'
import { isLocked } from '@markbook/shared/domain/report-moves'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { asSystem } from '../../store/tx.ts'
import { named, termOf } from '../calculations/calculations.policy.ts'
import { type Asker, classFactsOf, demandInClass, factsAbout, rowOf } from '../policy.ts'
import { bookOfEntry, booksOfStudent } from './reports.queries.ts'

type Targets = Readonly<Record<string, string | undefined>>

/**
 * A member, who may do nothing here, is told whether a report exists (404) or is not theirs (403) like everybody; but the
 * database shows a member no reports, so it is asked as the service.
 */
async function lookAsEverybody({ tx, caller }: Asker): Promise<void> {
  if (caller.role === 'member') await tx.actAs(asSystem(caller.user_id))
}

/** A report of a class whose reports are the caller's: absent or foreign 404 for everybody, present but not theirs 403. */
export async function reportOf(asker: Asker, id: string): Promise<Row<'report_book'>> {
  await lookAsEverybody(asker)
  const book = await rowOf(asker, 'report_book', id)
  await demandInClass(asker, 'reports', book.student_group_id)
  return book
}

export type EntryOfBook = { entry: Row<'report_book_entry'>; book: Row<'report_book'> }

/** An entry that the caller may write, and its book; the book is locked first, so that it cannot be sent in between. */
export async function entryOf(asker: Asker, id: string): Promise<EntryOfBook> {
  await lookAsEverybody(asker)
  const { tx, caller } = asker
  const [found] = await bookOfEntry(tx, { school: caller.school_id, id })
  if (!found) throw common.notFound()
  const book = await rowOf(asker, 'report_book', found.report_book_id)
  const entry = await rowOf(asker, 'report_book_entry', id)
  await demandInClass(asker, 'writeReportEntry', book.student_group_id, entry.subject_id)
  return { entry, book }
}

export type ReportsOfStudent = { books: Row<'report_book'>[]; own: Row<'report_book'>[] }

/** The reports of a student for a term, and which of them are the caller's; 404 where there is none, 403 where none is theirs. */
export async function reportsOfStudent(asker: Asker, targets: Targets): Promise<ReportsOfStudent> {
  const student = await rowOf(asker, 'student', named(targets, 'studentId'))
  const term = await termOf(asker, named(targets, 'termId'))
  const books = await booksOfStudent(asker.tx, { school: student.school_id, student: student.id, term: term.id })
  if (books.length === 0) throw common.notFound()
  const own: Row<'report_book'>[] = []
  for (const book of books) {
    const facts = factsAbout(asker.caller, await classFactsOf(asker, book.student_group_id))
    if (may('reports', facts)) own.push(book)
  }
  if (own.length === 0) throw common.forbidden()
  return { books, own }
}

/** ReportGuard: what was sent to the ministry is never changed again. */
export function demandUnlocked({ status }: Pick<Row<'report_book'>, 'status'>): void {
  if (isLocked(status)) throw reportFailures.locked()
}
