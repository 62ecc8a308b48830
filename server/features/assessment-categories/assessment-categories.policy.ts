import { rowsBy } from '../../store/statement.ts'

/** The categories of a year in order. */
export const categoriesOfYear = rowsBy(
  'assessment_category',
  { school: 'school_id', year: 'academic_year_id' },
  { orderBy: ['sort_order', 'id'] },
)

/** A category; not locked, since row-level security lets a teacher lock no row that only an administrator writes. */
export const categoryById = rowsBy('assessment_category', { school: 'school_id', id: 'id' })

/** The categories that are deleted with a subject. */
export const categoriesOfSubject = rowsBy('assessment_category', { school: 'school_id', subject: 'subject_id' }, { lock: true })
