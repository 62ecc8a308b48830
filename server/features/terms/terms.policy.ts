import { rowsBy } from '../../store/statement.ts'

/** The terms of a year by `sort_order`, equal ones by name. */
export const termsOfYear = rowsBy('term', { school: 'school_id', year: 'academic_year_id' }, { orderBy: ['sort_order', 'name'] })
