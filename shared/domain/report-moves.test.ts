import { expect, test } from 'vitest'
import { isLocked, moveReport, type ReportMove, type ReportStatus } from './report-moves.ts'

test.each<[ReportStatus, ReportMove, ReportStatus | null]>([
  ['draft', 'publish', 'published'],
  ['draft', 'sendToMinistry', null],
  ['published', 'publish', null],
  ['published', 'sendToMinistry', 'sent_to_ministry'],
  ['sent_to_ministry', 'publish', null],
  ['sent_to_ministry', 'sendToMinistry', null],
])('%s, %s → %s', (status, move, next) => {
  expect(moveReport(status, move)).toBe(next)
})

test('a word that every object knows is not a move', () => {
  expect(moveReport('draft', 'toString' as ReportMove)).toBeNull()
})

test('only a report sent to the ministry is locked', () => {
  expect([isLocked('draft'), isLocked('published'), isLocked('sent_to_ministry')]).toEqual([false, false, true])
})
