export const resultViews = ['term', 'year', 'summary', 'charts', 'compare'] as const
export type ResultView = (typeof resultViews)[number]

/**
 * What the results of a class show: the view; by what its table is sorted (`name`, `overall` or a subject's id); the subject or the other
 * term that is looked at; and, while a figure is explained, whose (`pupil`) and in which subject (`explain`).
 */
export type ResultsSearch = {
  view?: Exclude<ResultView, 'term'>
  sort?: string
  down?: true
  subject?: string
  with?: string
  pupil?: string
  explain?: string
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const isView = (value: unknown): value is Exclude<ResultView, 'term'> => value !== 'term' && resultViews.some((view) => view === value)

export const resultsSearch = (search: Record<string, unknown>): ResultsSearch => ({
  ...(isView(search['view']) && { view: search['view'] }),
  ...(search['down'] === true && { down: true as const }),
  ...(text(search['sort']) && { sort: text(search['sort']) }),
  ...(text(search['subject']) && { subject: text(search['subject']) }),
  ...(text(search['with']) && { with: text(search['with']) }),
  ...(text(search['pupil']) && { pupil: text(search['pupil']) }),
  ...(text(search['explain']) && { explain: text(search['explain']) }),
})

/** One pupil: the term or the whole year, and the subject that is explained. */
export type PupilSearch = { view?: 'year'; explain?: string }
export const pupilSearch = ({ view, explain }: Record<string, unknown>): PupilSearch => ({
  ...(view === 'year' && { view }),
  ...(text(explain) && { explain: text(explain) }),
})
