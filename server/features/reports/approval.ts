import { reportFailures } from '@markbook/shared/contract/reports'
import { lacksApproval } from '@markbook/shared/domain/report-moves'
import { groupedBy } from '@markbook/shared/grouped-by'
import type { Row } from '@markbook/shared/tables/tables'
import { contentOf } from '@markbook/sync/merge/settle'
import { canonical, isSame } from '@markbook/sync/merge/state'
import { sha256Of } from '../../files/digest.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { pick } from '../columns.ts'
import { entriesOfBooks, entriesWithSubjects } from './reports.queries.ts'

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>
type Patch = Partial<Book>

export const NOT_APPROVED = { approved_at: null, approved_by: null } as const
export const NOT_SENT_BACK = { sent_back_at: null, sent_back_by: null, sent_back_reason: null, sent_back_hash: null } as const

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

/** The same with what a card says of the state of its report: a draft prints the word DRAFT. */
export const paperHashOf = (book: Book, entries: readonly Entry[]): string =>
  `${contentHashOf(book, entries)} ${book.status === 'draft' ? 'draft' : 'final'}`

/** 409 where a report, which is locked, says something else by now than the card that was drawn of it. */
export async function demandAsDrawn(tx: ReadTx, book: Book, drawn: string | undefined): Promise<void> {
  const entries = await entriesOfBooks(tx, { school: book.school_id, books: JSON.stringify([book.id]) })
  if (paperHashOf(book, entries) !== drawn) throw reportFailures.changedSince()
}

/** Which of some reports were sent back and say something else since. Asks nothing where none was sent back. */
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

/** The hash of what the report says: 409 where the school does not ask for approvals, and where somebody has read something else. */
async function demandAsRead(tx: WriteTx, book: Book, contentHash: string | undefined): Promise<string> {
  if ((await asks(tx, book)).approves_reports !== true) throw reportFailures.approvalNotAsked()
  const now = await hashNow(tx, book)
  if (contentHash !== undefined && contentHash !== now) throw reportFailures.changedSince()
  return now
}

/** Of two at once the first one is remembered. What was sent back is approved unread, with those of a class say, only once it says something else. */
export async function approve(tx: WriteTx, book: Book, contentHash: string | undefined, by: string): Promise<Book> {
  const now = await demandAsRead(tx, book, contentHash)
  if (contentHash === undefined && book.sent_back_hash === now) throw reportFailures.changedSince()
  return book.approved_at === null ? tx.update('report_book', book, { approved_at: tx.now, approved_by: by, ...NOT_SENT_BACK }) : book
}

type SendingBack = { reason: string; contentHash: string | undefined }

/** Of two at once the later reason stands, and the history has both. */
export async function sendBack(tx: WriteTx, book: Book, { reason, contentHash }: SendingBack, by: string): Promise<Book> {
  const sent_back_hash = await demandAsRead(tx, book, contentHash)
  const sentBack = { sent_back_at: tx.now, sent_back_by: by, sent_back_reason: reason, sent_back_hash }
  return tx.update('report_book', book, { ...NOT_APPROVED, ...sentBack })
}
