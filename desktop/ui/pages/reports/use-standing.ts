import { useQuery } from '@tanstack/react-query'
import { askWhole } from '../../api/queries.ts'
import { booksAsked, type OfBooks } from './use-books.ts'

/** Marks change without the books: what is said of them is never older than the page. */
export const standingAsked = (of: OfBooks) => ({ ...askWhole('reports', 'standing', booksAsked(of)), staleTime: 0 })
export const useStanding = (of: OfBooks) => useQuery(standingAsked(of))
