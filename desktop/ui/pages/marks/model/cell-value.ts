import type { MarkValue } from '@markbook/shared/domain/mark-codes'

/**
 * A mark as one value, which compares with `===`: a score, a code, or a code beside a score, such as `15 late`; null where there is
 * nothing. Pending marks are kept in this form.
 */
export type CellValue = number | string | null

/** Marks that an older version kept in the browser have no status. */
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
/** Room for a score and a code, and for a note of attendance, of which each of 200 characters may take twelve (pages/attendance). */
const MOST_LETTERS = 2_400
