import { reportFailures } from '@markbook/shared/contract/reports'
import { lacksApproval } from '@markbook/shared/domain/report-moves'
import type { Row } from '@markbook/shared/tables/tables'
import { contentOf } from '@markbook/sync/merge/settle'
import { canonical, isSame } from '@markbook/sync/merge/state'
import { sha256Of } from '../../files/digest.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { pick } from '../columns.ts'
import { entriesWithSubjects } from './reports.queries.ts'

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>
type Patch = Partial<Book>

const NOT_APPROVED = { approved_at: null, approved_by: null } as const

/** Not locked: a teacher may not lock what only administrators write. */
const askingOf = rowsBy('school', { school: 'id' }, { columns: ['approves_reports'] })

async function asks(tx: ReadTx, { school_id: school }: Book): Promise<{ approves_reports: boolean | null }> {
  const [own] = await askingOf(tx, { school })
  return own ?? { approves_reports: null }
}

/** 409 where the school wants reports approved before they leave it, and this one is not. */
export async function demandApproved(tx: ReadTx, book: Book): Promise<void> {
  if (lacksApproval(await asks(tx, book), book)) throw reportFailures.notApproved()
}

/** What is to be written to a report: whatever changes it takes its approval away, for that was of what it said before. */
export const withoutApproval = (book: Book, patch: Patch): Patch =>
  book.approved_at !== null && Object.entries(patch).some(([column, value]) => !isSame(value, book[column as keyof Book]))
    ? { ...patch, ...NOT_APPROVED }
    : patch

/** The same where an entry was written. Whoever writes one holds its report. */
export async function entryWritten(tx: WriteTx, book: Book, before: Entry, after: Entry): Promise<void> {
  if (book.approved_at !== null && !isSame(typedIn(before), typedIn(after))) await tx.update('report_book', book, NOT_APPROVED)
}

const typedIn = (entry: Entry) => pick(entry, 'manual_letter', 'teacher_remark')

/** Of all that a card prints of a report, in an order that does not change. */
export function contentHashOf(book: Book, entries: readonly Entry[]): string {
  const sorted = [...entries].sort((a, b) => (a.subject_id < b.subject_id ? -1 : 1))
  return sha256Of(new TextEncoder().encode(canonical(contentOf(book, sorted))))
}

/** Whoever approves says what they have read: 409 where the report says something else by now. Of two at once the first one is remembered. */
export async function approve(tx: WriteTx, book: Book, contentHash: string | undefined, by: string): Promise<Book> {
  if ((await asks(tx, book)).approves_reports !== true) throw reportFailures.approvalNotAsked()
  if (contentHash !== undefined) {
    const rows = await entriesWithSubjects(tx, { school: book.school_id, book: book.id })
    const entries = rows.map(({ entry }) => entry)
    if (contentHash !== contentHashOf(book, entries)) throw reportFailures.changedSince()
  }
  return book.approved_at === null ? tx.update('report_book', book, { approved_at: tx.now, approved_by: by }) : book
}

export const takeApprovalBack = (tx: WriteTx, book: Book): Promise<Book> => tx.update('report_book', book, NOT_APPROVED)
