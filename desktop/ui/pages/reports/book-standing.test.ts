import type { ReportStanding } from '@markbook/shared/contract/reports'
import { expect, test } from 'vitest'
import { areAllCurrent, countPdfs, differsFromSent, isOutdated, pdfStateOf } from './book-standing.ts'

const one = (status: ReportStanding['status'], is_behind: boolean, paper: 'none' | 'older' | 'current'): ReportStanding => ({
  report_id: 'x',
  status,
  is_behind,
  was_behind: false,
  standing_hash: '',
  paper: paper === 'none' ? null : { generated_at: '2026-01-10T08:00:00.000Z', is_older: paper === 'older' },
})

test('a PDF is older where its report book is behind the marks, except for one that was sent', () => {
  expect(pdfStateOf(one('draft', true, 'current'))).toBe('older')
  expect(pdfStateOf(one('published', false, 'current'))).toBe('current')
  expect(pdfStateOf(one('sent_to_ministry', true, 'current'))).toBe('current')
  expect(pdfStateOf(one('draft', true, 'none'))).toBe('none')
})

test('report books to make again are counted separately from sent ones', () => {
  const list = [
    one('draft', true, 'current'),
    one('published', false, 'older'),
    one('draft', false, 'none'),
    one('draft', false, 'current'),
    one('sent_to_ministry', true, 'older'),
    one('sent_to_ministry', false, 'none'),
  ]
  expect(countPdfs(list)).toEqual({ all: 6, current: 1, behind: 1, older: 2, none: 1, sentOlder: 1, sentNone: 1 })
})

test('a download asks nothing where every PDF is current', () => {
  expect(areAllCurrent(countPdfs([one('draft', false, 'current'), one('sent_to_ministry', true, 'current')]))).toBe(true)
  expect(areAllCurrent(countPdfs([one('draft', false, 'none')]))).toBe(false)
  expect(areAllCurrent(countPdfs([one('sent_to_ministry', false, 'older')]))).toBe(false)
})

test('a sent report book that is behind is not outdated, but differs from the present results', () => {
  const [sent, open] = [one('sent_to_ministry', true, 'current'), one('published', true, 'current')]
  expect([isOutdated(sent), differsFromSent(sent)]).toEqual([false, true])
  expect([isOutdated(open), differsFromSent(open)]).toEqual([true, false])
  expect(differsFromSent(one('sent_to_ministry', false, 'current'))).toBe(false)
})
