import { useQuery } from '@tanstack/react-query'
import { ask, askWhole } from '../../api/queries.ts'
import type { BooksType } from './searches.ts'

export type OfBooks = { classId: string; termId: string; type: BooksType }

export const booksAsked = ({ classId, termId, type }: OfBooks) => ({
  query: { studentGroupId: classId, termId, reportType: type },
})

/** The books of a class, by last name; for whoever may see whole books. */
export const useBooks = (of: OfBooks) => useQuery(ask('reports', 'list', booksAsked(of)))
/** Their entries: all, or those of the subjects that this person teaches there. */
export const useEntries = (of: OfBooks) => useQuery(askWhole('reports', 'entries', booksAsked(of)))
