import { descriptions } from '@markbook/shared/tables/tables'
import { describe, expect, test } from 'vitest'
import { conflictState, keptFrom } from '../merge/conflict.ts'
import { mergeRows } from '../merge/merge.ts'
import { canonical, type RowState } from '../merge/state.ts'
import { centre, laptop, meet, school, type Writer, written } from './states.ts'

const SCHOOL_ID = '0190c8a0-0000-7000-8000-0000000000ff'
const made = written('grade', null, school, { score: 50 }, { at: 1_000, nr: 1 })
const score = (before: RowState, who: Writer, value: number, at: number, nr: number) =>
  written('grade', before, who, { score: value }, { at, nr })
const hers = score(made, school, 61, 5_000, 2)
const his = score(made, laptop, 64, 4_000, 1)

/** The records that a node makes where the first state stands and the second comes. */
const recordsOf = (a: RowState, b: RowState) =>
  mergeRows('grade', descriptions.grade, a, b).losers.map((loser) => conflictState(SCHOOL_ID, 1, keptFrom('grade', a.id, loser)))
const only = ([record, ...others]: readonly RowState[]): RowState => {
  expect(others).toEqual([])
  return record as RowState
}

describe('the record of a conflict', () => {
  test('is the same bytes from both ends', () => {
    expect(canonical(recordsOf(hers, his))).toBe(canonical(recordsOf(his, hers)))
    const record = only(recordsOf(hers, his))
    expect(record.values).toMatchObject({ unit: 'score', kind: 'value', value: { score: 64 }, actor_id: 'mr-nolan', status: 'open' })
  })

  test('is the same where a third node meets the loser another way', () => {
    const third = score(hers, centre, 62, 6_000, 1)
    expect(recordsOf(third, his)).toEqual(recordsOf(hers, his))
  })

  test('has each of the columns, and no other', () => {
    const { identity, units } = descriptions.sync_conflict
    const columns = [...identity, ...Object.values(units).flat()].sort()
    expect(Object.keys(only(recordsOf(hers, his)).values).sort()).toEqual(columns)
  })

  test('of a deletion says who deleted, and no value', () => {
    const deleted = written('grade', made, school, {}, { at: 2_000, nr: 3, deletes: true })
    expect(only(recordsOf(deleted, his)).values).toMatchObject({
      unit: 'row',
      kind: 'delete',
      value: null,
      actor_id: 'mrs-byrne',
      status: 'open',
    })
  })

  test('of a unit that is only noted is noted', () => {
    const loser = { unit: 'winner', kind: 'value', value: {}, stamp: ['school', 1, 1, null], rule: 'notice' } as const
    expect(keptFrom('active_year', made.id, loser).status).toBe('noticed')
  })

  test('that was resolved stays resolved where it is made again', () => {
    const record = only(recordsOf(hers, his))
    const resolved = written('sync_conflict', record, school, { status: 'resolved', resolved_by: 'mrs-byrne' }, { at: 7_000, nr: 4 })
    expect(meet('sync_conflict', resolved, record)).toEqual({ state: resolved, losers: [] })
  })

  test('of the same value, lost again later, is another one, and open', () => {
    const resolution = score(meet('grade', hers, his).state, school, 61, 7_000, 4)
    const again = score(his, laptop, 64, 6_500, 2)
    const record = only(recordsOf(resolution, again))
    expect(record.values['status']).toBe('open')
    expect(record.id).not.toBe(only(recordsOf(hers, his)).id)
  })

  test('of a write that lost to a rule here and to another value there are two, for one id never has two contents', () => {
    const kept = keptFrom('grade', made.id, {
      unit: 'score',
      kind: 'value',
      value: { score: 64 },
      stamp: ['laptop', 1, 4_000, null],
      rule: 'later',
    })
    const variants = [
      kept,
      { ...kept, kind: 'rule', reason: 'sent' },
      { ...kept, kind: 'rule', reason: 'taken' },
      { ...kept, kind: 'right', reason: 'right_lost' },
    ] as const
    const ids = variants.map((each) => conflictState(SCHOOL_ID, 1, each).id)
    expect(new Set(ids).size).toBe(4)
  })
})

test('a resolution that a parent refused, after which the record is open again, and another that saw neither: by whatever path', () => {
  const record = only(recordsOf(hers, his))
  const refused = written('sync_conflict', record, laptop, { status: 'resolved', resolved_by: 'mr-nolan' }, { at: 7_000, nr: 4 })
  const givenUp = written('sync_conflict', refused, laptop, { status: 'open', resolved_by: null }, { at: 8_000, nr: 5 })
  for (const [at, status] of [
    [6_000, 'open'],
    [9_000, 'resolved'],
  ] as const) {
    const other = written('sync_conflict', record, centre, { status: 'resolved', resolved_by: 'mrs-byrne' }, { at, nr: 1 })
    const byOnePath = meet('sync_conflict', meet('sync_conflict', refused, other).state, givenUp).state
    const byAnother = meet('sync_conflict', meet('sync_conflict', givenUp, other).state, refused).state
    expect(byOnePath.values['status']).toBe(status)
    expect(byAnother).toEqual(byOnePath)
  }
})

test('two resolutions that did not see each other: the later stands, the other is noted', () => {
  const record = only(recordsOf(hers, his))
  const [one, two] = [
    written('sync_conflict', record, school, { status: 'resolved', resolution: { choice: 'current', value: null } }, { at: 7_000, nr: 4 }),
    written('sync_conflict', record, centre, { status: 'resolved', resolution: { choice: 'kept', value: null } }, { at: 8_000, nr: 1 }),
  ]
  const { state, losers } = meet('sync_conflict', one, two)
  expect(state.values['resolution']).toEqual({ choice: 'kept', value: null })
  expect(losers.map((loser) => keptFrom('sync_conflict', record.id, loser).status)).toEqual(['noticed'])
})
