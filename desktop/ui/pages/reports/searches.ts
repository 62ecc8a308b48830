export type BooksType = 'term' | 'year_end'
export const bookViews = ['books', 'fill', 'check'] as const
export type BookView = (typeof bookViews)[number]

/**
 * What the page of a class's books shows: which kind of books, which view, while filling in which subject's lines (absent: the class
 * teacher's) and at which book it begins, and the job that makes their PDFs.
 */
export type BooksSearch = { type?: 'year_end'; view?: Exclude<BookView, 'books'>; subject?: string; at?: string; job?: string }

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

export const booksSearch = ({ type, view, subject, at, job }: Record<string, unknown>): BooksSearch => ({
  ...(type === 'year_end' && { type }),
  ...((view === 'fill' || view === 'check') && { view }),
  ...(text(subject) && { subject: text(subject) }),
  ...(text(at) && { at: text(at) }),
  ...(text(job) && { job: text(job) }),
})

/** Of one book: whether its paper is shown beside it, and which PDF of it. */
export type BookSearch = { pdf?: string }
export const bookSearch = ({ pdf }: Record<string, unknown>): BookSearch => (text(pdf) ? { pdf: text(pdf) } : {})
