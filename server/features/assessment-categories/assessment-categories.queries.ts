import { rowsBy } from '../../store/statement.ts'

/** One assessment that is in the category. */
export const usesOfCategory = rowsBy('assessment', { school: 'school_id', category: 'category_id' }, { limit: 1 })
