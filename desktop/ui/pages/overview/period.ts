import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import type { BooksType } from '../reports/book-search.ts'

/** The term and the type of report books that the page shows. */
export type Period = { term: Term; year: AcademicYear; type: BooksType }
