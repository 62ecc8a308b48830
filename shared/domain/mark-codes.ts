/**
 * What a code does to results. `left_out`: as if there were no mark. `zero`: a score of 0. `under_review`: left out, and the subject is
 * named as under review until a score is there. `with_score`: nothing; the code stands beside the score, if there is one.
 */
export const codeEffects = ['left_out', 'zero', 'under_review', 'with_score'] as const
type CodeEffect = (typeof codeEffects)[number]

/** A code that stands in a cell of the mark grid. `code` in lower case. `printed`: on report cards. */
export type MarkCode = { code: string; name: string; effect: CodeEffect; printed: boolean }

/** The codes that every school has. A school may rename them, print them or not, and have more; their effect is fixed. */
export const standardMarkCodes: readonly MarkCode[] = [
  { code: 'abs', name: 'Absent', effect: 'left_out', printed: true },
  { code: 'ex', name: 'Excused', effect: 'left_out', printed: true },
  { code: 'late', name: 'Late', effect: 'with_score', printed: false },
  { code: 'inc', name: 'Incomplete', effect: 'under_review', printed: true },
]

export const codeNamed = (codes: readonly MarkCode[], status: string | null): MarkCode | undefined =>
  status === null ? undefined : codes.find(({ code }) => code === status)

/** Whether the code leaves no score beside it. */
const isInPlace = (code: MarkCode | undefined): boolean => code?.effect === 'left_out' || code?.effect === 'under_review'

/** What is recorded of a pupil in an assessment. Both null: nothing, as after two people changed both at once. */
export type MarkValue = { score: number | null; status: string | null }
/** What somebody says of it; what is absent stays, as far as the rest allows. */
export type EnteredMark = { score?: number | null | undefined; status?: string | null | undefined }
export type MarkFault = 'unknown_code' | 'code_or_score' | 'needs_score'

/**
 * The mark after somebody entered a score or a code. A code in place of a score takes the score away; a score takes away the code in whose
 * place it comes, and leaves one that stands beside scores.
 */
export function markAfter(before: MarkValue | null, { score, status }: EnteredMark, codes: readonly MarkCode[]): MarkValue | MarkFault {
  // Said whole as it is, with a remark say, also where the school has the code no more.
  if (before && score === before.score && status === before.status) return before
  const old = before ?? { score: null, status: null }
  if (status === undefined) {
    if (score === undefined) return old
    if (score === null) return isInPlace(codeNamed(codes, old.status)) ? { ...old, score } : 'needs_score'
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
 * What codes say of a pupil's subject in a term. `coursework_code`, `exam_code`: the code to print where that average would stand, absent
 * where there is an average or the school does not print the code. `under_review`: a mark is still to come.
 */
export type SubjectCodes = { coursework_code?: string; exam_code?: string; under_review?: true }

/** The codes that say nothing of how a mark without a score ends: it is still to come. */
export const codesOfMarksToCome = (codes: readonly MarkCode[]): string[] =>
  codes.flatMap(({ code, effect }) => (effect === 'under_review' || effect === 'with_score' ? [code] : []))

/** Whether nothing is awaited any more: there is a score, or a code that is not one of a mark still to come. */
export const isRecorded = (
  { score, status = null }: { score: number | null; status?: string | null },
  codes: readonly MarkCode[],
): boolean => score !== null || (status !== null && !codesOfMarksToCome(codes).includes(status))

/** A typed text as the text of a score and a code: «abs», «15», «15 late». A word that is no code stays in `score`, to be refused there. */
export function readMarkText(text: string, codes: readonly MarkCode[]): { score: string; code: MarkCode | null } {
  const words = text.trim().split(/\s+/)
  const found = words.flatMap((word) => codeNamed(codes, word.toLowerCase()) ?? [])
  const [code = null] = found
  if (code === null || found.length > 1) return { score: text.trim(), code: null }
  return { score: words.filter((word) => word.toLowerCase() !== code.code).join(' '), code }
}
