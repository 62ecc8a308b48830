import { describe, expect, test } from 'vitest'
import { isLocked, isSentBack, lacksApproval, moveReport, type ReportMove, type ReportStatus, waitsForApproval } from './report-moves.ts'

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

test('a property of Object.prototype is not a move', () => {
  expect(moveReport('draft', 'toString' as ReportMove)).toBeNull()
})

test('only a report sent to the ministry is locked', () => {
  expect([isLocked('draft'), isLocked('published'), isLocked('sent_to_ministry')]).toEqual([false, false, true])
})

describe('approval', () => {
  const approved = '2026-01-12T08:00:00.000Z'
  test.each([
    [true, null, true],
    [true, approved, false],
    [false, null, false],
    [null, null, false],
    [null, approved, false],
  ])('a school that says %s, a report approved at %s: lacking is %s', (approves_reports, approved_at, lacks) => {
    expect(lacksApproval({ approves_reports }, { approved_at })).toBe(lacks)
  })

  test.each<[ReportStatus, string | null, string | null, boolean]>([
    ['draft', 'A steady term.', null, true],
    ['published', 'A steady term.', null, true],
    ['sent_to_ministry', 'A steady term.', null, false],
    ['draft', 'A steady term.', approved, false],
    ['draft', ' \n', null, false],
    ['draft', null, null, false],
  ])('a report that is %s, with the remark %j, approved at %s: it waits is %s', (status, class_teacher_remark, approved_at, waits) => {
    const report = { status, class_teacher_remark, approved_at, sent_back_at: null, is_changed_since_sent_back: false }
    expect(waitsForApproval({ approves_reports: true }, report)).toBe(waits)
    expect(waitsForApproval({ approves_reports: null }, report)).toBe(false)
  })

  test.each<[ReportStatus, string | null, boolean, 'teacher' | 'head' | 'nobody']>([
    ['draft', 'A steady term.', false, 'teacher'],
    ['published', 'A steady term.', false, 'teacher'],
    ['draft', 'A steady term.', true, 'head'],
    ['draft', null, false, 'teacher'],
    ['draft', null, true, 'nobody'],
    ['sent_to_ministry', 'A steady term.', false, 'nobody'],
  ])('a report that is %s, with the remark %j, sent back, changed since %s: it waits for the %s', (status, remark, isChanged, whom) => {
    const report = {
      status,
      class_teacher_remark: remark,
      approved_at: null,
      sent_back_at: approved,
      is_changed_since_sent_back: isChanged,
    }
    const school = { approves_reports: true }
    expect(isSentBack(school, report)).toBe(whom === 'teacher')
    expect(waitsForApproval(school, report)).toBe(whom === 'head')
    expect(isSentBack({ approves_reports: null }, report)).toBe(false)
    expect(isSentBack(school, { ...report, approved_at: approved })).toBe(false)
  })
})
