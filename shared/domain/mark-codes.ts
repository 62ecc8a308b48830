/**
 * The effect of a code on results. `left_out`: as if there were no mark. `zero`: a score of 0. `under_review`: left out, and the subject
 * is marked as under review until there is a score. `with_score`: none; the code may stand beside a score.
 */
export const codeEffects = ['left_out', 'zero', 'under_review', 'with_score'] as const
type CodeEffect = (typeof codeEffects)[number]

/** A code in a cell of the mark grid. `code` in lower case. `printed`: whether report cards print it. */
export type MarkCode = { code: string; name: string; effect: CodeEffect; printed: boolean }

/** The codes of every school. A school may rename them, choose whether they are printed, and add more; their effect is fixed. */
export const standardMarkCodes: readonly MarkCode[] = [
  { code: 'abs', name: 'Absent', effect: 'left_out', printed: true },
  { code: 'ex', name: 'Excused', effect: 'left_out', printed: true },
  { code: 'late', name: 'Late', effect: 'with_score', printed: false },
  { code: 'inc', name: 'Incomplete', effect: 'under_review', printed: true },
]

export const codeNamed = (codes: readonly MarkCode[], status: string | null): MarkCode | undefined =>
  status === null ? undefined : codes.find(({ code }) => code === status)

/** Whether the code replaces the score. */
const replacesScore = (code: MarkCode | undefined): boolean => code?.effect === 'left_out' || code?.effect === 'under_review'

/** What is recorded for a pupil in an assessment. Both null: nothing, for example after two people changed both at once. */
export type MarkValue = { score: number | null; status: string | null }
/** The entered fields; an absent field keeps its value where the other field allows it. */
export type EnteredMark = { score?: number | null | undefined; status?: string | null | undefined }
export type MarkFault = 'unknown_code' | 'code_or_score' | 'needs_score'

/**
 * The mark after somebody entered a score or a code. A code in place of a score clears the score. A score clears a code in place of a
 * score, and keeps a code beside scores.
 */
export function markAfter(before: MarkValue | null, { score, status }: EnteredMark, codes: readonly MarkCode[]): MarkValue | MarkFault {
  // An unchanged mark sent again (with a new remark, for example) stays, even where the school has removed the code.
  if (before && score === before.score && status === before.status) return before
  const old = before ?? { score: null, status: null }
  if (status === undefined) {
    if (score === undefined) return old
    if (score === null) return replacesScore(codeNamed(codes, old.status)) ? { ...old, score } : 'needs_score'
    return { score, status: codeNamed(codes, old.status)?.effect === 'with_score' ? old.status : null }
  }
  const kept = score === undefined ? old.score : score
  if (status === null) return kept === null ? 'needs_score' : { score: kept, status }
  const code = codeNamed(codes, status)
  if (!code) return status === old.status && score === undefined ? old : 'unknown_code'
  if (code.effect === 'with_score') return { score: kept, status }
  const inPlace = code.effect === 'zero' ? 0 : null
  return score === undefined || score === null || score === inPlace ? { score: inPlace, status } : 'code_or_score'
}

/**
 * The codes of a pupil's subject in a term. `coursework_code`, `exam_code`: the code printed in place of that average; absent where there
 * is an average or the school does not print the code. `under_review`: a mark is still expected.
 */
export type SubjectCodes = { coursework_code?: string; exam_code?: string; under_review?: true }

/** The codes of marks whose score is still expected. */
export const codesOfMarksToCome = (codes: readonly MarkCode[]): string[] =>
  codes.flatMap(({ code, effect }) => (effect === 'under_review' || effect === 'with_score' ? [code] : []))

/** Whether the mark is complete: there is a score, or a code other than those of marks still expected. */
export const isRecorded = (
  { score, status = null }: { score: number | null; status?: string | null },
  codes: readonly MarkCode[],
): boolean => score !== null || (status !== null && !codesOfMarksToCome(codes).includes(status))

/**
 * Splits a typed text into the texts of a score and of a code: «abs», «15», «15 late». An unknown word stays in `score`, where it is
 * refused.
 */
export function readMarkText(text: string, codes: readonly MarkCode[]): { score: string; code: MarkCode | null } {
  const words = text.trim().split(/\s+/)
  const found = words.flatMap((word) => codeNamed(codes, word.toLowerCase()) ?? [])
  const [code = null] = found
  if (code === null || found.length > 1) return { score: text.trim(), code: null }
  return { score: words.filter((word) => word.toLowerCase() !== code.code).join(' '), code }
}
