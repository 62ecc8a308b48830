import { getRouteApi } from '@tanstack/react-router'
import { searchTexts } from '../../frame/search-texts.ts'

export const overviewViews = ['classes', 'subjects'] as const

/** `missing`: only rows with missing work. `sort`: the column, `down`: the reverse order. `class`: only the subjects of this class. */
export type OverviewSearch = {
  view?: 'subjects'
  type?: 'year_end'
  missing?: true
  sort?: string
  down?: true
  class?: string
}

export const overviewSearch = ({ view, type, missing, down, ...search }: Record<string, unknown>): OverviewSearch => ({
  ...(view === 'subjects' && { view }),
  ...(type === 'year_end' && { type }),
  ...(missing === true && { missing }),
  ...(down === true && { down }),
  ...searchTexts(search, 'sort', 'class'),
})

const route = getRouteApi('/school/overview')

/** The search parameters of the page, and a function that changes them. */
export function useOverviewSearch() {
  const search: OverviewSearch = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: (before: OverviewSearch) => OverviewSearch) =>
    void navigate({ to: '.', search: (before: OverviewSearch) => next(before), replace: true })
  return { search, change }
}
