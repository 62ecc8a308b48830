import type { ClassReportEntry, Report, ReportDetail, ReportEntry } from '@markbook/shared/contract/reports'
import type { QueryClient } from '@tanstack/react-query'
import type { ReplyOf } from '../../api/queries.ts'

export type ListedBook = ReplyOf<'reports', 'list'>[number]

/**
 * A saved row takes its place in everything that was read of it, so that forty saves in a row do not read forty times what nobody else
 * has changed.
 */
export function keepBook(queries: QueryClient, saved: Report): void {
  queries.setQueriesData<ListedBook[]>({ queryKey: ['reports', 'list'] }, (books) =>
    books?.map((book) => (book.id === saved.id ? { ...book, ...saved } : book)),
  )
  queries.setQueriesData<ClassReportEntry[]>({ queryKey: ['reports', 'entries'] }, (entries) =>
    entries?.map((entry) => (entry.report_book_id === saved.id ? { ...entry, status: saved.status } : entry)),
  )
  queries.setQueriesData<ReportDetail>({ queryKey: ['reports', 'get'] }, (detail) =>
    detail?.id === saved.id ? { ...detail, ...saved } : detail,
  )
}

export function keepEntry(queries: QueryClient, saved: ReportEntry): void {
  queries.setQueriesData<ClassReportEntry[]>({ queryKey: ['reports', 'entries'] }, (entries) =>
    entries?.map((entry) => (entry.id === saved.id ? { ...entry, ...saved } : entry)),
  )
  queries.setQueriesData<ReportDetail>(
    { queryKey: ['reports', 'get'] },
    (detail) => detail && { ...detail, entries: detail.entries.map((entry) => (entry.id === saved.id ? { ...entry, ...saved } : entry)) },
  )
}
