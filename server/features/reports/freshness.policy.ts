import { type ReportStanding, reportFailures } from '@markbook/shared/contract/reports'
import { isLocked } from '@markbook/shared/domain/report-moves'
import { common } from '@markbook/shared/failures'
import { groupedBy } from '@markbook/shared/grouped-by'
import type { ReportSnapshot } from '@markbook/shared/tables/reporting'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { textToVersions } from '@markbook/sync/versions'
import { sha256Of } from '../../files/digest.ts'
import { atOneMoment } from '../../store/feed-position.ts'
import type { ReadTx } from '../../store/tx.ts'
import { contentHashOf } from './approval.ts'
import { groupById, latestPdfs } from './files/report-files.queries.ts'
import { snapshotsOfClass } from './generation.ts'
import { periodOfBook } from './reports.policy.ts'
import { booksOfType, entriesOfBooks } from './reports.queries.ts'
import { type Period, refreshed, wasBehind } from './snapshot.ts'

export type { Period }

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>

/**
 * Whether the books of a class and period are up to date with the marks, and their newest PDFs with the books, by last name
 * (docs/design/reports.md). The book of a pupil who left the class counts as up to date, because generating would not change it.
 */
export async function freshnessOfReports(tx: ReadTx, group: Row<'student_group'>, period: Period): Promise<ReportStanding[]> {
  const { term, type } = period
  const inClass = { school: group.school_id, group: group.id, term: term.id }
  const books = await booksOfType(tx, inClass, type)
  if (books.length === 0) return []
  const now = await snapshotsOfClass(tx, group, period)
  const papers = new Map((await latestPdfs(tx, { ...inClass, type })).map((paper) => [paper.report_id, paper]))
  const entries = await entriesOfBooks(tx, { school: group.school_id, books: JSON.stringify(books.map(({ id }) => id)) })
  const entriesByBookId = groupedBy(entries, ({ report_book_id }) => report_book_id)
  const changes = await lastChanges(tx, group.school_id, { books, entries })
  const pdfs = [...papers.values()].flatMap(({ pdf_id }) => pdf_id ?? [])
  const made = await stampsOf(tx, { school: group.school_id, table: 'report_book_pdf', ids: pdfs })
  return books.map((book) => {
    const paper = papers.get(book.id)
    const ownNow = now.get(book.student_id)
    return {
      report_id: book.id,
      status: book.status,
      is_behind: isBehind(book, ownNow),
      was_behind: wasBehind(book),
      standing_hash: standingHashOf(book, entriesByBookId.get(book.id) ?? [], ownNow),
      paper: paper?.generated_at
        ? { generated_at: paper.generated_at, is_older: (changes.get(book.id) ?? 0) > (made.get(paper.pdf_id ?? '') ?? 0) }
        : null,
    }
  })
}

/** The results of the present marks for a book, in its class; undefined where its pupil has left the class. */
export async function resultsNow(tx: ReadTx, book: Book): Promise<ReportSnapshot | undefined> {
  const [group] = await groupById(tx, { school: book.school_id, id: book.student_group_id })
  if (!group) throw common.notFound()
  const period = await periodOfBook(tx, book)
  const now = await atOneMoment(tx, book.school_id, () => snapshotsOfClass(tx, group, period))
  return now.get(book.student_id)
}

/** Throws 409 where a book or the results of its marks are others than the person was shown (`standing_hash`). */
export async function demandAsShown(tx: ReadTx, book: Book, now: ReportSnapshot | undefined, shown: string): Promise<void> {
  const entries = await entriesOfBooks(tx, { school: book.school_id, books: JSON.stringify([book.id]) })
  if (standingHashOf(book, entries, now) !== shown) throw reportFailures.changedSince()
}

/** The hash of the content of a book and of the results of the present marks. */
function standingHashOf(book: Book, entries: readonly Entry[], now: ReportSnapshot | undefined): string {
  const results = now ? JSON.stringify({ ...now, generated_at: '' }) : ''
  return sha256Of(new TextEncoder().encode(`${contentHashOf(book, entries)} ${results}`))
}

/** The number of unsent books of a class and period that are older than their marks. */
export async function outdatedBooks(tx: ReadTx, group: Row<'student_group'>, period: Period): Promise<number> {
  const inClass = { school: group.school_id, group: group.id, term: period.term.id }
  const open = (await booksOfType(tx, inClass, period.type)).filter(({ status }) => !isLocked(status))
  if (open.length === 0) return 0
  const now = await snapshotsOfClass(tx, group, period)
  return open.filter((book) => isBehind(book, now.get(book.student_id))).length
}

const isBehind = (book: Book, now: ReportSnapshot | undefined): boolean =>
  isLocked(book.status) ? hasOtherResults(book, now) : now !== undefined && refreshed(book.snapshot, now) !== book.snapshot

/** Whether the present marks give other results than those of a book. */
export const hasOtherResults = ({ snapshot }: Book, now: ReportSnapshot | undefined): boolean =>
  now !== undefined && refreshed(snapshot, withResultsOf(snapshot, now)) !== snapshot

/** A sent book keeps its scale and weights, so that only other results concern it: figures, letters, codes, position. */
const withResultsOf = (sent: ReportSnapshot, { overall_average, position, total_students, entries }: ReportSnapshot): ReportSnapshot => ({
  ...sent,
  overall_average,
  position,
  total_students,
  entries,
})

/**
 * When the printed content of each book last changed, in ms of the hybrid logical clock. Sending and approving change nothing in print;
 * publishing removes the word DRAFT.
 */
async function lastChanges(
  tx: ReadTx,
  school: string,
  { books, entries }: { books: readonly Book[]; entries: readonly Entry[] },
): Promise<Map<string, number>> {
  const sent = new Set(books.filter(({ status }) => isLocked(status)).map(({ id }) => id))
  const ids = books.map(({ id }) => id)
  const own = await stampsOf(
    tx,
    { school, table: 'report_book', ids },
    (id, unit) => unit !== 'approval' && (unit !== 'status' || !sent.has(id)),
  )
  const written = await stampsOf(tx, { school, table: 'report_book_entry', ids: entries.map(({ id }) => id) })
  for (const { id, report_book_id } of entries) {
    own.set(report_book_id, Math.max(own.get(report_book_id) ?? 0, written.get(id) ?? 0))
  }
  return own
}

type StampQuery = { school: string; table: Replicated; ids: readonly string[] }

/** The latest write to the units of each row, in ms; `counts` selects units. */
async function stampsOf(tx: ReadTx, { school, table, ids }: StampQuery, counts = (_id: string, _unit: string) => true) {
  const rows = ids.length === 0 ? [] : await tx.dialect.versionsOf(tx.connection, school, table, ids)
  return new Map(
    rows.map((row) => {
      const stamps = Object.entries(textToVersions(row).units).filter(([unit]) => counts(row.row_id, unit))
      return [row.row_id, Math.max(0, ...stamps.map(([, stamp]) => stamp[2]))]
    }),
  )
}
