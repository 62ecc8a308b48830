import i18next from 'i18next'
import { ask } from '../../api/queries.ts'
import type { BooksType } from '../reports/book-search.ts'

export type OfTerm = { termId: string; reportType: BooksType }

/** The people who are behind in a term, with the mail to each of them in the language of the app. */
export const remindersQuery = (of: OfTerm) => ask('overview', 'reminders', { query: { ...of, language: i18next.language } })
