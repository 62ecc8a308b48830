import { getRouteApi } from '@tanstack/react-router'
import { searchTexts } from '../../frame/search-texts.ts'

export type BooksType = 'term' | 'year_end'
export const bookViews = ['books', 'fill', 'check'] as const
export type BookView = (typeof bookViews)[number]

/**
 * The search parameters of a class's report books. `subject`: the subject whose entries are filled in; undefined for the class teacher's
 * part. `at`: the report book where the form begins. `job`: the job that makes the PDFs.
 */
export type BooksSearch = { type?: 'year_end'; view?: Exclude<BookView, 'books'>; subject?: string; at?: string; job?: string }

export const booksSearch = ({ type, view, ...search }: Record<string, unknown>): BooksSearch => ({
  ...(type === 'year_end' && { type }),
  ...((view === 'fill' || view === 'check') && { view }),
  ...searchTexts(search, 'subject', 'at', 'job'),
})

const route = getRouteApi('/school/reports/$classId')

/** The search parameters of a class's report books, and a function that changes them. The class stays. */
export function useBooksSearch() {
  const { classId } = route.useParams()
  const search: BooksSearch = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: (before: BooksSearch) => BooksSearch, replace = false) =>
    void navigate({ to: '.', search: (before: BooksSearch) => next(before), replace })
  return { classId, search, change }
}
