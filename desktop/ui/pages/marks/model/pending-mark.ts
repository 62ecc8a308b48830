import type { MarkValue } from '@markbook/shared/domain/mark-codes'
import { type CellValue, cellValueOf, markOf } from './cell-value.ts'

/**
 * A mark that the server has not confirmed; `score` null deletes the mark. `seen`: the value that the user saw, null for none. `ours`: the
 * value that an earlier request of this window may have saved. State `fresh`: sent soon; `waiting`: sent when the server answers; `refused`
 * and `conflict`: wait for a decision.
 */
export type PendingMark = {
  readonly assessmentId: string
  readonly studentId: string
  readonly score: CellValue
  readonly remarks?: string | null | undefined
  readonly seen: CellValue
  readonly ours?: CellValue | undefined
  /** The time of entry, as an instant. */
  readonly at: string
  readonly state: 'fresh' | 'sending' | 'waiting' | 'refused' | 'conflict'
  /** The reason of a refusal, and its code. */
  readonly message?: string | undefined
  readonly code?: string | undefined
  /** The stored value of a conflict. */
  readonly theirs?: CellValue | undefined
}

export type MarkEntry = Pick<PendingMark, 'assessmentId' | 'studentId' | 'score' | 'remarks' | 'seen'>
export type StoredMark = MarkValue & { student_id: string; remarks: string | null }

/** Whether the mark is sent without a decision of the user. */
export const isSendable = ({ state }: PendingMark): boolean => state === 'fresh' || state === 'waiting' || state === 'sending'

/** Whether a request with an unknown outcome has been sent. */
export const mayBeOnServer = ({ state, ours }: PendingMark): boolean => state === 'sending' || ours !== undefined

/**
 * A new entry that replaces a pending one keeps its `seen`, since the server may still have that mark. Over a conflict it is the decision
 * where `theirs` was seen; else the conflict stays.
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
/** The mark as the contract takes it. */
export const markToSend = ({ studentId, score, remarks }: PendingMark): MarkToSend => ({
  studentId,
  ...markOf(score),
  ...(remarks !== undefined && { remarks }),
})

/** Compares a pending mark, which may have been saved, with the stored one: saved already, changed by somebody else, or to be sent. */
export function compareWithStored(pending: PendingMark, stored: StoredMark | undefined): 'arrived' | 'conflict' | 'sendable' {
  const present = cellValueOf(stored)
  const isSame = present === pending.score && (pending.remarks === undefined || (pending.remarks ?? '') === (stored?.remarks ?? ''))
  if (isSame) return 'arrived'
  const isKnown = present === pending.seen || present === pending.score || (pending.ours !== undefined && present === pending.ours)
  return isKnown ? 'sendable' : 'conflict'
}
