import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { BooksSearch } from './searches.ts'

const route = getRouteApi('/school/reports/$classId')

/** What the address of a class's books says, and how it is changed; the class stays. */
export function useBooksSearch() {
  const { classId } = route.useParams()
  const search: BooksSearch = route.useSearch()
  const navigate = useNavigate()
  const change = (next: (before: BooksSearch) => BooksSearch, replace = false) =>
    void navigate({ to: '/reports/$classId', params: { classId }, search: (before: BooksSearch) => next(before), replace })
  return { classId, search, change }
}
