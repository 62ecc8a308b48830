import type { LiveMark } from '@markbook/shared/contract/grades'
import { type CellValue, cellValueOf, markOf } from './cell-value.ts'
import type { EffectiveMark } from './figures.ts'
import type { MarkError } from './parse-mark.ts'
import type { PendingMark } from './pending-mark.ts'

/** The mark that counts: the pending one, unless it needs a decision, else the saved one; null for none. */
export function effectiveMark(saved: LiveMark | null | undefined, pending: PendingMark | null | undefined): EffectiveMark {
  const isInQuestion = pending?.state === 'conflict' || pending?.state === 'refused'
  if (pending && !isInQuestion)
    return pending.score === null ? null : { ...markOf(pending.score), is_excluded: saved?.is_excluded ?? false }
  return saved ? { score: saved.score, status: saved.status, is_excluded: saved.is_excluded } : null
}

/** Whether somebody else saved another mark since `seen`. The user's own mark that is being sent is not saved yet. */
export const isSavedMeanwhile = ({ saved, pending }: { saved: LiveMark | null; pending: PendingMark | null }, seen: CellValue): boolean =>
  cellValueOf(saved) !== seen && (pending === null || pending.state === 'conflict')

/** The remark of a cell: the pending one, else the saved one. */
export const remarkOf = ({ saved, pending }: { saved: LiveMark | null; pending: PendingMark | null }): string =>
  (pending?.remarks === undefined ? saved?.remarks : pending.remarks) ?? ''

/** Three comparisons: of what counts, of all values, and of the whole mark. */
export const isSameEffectiveMark = (a: EffectiveMark, b: EffectiveMark) =>
  cellValueOf(a) === cellValueOf(b) && a?.is_excluded === b?.is_excluded
type Values = Pick<LiveMark, 'score' | 'status' | 'remarks' | 'is_excluded' | 'exclusion_reason'>
export const hasSameValues = (a: Values, b: Values) =>
  cellValueOf(a) === cellValueOf(b) &&
  a.remarks === b.remarks &&
  a.is_excluded === b.is_excluded &&
  a.exclusion_reason === b.exclusion_reason
export const isSameMark = (a: LiveMark, b: LiveMark) =>
  hasSameValues(a, b) && a.is_waiting === b.is_waiting && a.is_above === b.is_above && a.updated_at === b.updated_at

/** An entry that is no valid mark; it stays in its cell until it is corrected. */
export type InvalidEntry = { text: string; reason: MarkError }
export type InvalidCell = MarkKey & { invalid: InvalidEntry }
export type MarkKey = { assessmentId: string; studentId: string }

/** The items by their keys, in the order in which they come. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
