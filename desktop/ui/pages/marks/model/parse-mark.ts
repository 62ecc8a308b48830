import { parseDecimal } from '@markbook/shared/domain/decimal'
import { type MarkCode, markAfter, readMarkText } from '@markbook/shared/domain/mark-codes'
import { limits } from '@markbook/shared/limits'
import { type CellValue, cellValueOf, markOf } from './cell-value.ts'

/** Why a text is no mark; the key of its translation under `wrong`. */
export type MarkError = 'not_a_number' | 'code_or_score' | 'too_many_decimals' | 'negative' | 'above_maximum' | 'not_for_pupil'
export type ParsedMark = { kind: 'empty' } | { kind: 'mark'; score: Exclude<CellValue, null> } | { kind: 'wrong'; reason: MarkError }

/**
 * Parses a typed or pasted mark: a score, or one of the `codes`, alone or with a score. A code that can stand beside scores keeps the score
 * of the mark `before`. Comma and point are decimal separators; spaces are ignored.
 */
export function parseMark(text: string, maxScore: number, codes: readonly MarkCode[], before: CellValue = null): ParsedMark {
  const { score, code } = readMarkText(text, codes)
  const typed = parseScore(score, maxScore)
  if (code === null || typed.kind === 'wrong') return typed
  const entered = { status: code.code, ...(typed.kind === 'mark' && { score: typed.score }) }
  const after = markAfter(markOf(before), entered, codes)
  const value = typeof after === 'string' ? null : cellValueOf(after)
  return value === null ? { kind: 'wrong', reason: 'code_or_score' } : { kind: 'mark', score: value }
}

function parseScore(text: string, maxScore: number): { kind: 'mark'; score: number } | Exclude<ParsedMark, { kind: 'mark' }> {
  const plain = text.replace(/[\s\u00a0\u202f]/g, '')
  if (plain === '') return { kind: 'empty' }
  const read = parseDecimal(plain, limits.score.decimals)
  if (!read.ok && read.reason === 'too_many_decimals') return { kind: 'wrong', reason: 'too_many_decimals' }
  if (!read.ok) return { kind: 'wrong', reason: read.reason === 'too_large' ? 'above_maximum' : 'not_a_number' }
  if (read.value < 0) return { kind: 'wrong', reason: 'negative' }
  return read.value > maxScore ? { kind: 'wrong', reason: 'above_maximum' } : { kind: 'mark', score: read.value }
}
