import { getRouteApi, useRouter } from '@tanstack/react-router'
import { searchTexts } from '../../frame/search-texts.ts'

export const resultViews = ['term', 'year', 'summary', 'charts', 'compare'] as const
export type ResultView = (typeof resultViews)[number]

/**
 * The search parameters of a class's results: the view, the sort order of its table (`name`, `overall` or the id of a subject), the shown
 * subject or the term to compare `with` (`whole`: without partial results), and the figure that is explained (`pupil`, and the subject in
 * `explain`).
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

/** The parameters of one pupil's results: the term or the whole year, and the subject that is explained. */
export type PupilSearch = { view?: 'year'; explain?: string }
export const pupilSearch = (search: Record<string, unknown>): PupilSearch => ({
  ...(search['view'] === 'year' && { view: search['view'] }),
  ...searchTexts(search, 'explain'),
})

const route = getRouteApi('/school/results/$classId')

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The entry of the history differs from the one before only by an open panel. */
    isPanel?: boolean
  }
}

/** The navigation that opens a panel: a new entry of the browser's history, or for another figure in an open panel none. */
export const panelStep = (isOpen: boolean) => (isOpen ? { replace: true, state: true as const } : { state: { isPanel: true } })

/**
 * Returns a function that closes a panel by going back in the history. Where the panel was opened by the address there is no such entry,
 * and it calls `replace`.
 */
export function usePanelClosing(replace: () => void): () => void {
  const router = useRouter()
  return () => {
    if (!router.state.location.state.isPanel) return replace()
    const top = window.scrollY
    // Going back would restore the former scroll position.
    const end = router.subscribe('onRendered', () => {
      end()
      window.scrollTo({ top })
    })
    router.history.back()
  }
}

/** The search parameters of a class's results, and functions that change them. The class stays. */
export function useResultsSearch() {
  const { classId } = route.useParams()
  const search: ResultsSearch = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: (before: ResultsSearch) => ResultsSearch, replace: boolean) =>
    void navigate({ to: '.', search: (before: ResultsSearch) => next(before), replace, resetScroll: false })
  const explain = (pupil: string, subject: string) =>
    void navigate({
      to: '.',
      search: (before: ResultsSearch) => ({ ...before, pupil, explain: subject }),
      ...panelStep(search.explain !== undefined),
      resetScroll: false,
    })
  const close = usePanelClosing(() => change(({ pupil: _pupil, explain: _explain, ...rest }) => rest, true))
  return { classId, search, change, explain, close }
}
