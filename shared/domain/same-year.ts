import { searchTerm } from './fold.ts'

type Year = { name: string; start_date: string; end_date: string }

/** Whether two years of a school look like one that was added twice: they have one name, but for case, accents and spaces, or the same days. */
export const isSameYear = (a: Year, b: Year): boolean =>
  searchTerm(a.name) === searchTerm(b.name) || (a.start_date === b.start_date && a.end_date === b.end_date)
