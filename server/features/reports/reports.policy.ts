import { reportFailures } from '@markbook/shared/contract/reports'
import { may } from '@markbook/shared/domain/access'
import { isLocked } from '@markbook/shared/domain/report-moves'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { asSystem, type ReadTx, type WriteTx } from '../../store/tx.ts'
import { classAndTerm, requiredId } from '../calculations/calculations.policy.ts'
import { classFactsOf, demandInClass, factsAbout, type PolicyContext, rowOf, termById, termOf, yearById, yearOf } from '../policy.ts'
import { changedSinceSentBack, NOT_APPROVED, NOT_SENT_BACK } from './approval.ts'
import { booksById, booksOfStudent, entryById, studentById } from './reports.queries.ts'
import type { Period } from './snapshot.ts'

type Targets = Readonly<Record<string, string | undefined>>

/**
 * Makes the transaction read as the service. A member has no rights here, but gets 404 or 403 like everybody, and row-level security would
 * hide all reports from them.
 */
async function readAsService({ tx, caller }: PolicyContext): Promise<void> {
  if (caller.role === 'member') await tx.actAs(asSystem(caller.user_id))
}

/** Loads a report: 404 where it is absent or foreign, for everybody; 403 where the caller lacks the right to reports of its class. */
export async function reportOf(context: PolicyContext, id: string): Promise<Row<'report_book'>> {
  await readAsService(context)
  const book = await rowOf(context, 'report_book', id)
  await demandInClass(context, 'reports', book.student_group_id)
  return book
}

export type EntryOfBook = { entry: Row<'report_book_entry'>; book: Row<'report_book'> }

/** Loads an entry that the caller may write, and its book; the book is locked first, so that it cannot be sent in between. */
export async function entryOf(context: PolicyContext, id: string): Promise<EntryOfBook> {
  await readAsService(context)
  const { tx, caller } = context
  const [found] = await entryById(tx, { school: caller.school_id, id })
  if (!found) throw common.notFound()
  const book = await rowOf(context, 'report_book', found.report_book_id)
  const entry = await rowOf(context, 'report_book_entry', id)
  await demandInClass(context, 'writeReportEntry', book.student_group_id, entry.subject_id)
  return { entry, book }
}

/** A class to whose reports the caller has the right, and a term of its year; the type of report comes from the query or the body. */
export type ClassPlace = { group: Row<'student_group'> } & Omit<Period, 'type'>

export async function classPlace(context: PolicyContext, targets: Targets): Promise<ClassPlace> {
  const { group, term } = await classAndTerm(context, targets)
  return { group, term, year: await yearOf(context, term.academic_year_id) }
}

/** The student of a loaded report; not locked. */
export async function studentOf(tx: ReadTx, book: Pick<Row<'report_book'>, 'school_id' | 'student_id'>): Promise<Row<'student'>> {
  const [student] = await studentById(tx, { school: book.school_id, id: book.student_id })
  if (!student) throw common.notFound()
  return student
}

/** The period of a loaded report; not locked. */
export async function periodOfBook(
  tx: ReadTx,
  { school_id: school, term_id, academic_year_id, report_type }: Row<'report_book'>,
): Promise<Period> {
  const [term] = await termById(tx, { school, id: term_id })
  const [year] = await yearById(tx, { school, id: academic_year_id })
  if (!term || !year) throw common.notFound()
  return { term, year, type: report_type }
}

export type ReportsOfStudent = { books: Row<'report_book'>[]; own: Row<'report_book'>[] }

/**
 * The reports of a student for a term, and which of them the caller may read; 404 where there is none, 403 where the caller may read none.
 */
export async function reportsOfStudent(context: PolicyContext, targets: Targets): Promise<ReportsOfStudent> {
  const student = await rowOf(context, 'student', requiredId(targets, 'studentId'))
  const term = await termOf(context, requiredId(targets, 'termId'))
  const books = await booksOfStudent(context.tx, { school: student.school_id, student: student.id, term: term.id })
  if (books.length === 0) throw common.notFound()
  const own: Row<'report_book'>[] = []
  for (const book of books) {
    const facts = factsAbout(context.caller, await classFactsOf(context, book.student_group_id))
    if (may('reports', facts)) own.push(book)
  }
  if (own.length === 0) throw common.forbidden()
  return { books, own }
}

/** The reports among these that were sent back and have changed since. */
export async function changedReports(tx: ReadTx, school: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return ids.length === 0 ? new Set() : changedSinceSentBack(tx, school, await booksById(tx, { school, ids: JSON.stringify(ids) }))
}

/**
 * Clears approval and sending back. Throws 409 where the present one is from another time than `expectedAt`: a person who withdraws an
 * approval has not read a reason given since.
 */
export async function takeBack(tx: WriteTx, book: Row<'report_book'>, expectedAt?: string): Promise<Row<'report_book'>> {
  const at = book.approved_at ?? book.sent_back_at
  if (expectedAt !== undefined && at !== null && at !== expectedAt) throw reportFailures.changedSince()
  return tx.update('report_book', book, { ...NOT_APPROVED, ...NOT_SENT_BACK })
}

/** ReportGuard: a report sent to the ministry is never changed again. */
export function demandUnlocked({ status }: Pick<Row<'report_book'>, 'status'>): void {
  if (isLocked(status)) throw reportFailures.locked()
}
