import { moveIn } from './moves.ts'

/**
 * Join request (specification, «States and transitions»; decisions §4, withdrawal). `none` is no request at all: a rejected
 * request stays as it is, and the requester starts another.
 */
const joinRequestMoves = {
  none: { submit: 'pending' },
  pending: { approve: 'approved', reject: 'rejected', withdraw: 'none' },
  approved: {},
  rejected: {},
} as const

export type JoinRequestState = keyof typeof joinRequestMoves
export type JoinRequestMove = 'submit' | 'approve' | 'reject' | 'withdraw'

/** The state after a move, or null for a move that the state does not allow. */
export const moveJoinRequest = (state: JoinRequestState, move: JoinRequestMove): JoinRequestState | null =>
  moveIn(joinRequestMoves, state, move)
