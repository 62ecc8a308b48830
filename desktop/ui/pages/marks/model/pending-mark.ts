import type { MarkValue } from '@markbook/shared/domain/mark-codes'
import { type CellValue, cellValueOf, markOf } from './cell-value.ts'

/**
 * A mark that the server has not confirmed; a `score` of null takes the mark away. `seen`: the score that the user saw when typing, null for none. `ours`: the score that an
 * earlier request of this window may have stored. `fresh` is sent soon, `waiting` once the server answers; `refused` and `conflict` wait for a
 * decision.
 */
export type PendingMark = {
  readonly assessmentId: string
  readonly studentId: string
  readonly score: CellValue
  readonly remarks?: string | null | undefined
  readonly seen: CellValue
  readonly ours?: CellValue | undefined
  /** Time of entry, ISO. */
  readonly at: string
  readonly state: 'fresh' | 'sending' | 'waiting' | 'refused' | 'conflict'
  /** The reason of a refusal, and its code. */
  readonly message?: string | undefined
  readonly code?: string | undefined
  /** The stored score of a conflict. */
  readonly theirs?: CellValue | undefined
}

export type MarkEntry = Pick<PendingMark, 'assessmentId' | 'studentId' | 'score' | 'remarks' | 'seen'>
export type StoredMark = MarkValue & { student_id: string; remarks: string | null }

/** True where the mark is sent without a decision. */
export const isSendable = ({ state }: PendingMark): boolean => state === 'fresh' || state === 'waiting' || state === 'sending'

/**
 * A new entry in place of a pending one keeps its `seen`, since the server may still have that mark. In place of a conflict it is the
 * decision for the new mark where the other one was seen, and else the conflict goes on.
 */
export function replacePending(before: PendingMark | undefined, entered: MarkEntry, at: string): PendingMark {
  const theirs = before?.theirs ?? null
  const isDecided = before?.state === 'conflict' && entered.seen === theirs
  const seen = (isDecided ? entered : (before ?? entered)).seen
  const remarks = entered.remarks === undefined ? before?.remarks : entered.remarks
  const ours = before?.state === 'sending' ? before.score : before?.ours
  const goesOn = before?.state === 'conflict' && !isDecided
  return { ...entered, remarks, seen, ours, at, ...(goesOn ? { state: 'conflict', theirs } : { state: 'fresh' }) }
}

export type MarkToSend = MarkValue & { studentId: string; remarks?: string | null }
/** What the interface takes of a mark. */
export const markToSend = ({ studentId, score, remarks }: PendingMark): MarkToSend => ({
  studentId,
  ...markOf(score),
  ...(remarks !== undefined && { remarks }),
})

/** Compares a pending mark, of which it is unknown whether it arrived, with the stored one. */
export function compareWithStored(pending: PendingMark, stored: StoredMark | undefined): 'arrived' | 'conflict' | 'sendable' {
  const present = cellValueOf(stored)
  const isSame = present === pending.score && (pending.remarks === undefined || (pending.remarks ?? '') === (stored?.remarks ?? ''))
  if (isSame) return 'arrived'
  const isKnown = present === pending.seen || present === pending.score || (pending.ours !== undefined && present === pending.ours)
  return isKnown ? 'sendable' : 'conflict'
}
