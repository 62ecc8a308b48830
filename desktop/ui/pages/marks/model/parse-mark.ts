import { parseDecimal } from '@markbook/shared/domain/decimal'
import { limits } from '@markbook/shared/limits'

/** Why a text is no mark; a key of the translations under `wrong`. */
export type MarkError = 'not_a_number' | 'too_many_decimals' | 'negative' | 'above_maximum'
export type ParsedMark = { kind: 'empty' } | { kind: 'mark'; score: number } | { kind: 'wrong'; reason: MarkError }

/** Parses a typed or pasted mark. Comma and point are decimal separators; spaces are ignored. */
export function parseMark(text: string, maxScore: number): ParsedMark {
  const plain = text.replace(/[\s\u00a0\u202f]/g, '')
  if (plain === '') return { kind: 'empty' }
  const read = parseDecimal(plain, limits.score.decimals)
  if (!read.ok && read.reason === 'too_many_decimals') return { kind: 'wrong', reason: 'too_many_decimals' }
  if (!read.ok) return { kind: 'wrong', reason: read.reason === 'too_large' ? 'above_maximum' : 'not_a_number' }
  if (read.value < 0) return { kind: 'wrong', reason: 'negative' }
  return read.value > maxScore ? { kind: 'wrong', reason: 'above_maximum' } : { kind: 'mark', score: read.value }
}
