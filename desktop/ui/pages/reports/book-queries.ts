import type { Report, ReportDetail, ReportEntry } from '@markbook/shared/contract/reports'
import { useQueries, useQuery } from '@tanstack/react-query'
import { ask, askWhole, changeReplies, queryClient, type ReplyOf } from '../../api/queries.ts'
import type { BooksType } from './book-search.ts'
import { isOutdated } from './book-standing.ts'

export type BookScope = { classId: string; termId: string; type: BooksType }

export const scopeOf = ({ student_group_id, term_id, report_type }: Report): BookScope => ({
  classId: student_group_id,
  termId: term_id,
  type: report_type,
})

export const booksRequest = ({ classId, termId, type }: BookScope) => ({
  query: { studentGroupId: classId, termId, reportType: type },
})

/** The report books of a class by last name, for people who may see whole report books. */
export const useBooks = (of: BookScope, enabled = true) => useQuery({ ...ask('reports', 'list', booksRequest(of)), enabled })
/** The entries of these report books: all, or those of the subjects that this person teaches in the class. */
export const useEntries = (of: BookScope) => useQuery(askWhole('reports', 'entries', booksRequest(of)))

/** Tells of a report book whether its average has the sign of a partial result, which one of its results has. */
export function usePartialAverage(of: BookScope): (book: Pick<ListedBook, 'id' | 'overall_average'>) => boolean {
  const { data } = useEntries(of)
  const partialBooks = new Set(data?.filter(({ is_partial }) => is_partial).map(({ report_book_id }) => report_book_id))
  return ({ id, overall_average }) => overall_average !== null && partialBooks.has(id)
}

/** Whether the report books are older than the marks. Read for each page, since marks change without them. */
export const standingQuery = (of: BookScope) => ({ ...askWhole('reports', 'standing', booksRequest(of)), staleTime: 0 })
export const useStanding = (of: BookScope) => useQuery(standingQuery(of))

/** The number of report books in each scope that are older than the marks; 0 while it is loading. */
export const useOutdatedCounts = (scopes: readonly BookScope[]): number[] =>
  useQueries({ queries: scopes.map(standingQuery) }).map(({ data }) => data?.filter(isOutdated).length ?? 0)

export type ListedBook = ReplyOf<'reports', 'list'>[number]

type BookRow = Report & Pick<ListedBook, 'is_changed_since_sent_back'>

function showBook(shown: BookRow): void {
  const withShown = <Book extends BookRow>(book: Book) => (book.id === shown.id ? { ...book, ...shown } : book)
  changeReplies('reports', 'list', (books) => books.map(withShown))
  changeReplies('reports', 'entries', (entries) =>
    entries.map((entry) => (entry.report_book_id === shown.id ? { ...entry, status: shown.status } : entry)),
  )
  changeReplies('reports', 'get', withShown)
}

/** Puts entries into all replies. */
export function showEntries(shown: readonly ReportEntry[]): void {
  const shownById = new Map(shown.map((entry) => [entry.id, entry]))
  const withShown = <Entry extends ReportEntry>(entry: Entry) => ({ ...entry, ...shownById.get(entry.id) })
  changeReplies('reports', 'entries', (entries) => entries.map(withShown))
  changeReplies('reports', 'get', (book) => ({ ...book, entries: book.entries.map(withShown) }))
}

/** Puts what was read before a save into all replies: a question about a text that somebody else has changed shows the text of the page. */
export function showReadBook(read: ReportDetail): void {
  const { entries, student: _student, sent_back_person: _person, attendance: _attendance, pdfs: _pdfs, content_hash: _hash, ...book } = read
  showBook(book)
  showEntries(entries)
  changeReplies('reports', 'get', (shown) => (shown.id === read.id ? read : shown))
}

/** Puts a saved row into all replies, so that forty saves do not cause forty requests. */
export function showSavedBook(saved: Report): void {
  showBook({ ...saved, ...changedNow(saved) })
  void queryClient.invalidateQueries({ queryKey: ['reports', 'sent'] })
  showPdfsAsOlder(saved.id)
  readDetailAgain(saved.id)
}

/** Where the page of the report book is open: an approval needs the digest of the new content. */
const readDetailAgain = (id: string) => void queryClient.invalidateQueries({ queryKey: ask('reports', 'get', { params: { id } }).queryKey })

/** A PDF that was made before does not have what was saved now. */
const showPdfsAsOlder = (id: string) =>
  changeReplies('reports', 'standing', (books) =>
    books.map((book) => (book.report_id === id && book.paper ? { ...book, paper: { ...book.paper, is_older: true } } : book)),
  )

const NOT_APPROVED = { approved_at: null, approved_by: null }
/** Until the next read, any change counts as a change of what was sent back. */
const changedNow = ({ sent_back_at }: Pick<Report, 'sent_back_at'>) => ({ is_changed_since_sent_back: sent_back_at !== null })

/** Puts a saved entry of a report book into all replies. */
export function showSavedEntry(saved: ReportEntry): void {
  showEntries([saved])
  // A change of an entry withdraws the approval of its report book.
  changeReplies('reports', 'list', (books) =>
    books.map((book) => (book.id === saved.report_book_id ? { ...book, ...NOT_APPROVED, ...changedNow(book) } : book)),
  )
  showPdfsAsOlder(saved.report_book_id)
  readDetailAgain(saved.report_book_id)
}
