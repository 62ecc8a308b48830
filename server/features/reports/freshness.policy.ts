import type { ReportStanding } from '@markbook/shared/contract/reports'
import { isLocked } from '@markbook/shared/domain/report-moves'
import type { ReportSnapshot } from '@markbook/shared/tables/reporting'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { textToVersions } from '@markbook/sync/versions'
import type { ReadTx } from '../../store/tx.ts'
import { latestPdfs } from './files/report-files.queries.ts'
import { snapshotsOfClass } from './generation.ts'
import { booksOfType, entriesOfBooks } from './reports.queries.ts'
import { type Period, refreshed } from './snapshot.ts'

export type { Period }

type Book = Row<'report_book'>

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
  const changes = await lastChanges(tx, group.school_id, books)
  const pdfs = [...papers.values()].flatMap(({ pdf_id }) => pdf_id ?? [])
  const made = await stampsOf(tx, { school: group.school_id, table: 'report_book_pdf', ids: pdfs })
  return books.map((book) => {
    const paper = papers.get(book.id)
    return {
      report_id: book.id,
      status: book.status,
      is_behind: isBehind(book, now.get(book.student_id)),
      paper: paper?.generated_at
        ? { generated_at: paper.generated_at, is_older: (changes.get(book.id) ?? 0) > (made.get(paper.pdf_id ?? '') ?? 0) }
        : null,
    }
  })
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
  now !== undefined && refreshed(book.snapshot, isLocked(book.status) ? withResultsOf(book.snapshot, now) : now) !== book.snapshot

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
async function lastChanges(tx: ReadTx, school: string, books: readonly Book[]): Promise<Map<string, number>> {
  const sent = new Set(books.filter(({ status }) => isLocked(status)).map(({ id }) => id))
  const ids = books.map(({ id }) => id)
  const own = await stampsOf(
    tx,
    { school, table: 'report_book', ids },
    (id, unit) => unit !== 'approval' && (unit !== 'status' || !sent.has(id)),
  )
  const entries = await entriesOfBooks(tx, { school, books: JSON.stringify(ids) })
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
