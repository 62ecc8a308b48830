import { parseDecimal } from '@markbook/shared/domain/decimal'
import { limits } from '@markbook/shared/limits'

/** Why what was typed is no mark; a word of the catalogue under `wrong`. */
export type Wrong = 'not_a_number' | 'too_many_decimals' | 'negative' | 'above_maximum'
export type Typed = { kind: 'empty' } | { kind: 'mark'; score: number } | { kind: 'wrong'; reason: Wrong }

/** What somebody typed or pasted into a cell of an assessment with this maximum. Comma and point are both decimals; spaces are forgiven. */
export function readMark(text: string, maxScore: number): Typed {
  const plain = text.replace(/[\s\u00a0\u202f]/g, '')
  if (plain === '') return { kind: 'empty' }
  const read = parseDecimal(plain, limits.score.decimals)
  if (!read.ok && read.reason === 'too_many_decimals') return { kind: 'wrong', reason: 'too_many_decimals' }
  if (!read.ok) return { kind: 'wrong', reason: read.reason === 'too_large' ? 'above_maximum' : 'not_a_number' }
  if (read.value < 0) return { kind: 'wrong', reason: 'negative' }
  return read.value > maxScore ? { kind: 'wrong', reason: 'above_maximum' } : { kind: 'mark', score: read.value }
}
