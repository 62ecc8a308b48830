/**
 * A mark that was entered here and that the server has not confirmed. `seen`: what stood there for the person who typed it, null for
 * nothing; `ours`: what an earlier try of this computer may have put there. `fresh` goes out in a moment, `waiting` once the server is
 * back, `offered` when the person says so (it was found on return), `refused` and `conflict` wait for a decision.
 */
export type Pending = {
  readonly assessmentId: string
  readonly studentId: string
  readonly score: number
  readonly remarks?: string | null | undefined
  readonly seen: number | null
  readonly ours?: number | undefined
  /** When it was typed, ISO. */
  readonly at: string
  readonly state: 'fresh' | 'sending' | 'waiting' | 'offered' | 'refused' | 'conflict'
  /** Of a refused one: why. */
  readonly message?: string | undefined
  /** In a conflict: what stands on the server now. */
  readonly theirs?: number | null | undefined
}

export type Entered = Pick<Pending, 'assessmentId' | 'studentId' | 'score' | 'remarks' | 'seen'>
/** A mark as the server has it. */
export type Recorded = { student_id: string; score: number; remarks: string | null }

/** States in which a mark goes out by itself. */
export const goesOut = ({ state }: Pending): boolean => state === 'fresh' || state === 'waiting' || state === 'sending'
export const needsDecision = ({ state }: Pending): boolean => state === 'refused' || state === 'conflict' || state === 'offered'

/**
 * A new entry over one that has not arrived: the person saw their own, but the server may still have what was there before. Over one in
 * conflict it is the decision.
 */
export function enteredOver(before: Pending | undefined, entered: Entered, at: string): Pending {
  const seen = before?.state === 'conflict' ? (before.theirs ?? null) : (before ?? entered).seen
  const remarks = entered.remarks === undefined ? before?.remarks : entered.remarks
  const ours = before?.state === 'sending' ? before.score : before?.ours
  return { ...entered, remarks, seen, ours, at, state: 'fresh' }
}

/**
 * What becomes of a mark of which nobody knows whether it arrived, now that the server's mark is known: it is there already, somebody
 * else's is there instead, or it may go.
 */
export function comparedWith(pending: Pending, there: Recorded | undefined): 'arrived' | 'conflict' | 'may go' {
  const present = there?.score ?? null
  const isSame = present === pending.score && (pending.remarks === undefined || (pending.remarks ?? '') === (there?.remarks ?? ''))
  if (isSame) return 'arrived'
  const isKnown = present === pending.seen || present === pending.score || (pending.ours !== undefined && present === pending.ours)
  return isKnown ? 'may go' : 'conflict'
}
