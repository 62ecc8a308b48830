import { getRouteApi } from '@tanstack/react-router'
import { searchTexts } from '../../frame/search-texts.ts'

export const resultViews = ['term', 'year', 'summary', 'charts', 'compare'] as const
export type ResultView = (typeof resultViews)[number]

/**
 * The search of a class's results: the view, the order of its table (`name`, `overall` or the id of a subject), the shown subject or the
 * term to compare `with` (`whole`: without partial results), and the figure that is explained (`pupil`, and the subject in `explain`).
 */
export type ResultsSearch = {
  view?: Exclude<ResultView, 'term'>
  sort?: string
  down?: true
  subject?: string
  with?: string
  whole?: true
  pupil?: string
  explain?: string
}

const isView = (value: unknown): value is Exclude<ResultView, 'term'> => value !== 'term' && resultViews.some((view) => view === value)

export const resultsSearch = (search: Record<string, unknown>): ResultsSearch => ({
  ...(isView(search['view']) && { view: search['view'] }),
  ...(search['down'] === true && { down: true as const }),
  ...(search['whole'] === true && { whole: true as const }),
  ...searchTexts(search, 'sort', 'subject', 'with', 'pupil', 'explain'),
})

/** One pupil: the term or the whole year, and the subject that is explained. */
export type PupilSearch = { view?: 'year'; explain?: string }
export const pupilSearch = (search: Record<string, unknown>): PupilSearch => ({
  ...(search['view'] === 'year' && { view: search['view'] }),
  ...searchTexts(search, 'explain'),
})

const route = getRouteApi('/school/results/$classId')

/** The search of a class's results, and a function that changes it. The class stays. */
export function useResultsSearch() {
  const { classId } = route.useParams()
  const search: ResultsSearch = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: (before: ResultsSearch) => ResultsSearch, replace = false) =>
    void navigate({ to: '.', search: (before: ResultsSearch) => next(before), replace, resetScroll: false })
  return { classId, search, change }
}
