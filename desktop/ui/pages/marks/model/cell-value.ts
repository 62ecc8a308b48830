import type { MarkValue } from '@markbook/shared/domain/mark-codes'

/**
 * A mark as one value that can be compared with `===`: a score, a code, or both, such as `15 late`; null for no mark. Pending marks are
 * stored in this form.
 */
export type CellValue = number | string | null

/** The value of a mark. Marks that an older version stored in the browser have no status. */
export function cellValueOf(mark: (Pick<MarkValue, 'score'> & Partial<Pick<MarkValue, 'status'>>) | null | undefined): CellValue {
  if (!mark) return null
  if (mark.status == null) return mark.score
  return mark.score === null ? mark.status : `${mark.score} ${mark.status}`
}

/** The inverse of `cellValueOf`. */
export function markOf(value: CellValue): MarkValue {
  if (typeof value !== 'string') return { score: value, status: null }
  const [first = '', second] = value.split(' ')
  return second === undefined ? { score: null, status: first } : { score: Number(first), status: second }
}

export const isCellValue = (value: unknown): value is CellValue =>
  value === null || typeof value === 'number' || (typeof value === 'string' && value.length > 0 && value.length <= MOST_LETTERS)
/** Enough for a score and a code, and for a note of attendance, whose 200 characters may take twelve each (pages/attendance). */
const MOST_LETTERS = 2_400
