import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ResultsSearch } from './searches.ts'

const route = getRouteApi('/school/results/$classId')

/** What the address of a class's results says, and how it is changed; the class stays. */
export function useResultsSearch() {
  const { classId } = route.useParams()
  const search: ResultsSearch = route.useSearch()
  const navigate = useNavigate()
  const change = (next: (before: ResultsSearch) => ResultsSearch, replace = false) =>
    void navigate({
      to: '/results/$classId',
      params: { classId },
      search: (before: ResultsSearch) => next(before),
      replace,
      resetScroll: false,
    })
  return { classId, search, change }
}
