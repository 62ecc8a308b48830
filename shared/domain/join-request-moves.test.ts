import { expect, test } from 'vitest'
import { type JoinRequestMove, type JoinRequestState, moveJoinRequest } from './join-request-moves.ts'

test.each<[JoinRequestState, JoinRequestMove, JoinRequestState | null]>([
  ['none', 'submit', 'pending'],
  ['none', 'approve', null],
  ['none', 'reject', null],
  ['none', 'withdraw', null],
  ['pending', 'submit', null],
  ['pending', 'approve', 'approved'],
  ['pending', 'reject', 'rejected'],
  ['pending', 'withdraw', 'none'],
  ['approved', 'submit', null],
  ['approved', 'approve', null],
  ['approved', 'reject', null],
  ['approved', 'withdraw', null],
  ['rejected', 'submit', null],
  ['rejected', 'approve', null],
  ['rejected', 'reject', null],
  ['rejected', 'withdraw', null],
])('%s, %s → %s', (state, move, next) => {
  expect(moveJoinRequest(state, move)).toBe(next)
})
