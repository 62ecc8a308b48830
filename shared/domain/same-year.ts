import { searchTerm } from './fold.ts'

type Year = { name: string; start_date: string; end_date: string }

/**
 * Whether two years of a school are probably one year that was added twice: they have the same name apart from case, accents and spaces,
 * or the same days.
 */
export const isSameYear = (a: Year, b: Year): boolean =>
  searchTerm(a.name) === searchTerm(b.name) || (a.start_date === b.start_date && a.end_date === b.end_date)
