/**
 * What a code does to results. `left_out`: as if there were no mark. `zero`: a score of 0. `under_review`: left out, and the subject is
 * named as under review until a score is there. `with_score`: nothing; the code stands beside the score, if there is one.
 */
export const codeEffects = ['left_out', 'zero', 'under_review', 'with_score'] as const
export type CodeEffect = (typeof codeEffects)[number]

/** A code that stands in a cell of the mark grid. `code` in lower case. `is_printed`: on report cards. */
export type MarkCode = { code: string; name: string; effect: CodeEffect; is_printed: boolean }

/** The codes that every school has. A school may rename them, print them or not, and have more; their effect is fixed. */
export const standardMarkCodes: readonly MarkCode[] = [
  { code: 'abs', name: 'Absent', effect: 'left_out', is_printed: true },
  { code: 'ex', name: 'Excused', effect: 'left_out', is_printed: true },
  { code: 'late', name: 'Late', effect: 'with_score', is_printed: false },
  { code: 'inc', name: 'Incomplete', effect: 'under_review', is_printed: true },
]
