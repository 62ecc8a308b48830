import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import { initWords, loadRemainingWords } from '../words/words.ts'
import { connectionSummary, type OpenWork, openWorkSummary, syncSummaryOf } from './sync-summary.ts'

beforeAll(async () => {
  await initWords('en')
  await loadRemainingWords()
})

const now = Date.parse('2026-01-12T10:00:00.000Z')
const quiet: SyncStatus = {
  state: 'up_to_date',
  obstacle: null,
  sentence: '',
  parent: { name: 'Centre', kind: 'centre' },
  is_laptop: false,
  holds: { why: null, school: null, pupils: 0, marks: 0, as_of: null },
  may_join: false,
  reached: 'centre',
  last_seen_at: null,
  waiting: 0,
  waiting_marks: 0,
  oldest_waiting_at: null,
  copy: null,
  files_to_send: 0,
  files_to_come: 0,
  open_conflicts: 0,
  schools_below: 0,
  laptops_below: 0,
  copies: 0,
  held: 0,
  refused: 0,
  refused_below: 0,
  compared_at: null,
  difference: null,
  clock_offset_ms: 0,
}
const nothing: OpenWork = { decisions: 0, stuck: 0, below: 0, copies: 0 }
const said = (status: Partial<SyncStatus>, needs = nothing, language = 'en') =>
  syncSummaryOf(i18next.getFixedT(language, 'sync'), { ...quiet, ...status }, needs, now).text

const school = { name: 'The office', kind: 'school' } as const

test('says where all marks are, by the parent of this server', () => {
  expect(said({})).toBe('All marks are at the ministry')
  expect(said({ parent: school, is_laptop: true, reached: 'school' })).toBe('All marks are at school')
  expect(said({ parent: school, is_laptop: true, reached: 'centre' })).toBe('All marks are at the ministry')
  expect(said({ state: 'alone', parent: null })).toBe('Everything is saved on this server')
  expect(said({ files_to_send: 2 })).toBe('All marks are at the ministry; 2 files on the way')
})

test('does not say that all marks have arrived while both ends differ', () => {
  const found = { found_at: '2026-01-12T08:00:00.000Z', tables: [{ entity: 'grade', here: 38, there: 44 }] }
  const open = { difference: { ...found, healed_at: null } }
  expect(said(open)).toBe('Not all is the same at the ministry')
  expect(said({ ...open, state: 'offline' })).toBe('Not all is the same at the ministry')
  expect(said({ ...open, parent: school, is_laptop: true, reached: 'school' })).toBe('Not all is the same at school')
  expect(said({ ...open, state: 'offline', waiting: 1, waiting_marks: 1 })).toBe('Offline: 1 mark waits')
  expect(said({ difference: { ...found, healed_at: '2026-01-12T09:00:00.000Z' } })).toBe('All marks are at the ministry')
})

test('says what waits to be sent, marks first, and after a minute for how long', () => {
  const offline = { state: 'offline' as const, waiting: 37, waiting_marks: 37 }
  expect(said({ ...offline, oldest_waiting_at: '2026-01-12T08:00:00.000Z' })).toBe('Offline: 37 marks wait, the oldest for 2 hours')
  expect(said({ ...offline, oldest_waiting_at: '2026-01-12T09:59:40.000Z' })).toBe('Offline: 37 marks wait')
  expect(said({ state: 'offline', waiting: 1, waiting_marks: 1 })).toBe('Offline: 1 mark waits')
  expect(said({ state: 'offline', waiting: 4, waiting_marks: 2, files_to_send: 1 })).toMatch(
    /^Offline: 2 marks, 2 other changes,? and 1 file wait$/,
  )
  expect(said({ state: 'offline' })).toBe('Offline; all marks are at the ministry')
  expect(said({ state: 'sending', waiting: 3, waiting_marks: 3 })).toBe('Sending 3 marks …')
})

test('says first what this person must do', () => {
  expect(said({ state: 'offline', waiting: 1, waiting_marks: 1, open_conflicts: 2 }, { ...nothing, decisions: 2 })).toBe(
    '2 entries need your decision',
  )
  expect(said({ open_conflicts: 2 })).toBe('All marks are at the ministry')
  expect(said({ refused: 1 }, { ...nothing, stuck: 1 })).toBe('1 entry was not taken')
  expect(said({ refused_below: 2 }, { ...nothing, below: 2 })).toBe('2 entries sent here were not taken')
  expect(said({ refused_below: 2 })).toBe('All marks are at the ministry')
  expect(said({ state: 'revoked' }, { decisions: 1, stuck: 1, below: 1, copies: 1 })).toBe('This computer may no longer send')
})

test('says what stops replication although the parent answers', () => {
  const offline = { state: 'offline' as const, waiting: 2, waiting_marks: 2 }
  expect(said({ ...offline, obstacle: 'parent_older' })).toBe('The ministry’s program is too old to receive')
  expect(said({ ...offline, obstacle: 'parent_older', parent: school })).toBe('The school’s program is too old to receive')
  expect(said({ ...offline, obstacle: 'altered' })).toBe('Something on the line changes what is sent')
  expect(said({ state: 'upgrade' })).toBe('This program is too old to send')
})

test('says the progress of a first copy', () => {
  expect(said({ copy: { copied: 1_200, total: 6_000 } })).toBe('First copy: 1200 of 6000')
})

test('connection and work have separate sentences', () => {
  const t = i18next.getFixedT('en', 'sync')
  const cut = { ...quiet, state: 'offline' as const, waiting: 2, waiting_marks: 2, oldest_waiting_at: '2026-01-12T07:00:00.000Z' }
  expect(connectionSummary(t, { ...cut, open_conflicts: 3 }, now).text).toBe('Offline: 2 marks wait, the oldest for 3 hours')
  expect(openWorkSummary(t, { ...nothing, decisions: 3, stuck: 1 })?.text).toBe('3 entries need your decision')
  expect(openWorkSummary(t, { ...nothing, copies: 1 })).toMatchObject({ text: '1 computer was copied', isWork: true })
  expect(openWorkSummary(t, nothing)).toBeNull()
})
