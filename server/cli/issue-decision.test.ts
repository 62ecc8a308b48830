import type { Conflict, RefusedWrite } from '@markbook/shared/contract/replication.rows'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import type { Issue } from '../features/replication/issues.ts'
import { decisionOf } from './issue-decision.ts'
import type { DescribedIssue } from './issue-text.ts'

const conflict: Conflict = {
  id: zoe.id,
  entity: 'grade',
  row_id: mathsExam.id,
  unit: 'score',
  units: ['score'],
  kind: 'value',
  reason: null,
  kept: { score: 81 },
  current: { score: 71 },
  before: null,
  out_of: 100,
  where: 'Adeyemi Zoë · Christmas exam',
  actor: people.ada,
  at: '2026-01-09T15:00:00.000Z',
  node: 'STAFF-PC-07',
  clock_off_ms: null,
  standing: null,
  may_decide: true,
  status: 'open',
  resolved_at: null,
  resolved_by: null,
}
const refused: RefusedWrite = {
  ...conflict,
  units: ['score'],
  value: { score: 12 },
  may_enter: true,
  code: 'forbidden',
  refused_at: conflict.at,
  seen_at: null,
  from: null,
}
const node = {
  id: zoe.id,
  side: 'child',
  kind: 'laptop',
  name: 'PC',
  user: people.ada,
  url: null,
  enrolled_at: conflict.at,
  last_seen_at: null,
  clock_offset_ms: 90_000,
  revoked_at: null,
  wipe_asked_at: null,
  wiped_at: null,
  began_anew: { name: 'PC (2)', at: conflict.at, both_heard: true },
} as const
const at = { ref: 'edd119aaaaaaaaaa', school: zoe.id, since: conflict.at, isDone: false }
const told = (issue: Issue, of: Conflict | null = null): DescribedIssue => ({ issue, short: 'edd119', conflict: of, named: () => null })
const ofConflict = (change: Partial<Conflict> = {}, isDone = false) =>
  // `decisionOf` does not read the stored rows.
  told({ ...at, kind: 'conflict', about: conflict as never, records: [] as never, isDone }, { ...conflict, ...change })
const ofRefused = (change: Partial<RefusedWrite> = {}, isDone = false) =>
  told({ ...at, kind: 'refused', about: { ...refused, ...change }, isDone })

const typed = (choice?: 'now' | 'other', ...values: string[]) => ({ choice, values })
const decided = { of: 'conflict', id: zoe.id, deletes: false }

describe('the decision that is sent to the service', () => {
  test('chooses one of two values; choosing a kept deletion deletes', () => {
    expect(decisionOf(ofConflict(), typed('now'))).toEqual({ ...decided, body: { choice: 'current' } })
    expect(decisionOf(ofConflict(), typed('other'))).toEqual({ ...decided, body: { choice: 'kept' } })
    expect(decisionOf(ofConflict({ kept: null }), typed('now'))).toEqual({ ...decided, body: { choice: 'current' } })
    expect(decisionOf(ofConflict({ kept: null }), typed('other'))).toEqual({ ...decided, body: { choice: 'kept' }, deletes: true })
  })

  test.each([
    [{ score: 81 }, ['72.5'], { score: 72.5 }],
    [{ score: 81 }, ['72,5'], { score: 72.5 }],
    [{ score: 81 }, ['score=72'], { score: 72 }],
    [{ remarks: 'a' }, ['b=c'], { remarks: 'b=c' }],
    [{ remarks: 'a' }, [' '], { remarks: null }],
    [{ score: null }, ['5'], { score: 5 }],
    [
      { is_excluded: true, exclusion_reason: 'ill' },
      ['exclusion_reason=', 'is_excluded=no'],
      { is_excluded: false, exclusion_reason: null },
    ],
  ])('of %o the value %o is %o', (kept, values, value) => {
    expect(decisionOf(ofConflict({ kept }), typed(undefined, ...values))).toEqual({ ...decided, body: { choice: 'typed', value } })
  })

  test('puts a refused write aside', () => {
    const aside = { of: 'refused', id: zoe.id, enters: false, deletes: false }
    expect(decisionOf(ofRefused(), typed())).toEqual(aside)
    expect(decisionOf(ofRefused(), typed('now'))).toEqual(aside)
  })
  test('enters one that can be entered', () => {
    const entered = { of: 'refused', id: zoe.id, enters: true, deletes: false }
    expect(decisionOf(ofRefused(), typed('other'))).toEqual(entered)
    expect(decisionOf(ofRefused({ value: null }), typed('other'))).toEqual({ ...entered, deletes: true })
  })
})

describe('wrong usage says what can be typed instead', () => {
  const copy = told({ ...at, kind: 'copy', about: node })
  const held = { entity: 'grade', row_id: zoe.id, where: '', reason: 'waits for its assessment', since: conflict.at, tries: 2 }
  const both = { is_excluded: true, exclusion_reason: 'ill' }
  test.each<[string, DescribedIssue, ReturnType<typeof typed>, RegExp]>([
    ['nothing said', ofConflict(), typed(), /^Say now \(71 \/ 100\), other \(81 \/ 100\), or --value/],
    ['two things said', ofConflict(), typed('now', '3'), /^Say now/],
    ['no number', ofConflict(), typed(undefined, '3x'), /^3x is not a number/],
    ['an empty number', ofConflict(), typed(undefined, ''), /is not a number/],
    ['a value for a deletion', ofConflict({ kept: null }), typed(undefined, '3'), /^One of the two is that it was deleted/],
    [
      'a column missing',
      ofConflict({ kept: both }),
      typed(undefined, 'is_excluded=no'),
      /^Say each of them once: is_excluded, exclusion_reason/,
    ],
    ['a column twice', ofConflict({ kept: both }), typed(undefined, 'is_excluded=no', 'is_excluded=no'), /^Say each of them once/],
    ['no column', ofConflict({ kept: both }), typed(undefined, 'no', 'ill'), /^Say each of them, like --value is_excluded=…/],
    ['neither yes nor no', ofConflict({ kept: both }), typed(undefined, 'is_excluded=2', 'exclusion_reason='), /^is_excluded is yes or no/],
    ['what cannot be typed', ofConflict({ kept: { bands: [] } }), typed(undefined, '3'), /^That cannot be typed here/],
    [
      'what was not taken, where it cannot be entered',
      ofRefused({ may_enter: false }),
      typed('other'),
      /^That cannot be entered as it was written\. markbook issues resolve edd119 puts it aside\.$/,
    ],
    [
      'a held row',
      told({ ...at, kind: 'held', about: held }),
      typed(),
      /^Nothing is to be decided: it is tried again.*markbook sync verify --repair$/,
    ],
    ['a clock', told({ ...at, kind: 'clock', about: node }), typed('now'), /^Nothing is to be decided: compare the clocks/],
    ['a copy', copy, typed(), /^Only you know.*markbook node revoke "PC", or markbook node revoke "PC \(2\)"$/],
    [
      'decided already',
      ofConflict({ resolved_at: '2026-01-10T10:00:00.000Z', resolved_by: people.okafor }, true),
      typed('now'),
      /^That was decided already, on 10 Jan 2026, .* by Ngozi Okafor\. Nothing was changed\.$/,
    ],
    ['put aside already', ofRefused({ seen_at: '2026-01-10T10:00:00.000Z' }, true), typed(), /^That was put aside already, on 10 Jan 2026/],
  ])('%s', (_, issue, wanted, says) => {
    let thrown: unknown
    try {
      decisionOf(issue, wanted)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(CommanderError)
    expect(thrown).toMatchObject({ exitCode: 2, message: expect.stringMatching(says) })
  })

  test('and removes control characters from values of other computers', () => {
    expect(() => decisionOf(ofConflict({ kept: { remarks: '\u001b[2J' } }), typed())).toThrow(/other \(Remark: {2}\[2J\)/)
  })
})
