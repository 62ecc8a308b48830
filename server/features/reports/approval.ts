import { reportFailures } from '@markbook/shared/contract/reports'
import { lacksApproval } from '@markbook/shared/domain/report-moves'
import { groupedBy } from '@markbook/shared/grouped-by'
import type { Row } from '@markbook/shared/tables/tables'
import { contentOf } from '@markbook/sync/merge/settle'
import { canonical, isSame } from '@markbook/sync/merge/state'
import { sha256Of } from '../../files/digest.ts'
import { pick } from '../../store/conditions.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { entriesOfBooks, entriesWithSubjects } from './reports.queries.ts'

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>
type Patch = Partial<Book>

export const NOT_APPROVED = { approved_at: null, approved_by: null } as const
export const NOT_SENT_BACK = { sent_back_at: null, sent_back_by: null, sent_back_reason: null, sent_back_hash: null } as const

/** Not locked: a teacher may not lock rows that only administrators write. */
const askingOf = rowsBy('school', { school: 'id' }, { columns: ['approves_reports'] })

async function asks(tx: ReadTx, { school_id: school }: Book): Promise<{ approves_reports: boolean | null }> {
  const [own] = await askingOf(tx, { school })
  return own ?? { approves_reports: null }
}

/** Throws 409 where the school requires approval and this report is not approved. */
export async function demandApproved(tx: ReadTx, book: Book): Promise<void> {
  if (lacksApproval(await asks(tx, book), book)) throw reportFailures.notApproved()
}

/** The patch of a report, extended: any change clears the approval, which was for the earlier content. */
export const withoutApproval = (book: Book, patch: Patch): Patch =>
  book.approved_at !== null && Object.entries(patch).some(([column, value]) => !isSame(value, book[column as keyof Book]))
    ? { ...patch, ...NOT_APPROVED }
    : patch

/** The same after an entry was written. Writers of an entry have locked its report. */
export async function entryWritten(tx: WriteTx, book: Book, before: Entry, after: Entry): Promise<void> {
  if (book.approved_at !== null && !isSame(typedIn(before), typedIn(after))) await tx.update('report_book', book, NOT_APPROVED)
}

const typedIn = (entry: Entry) => pick(entry, 'manual_letter', 'teacher_remark')

/** The hash of everything that a card prints of a report, in a fixed order. */
export function contentHashOf(book: Book, entries: readonly Entry[]): string {
  const sorted = [...entries].sort((a, b) => (a.subject_id < b.subject_id ? -1 : 1))
  return sha256Of(new TextEncoder().encode(canonical(contentOf(book, sorted))))
}

/** The same with the printed state of the report: a draft prints the word DRAFT. */
export const paperHashOf = (book: Book, entries: readonly Entry[]): string =>
  `${contentHashOf(book, entries)} ${book.status === 'draft' ? 'draft' : 'final'}`

/** Throws 409 where a report, which the caller has locked, has changed since its card was drawn. */
export async function demandAsDrawn(tx: ReadTx, book: Book, drawn: string | undefined): Promise<void> {
  const entries = await entriesOfBooks(tx, { school: book.school_id, books: JSON.stringify([book.id]) })
  if (paperHashOf(book, entries) !== drawn) throw reportFailures.changedWhileDrawn()
}

/** The reports among these that were sent back and have changed since. Runs no query where none was sent back. */
export async function changedSinceSentBack(tx: ReadTx, school: string, books: readonly Book[]): Promise<ReadonlySet<string>> {
  const sentBack = books.filter(({ sent_back_hash }) => sent_back_hash !== null)
  if (sentBack.length === 0) return new Set()
  const entries = await entriesOfBooks(tx, { school, books: JSON.stringify(sentBack.map(({ id }) => id)) })
  const entriesByBookId = groupedBy(entries, ({ report_book_id }) => report_book_id)
  const changed = sentBack.filter((book) => contentHashOf(book, entriesByBookId.get(book.id) ?? []) !== book.sent_back_hash)
  return new Set(changed.map(({ id }) => id))
}

const hashNow = async (tx: ReadTx, book: Book): Promise<string> => {
  const rows = await entriesWithSubjects(tx, { school: book.school_id, book: book.id })
  return contentHashOf(
    book,
    rows.map(({ entry }) => entry),
  )
}

/** Returns the hash of the report's content. Throws 409 where the school requires no approval, or the caller has read another content. */
async function demandAsRead(tx: WriteTx, book: Book, contentHash: string | undefined): Promise<string> {
  if ((await asks(tx, book)).approves_reports !== true) throw reportFailures.approvalNotAsked()
  const now = await hashNow(tx, book)
  if (contentHash !== undefined && contentHash !== now) throw reportFailures.changedSince()
  return now
}

/**
 * The first of two concurrent approvals counts. A report that was sent back can be approved without a content hash, for example with its
 * class, only after it has changed.
 */
export async function approve(tx: WriteTx, book: Book, contentHash: string | undefined, by: string): Promise<Book> {
  const now = await demandAsRead(tx, book, contentHash)
  if (contentHash === undefined && book.sent_back_hash === now) throw reportFailures.changedSince()
  return book.approved_at === null ? tx.update('report_book', book, { approved_at: tx.now, approved_by: by, ...NOT_SENT_BACK }) : book
}

type SendingBack = { reason: string; contentHash: string | undefined }

/** Of two concurrent reasons the later one stands, and the history has both. */
export async function sendBack(tx: WriteTx, book: Book, { reason, contentHash }: SendingBack, by: string): Promise<Book> {
  const sent_back_hash = await demandAsRead(tx, book, contentHash)
  const sentBack = { sent_back_at: tx.now, sent_back_by: by, sent_back_reason: reason, sent_back_hash }
  return tx.update('report_book', book, { ...NOT_APPROVED, ...sentBack })
}
