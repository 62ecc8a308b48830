import type { LiveMark } from '@markbook/shared/contract/grades'
import type { Standing } from './figures.ts'
import type { Pending } from './pending.ts'
import type { Wrong } from './typed-mark.ts'

/** The mark that stands: what was typed, where that is not in question, else what the server has. */
export function standingOf(saved: LiveMark | null | undefined, pending: Pending | null | undefined): Standing {
  const isInQuestion = pending?.state === 'conflict' || pending?.state === 'refused' || pending?.state === 'offered'
  if (pending && !isInQuestion) return { score: pending.score, is_excluded: saved?.is_excluded ?? false }
  return saved ? { score: saved.score, is_excluded: saved.is_excluded } : null
}

/** Whether two marks count the same, say the same, or are in every respect the same. */
export const sameStanding = (a: Standing, b: Standing) => a?.score === b?.score && a?.is_excluded === b?.is_excluded
type Values = Pick<LiveMark, 'score' | 'remarks' | 'is_excluded' | 'exclusion_reason'>
export const sameValues = (a: Values, b: Values) =>
  a.score === b.score && a.remarks === b.remarks && a.is_excluded === b.is_excluded && a.exclusion_reason === b.exclusion_reason
export const sameMark = (a: LiveMark, b: LiveMark) =>
  sameValues(a, b) && a.is_waiting === b.is_waiting && a.is_above === b.is_above && a.updated_at === b.updated_at

/** What was typed and is no mark: it stays in the cell until it is put right. */
export type Mistake = { text: string; reason: Wrong }
export type Mistyped = Place & { mistake: Mistake }
type Place = { assessmentId: string; studentId: string }

/** What was mistyped in these assessments; `mistakes` by assessment and student. */
export const mistypedAmong = (mistakes: ReadonlyMap<string, Mistake>, assessmentIds: ReadonlySet<string>): Mistyped[] =>
  [...mistakes].flatMap(([key, mistake]) => {
    const [assessmentId = '', studentId = ''] = key.split('/')
    return assessmentIds.has(assessmentId) ? [{ assessmentId, studentId, mistake }] : []
  })

/** Marks by the assessment that they are of. */
export function byAssessment(marks: readonly LiveMark[]): Map<string, LiveMark[]> {
  const groups = new Map<string, LiveMark[]>()
  for (const mark of marks) groups.set(mark.assessment_id, [...(groups.get(mark.assessment_id) ?? []), mark])
  return groups
}
