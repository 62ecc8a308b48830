import { moveIn } from './moves.ts'

/**
 * Join request (specification, «States and transitions»; decisions §4, withdrawal). `none`: there is no request. A rejected request stays;
 * the requester makes a new one.
 */
const joinRequestMoves = {
  none: { submit: 'pending' },
  pending: { approve: 'approved', reject: 'rejected', withdraw: 'none' },
  approved: {},
  rejected: {},
} as const

export type JoinRequestState = keyof typeof joinRequestMoves
export type JoinRequestMove = 'submit' | 'approve' | 'reject' | 'withdraw'

/** The state after a move, or null where the state does not allow the move. */
export const moveJoinRequest = (state: JoinRequestState, move: JoinRequestMove): JoinRequestState | null =>
  moveIn(joinRequestMoves, state, move)
