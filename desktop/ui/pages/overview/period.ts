import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import type { BooksType } from '../reports/book-search.ts'

/** Of which term and which of its report books the page is. */
export type Period = { term: Term; year: AcademicYear; type: BooksType }
