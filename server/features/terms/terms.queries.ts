import { rowsBy } from '../../store/statement.ts'

const ofTerm = { school: 'school_id', term: 'term_id' } as const

/** `ids` is a JSON array. Locked where the transaction writes. */
export const termsById = rowsBy('term', { school: 'school_id', ids: { in: 'id' } }, { lock: true, orderBy: ['id'] })

/** Queries for one row of each kind that prevents deleting a term (decisions §4). */
export const usesOfTerm = [
  rowsBy('assessment', ofTerm, { limit: 1 }),
  rowsBy('grade', ofTerm, { limit: 1 }),
  rowsBy('report_book', ofTerm, { limit: 1 }),
]
