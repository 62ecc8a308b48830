import { descriptions } from '@markbook/shared/tables/tables'
import { describe, expect, test } from 'vitest'
import { mergeRows } from '../merge/merge.ts'
import { canonical, type RowState } from '../merge/state.ts'
import { latestStamp, stamp } from '../stamp.ts'
import type { Stamp } from '../versions.ts'
import { centre, laptop, meet, school, type Writer, written } from './states.ts'

const grade = (before: RowState | null, who: Writer, values: object, told: Parameters<typeof written>[4]) =>
  written('grade', before, who, { ...values }, told)
const made = grade(null, school, { score: 50, remarks: 'Good', is_excluded: false }, { at: 1_000, nr: 1 })
const deleted = grade(made, school, {}, { at: 2_000, nr: 2, deletes: true })
const IN_2099 = Date.UTC(2099, 0, 1)

describe('what meets, and what stands (SPEC, «Merging»)', () => {
  test('the same write from two sides is one', () => {
    expect(meet('grade', made, made)).toEqual({ state: made, losers: [] })
  })

  test('one write with two values, which a hand made in a file, stands alike at both ends, and the other value is recorded', () => {
    const touched = { ...made, values: { ...made.values, score: 3 } }
    const { state, losers } = meet('grade', made, touched)
    expect(state.values['score']).toBe(50)
    expect(losers).toEqual([{ unit: 'score', kind: 'value', value: { score: 3 }, stamp: made.units['score'], rule: 'later' }])
  })

  test('of two writes under one number, as of a database and its copy, the later stands at both ends', () => {
    const [node, counter, hlc, actor] = made.units['score'] as Stamp
    const copied: RowState = { ...made, units: { ...made.units, score: [node, counter, hlc + 5, actor] } }
    expect(meet('grade', made, copied).state.units['score']).toEqual([node, counter, hlc + 5, actor])
  })

  test('a secret is sealed by each node with its own key, and a column that one does not know says nothing', () => {
    const secret = written('user_totp', null, school, { user_id: 'u', sealed_secret: 'here' }, { at: 1_000, nr: 1 })
    const there = { ...secret, values: { ...secret.values, sealed_secret: 'there' } }
    expect(mergeRows('user_totp', descriptions.user_totp, secret, there)).toEqual({ state: secret, losers: [] })
    const { remarks: _, ...known } = made.values
    expect(mergeRows('grade', descriptions.grade, made, { ...made, values: known }).losers).toEqual([])
  })

  test('who saw the other’s mark when he wrote stands, whatever the clocks say, and nothing is recorded', () => {
    const corrected = grade(made, laptop, { score: 55 }, { at: 10, nr: 1 })
    const { state, losers } = meet('grade', made, corrected)
    expect(state.values['score']).toBe(55)
    expect(losers).toEqual([])
  })

  test('one mark of two people who had not heard of each other: the later stands, the other is recorded whole, open', () => {
    const hers = grade(made, school, { score: 61 }, { at: 5_000, nr: 2 })
    const his = grade(made, laptop, { score: 64 }, { at: 4_000, nr: 1 })
    const { state, losers } = meet('grade', hers, his)
    expect(state.values['score']).toBe(61)
    expect(losers).toEqual([{ unit: 'score', kind: 'value', value: { score: 64 }, stamp: ['laptop', 1, 4_000, 'mr-nolan'], rule: 'later' }])
  })

  test('at the very same instant the node’s name decides, alike at both ends', () => {
    const hers = grade(made, school, { score: 61 }, { at: 5_000, nr: 2 })
    const his = grade(made, laptop, { score: 64 }, { at: 5_000, nr: 1 })
    expect(meet('grade', hers, his).state.values['score']).toBe(61)
  })

  test('the same mark typed twice is no conflict', () => {
    const hers = grade(made, school, { score: 61 }, { at: 5_000, nr: 2 })
    const his = grade(made, laptop, { score: 61 }, { at: 4_000, nr: 1 })
    expect(meet('grade', hers, his).losers).toEqual([])
  })

  test('a mark and a remark do not touch each other', () => {
    const hers = grade(made, school, { score: 61 }, { at: 5_000, nr: 2 })
    const his = grade(made, laptop, { remarks: 'Late' }, { at: 4_000, nr: 1 })
    const { state, losers } = meet('grade', hers, his)
    expect(state.values).toMatchObject({ score: 61, remarks: 'Late' })
    expect(losers).toEqual([])
  })

  test('columns that only make sense together go together', () => {
    const term = written('term', null, school, { exam_weight: 60, coursework_weight: 40 }, { at: 1_000, nr: 1 })
    const hers = written('term', term, school, { exam_weight: 70, coursework_weight: 30 }, { at: 5_000, nr: 2 })
    const his = written('term', term, laptop, { exam_weight: 50, coursework_weight: 50 }, { at: 4_000, nr: 1 })
    const { state, losers } = meet('term', hers, his)
    expect(state.values).toMatchObject({ exam_weight: 70, coursework_weight: 30 })
    expect(losers[0]?.value).toEqual({ exam_weight: 50, coursework_weight: 50 })
  })

  test('a unit that one side never had is the other’s, not null', () => {
    const { remarks: _, ...units } = made.units
    const older: RowState = {
      ...grade(made, laptop, { score: 70 }, { at: 9_000, nr: 1 }),
      units: { ...units, score: ['laptop', 1, 9_000, null] },
    }
    const { state } = meet('grade', made, older)
    expect(state.values).toMatchObject({ score: 70, remarks: 'Good' })
    expect(state.units['remarks']).toEqual(made.units['remarks'])
  })

  test('a unit of a newer program travels through an older one, and is read by a newer one', () => {
    const carried: RowState = { ...made, units: { ...made.units, mood: ['centre', 3, 700, null] }, extra: { mood: { mood: 'calm' } } }
    expect(meet('grade', made, { ...carried, vv: { ...made.vv, centre: 3 } }).state.extra).toEqual({ mood: { mood: 'calm' } })
    const newer = { identity: descriptions.grade.identity, units: { ...descriptions.grade.units, mood: ['mood'] } }
    const { state } = mergeRows('grade', newer, carried, carried)
    expect([state.values['mood'], state.extra]).toEqual(['calm', null])
  })

  test('a column that a newer program added to a unit travels with it, and the columns that are known stand', () => {
    const scored = grade(made, school, { score: 61 }, { at: 5_000, nr: 2 })
    const told: RowState = { ...scored, extra: { score: { half_mark: true } } }
    for (const { state } of [
      meet('grade', made, told),
      meet('grade', told, made),
      meet('grade', told, scored),
      meet('grade', scored, told),
    ]) {
      expect(state.values).toMatchObject({ score: 61, remarks: 'Good' })
      expect(state.extra).toEqual({ score: { half_mark: true } })
    }
    const newer = { identity: descriptions.grade.identity, units: { ...descriptions.grade.units, score: ['score', 'half_mark'] } }
    const whole: RowState = { ...scored, values: { ...scored.values, half_mark: true } }
    // As it stands in a database that was updated since: the column is there, and empty.
    const updated: RowState = { ...told, values: { ...scored.values, half_mark: null } }
    for (const [a, b] of [
      [told, made],
      [made, told],
      [told, whole],
      [scored, whole],
      [whole, scored],
      [updated, whole],
      [updated, updated],
    ] as const) {
      const { state, losers } = mergeRows('grade', newer, a, b)
      expect([state.values['score'], state.values['half_mark'], state.extra, losers]).toEqual([61, true, null, []])
    }
    // A program that does not know the column writes the unit: it says nothing of the column, which is empty from then on.
    const { state } = mergeRows('grade', newer, whole, { ...grade(scored, laptop, { score: 62 }, { at: 6_000, nr: 1 }), extra: null })
    expect([state.values['score'], state.values['half_mark']]).toEqual([62, null])
  })
})

describe('existence', () => {
  test('a deletion that saw everything stands', () => {
    const { state, losers } = meet('grade', made, deleted)
    expect([state.alive, losers]).toEqual([[], []])
  })

  test('a deletion meets a mark that it had not seen: the row lives with it, the deletion is recorded', () => {
    const corrected = grade(made, laptop, { score: 55 }, { at: 500, nr: 1 })
    const { state, losers } = meet('grade', deleted, corrected)
    expect(state.alive).toEqual([['laptop', 1]])
    expect(state.values['score']).toBe(55)
    expect(losers).toEqual([{ unit: 'row', kind: 'delete', value: null, stamp: ['school', 2, 2_000, 'mrs-byrne'], rule: 'later' }])
  })

  test('a deletion that is repeated knowingly stands', () => {
    const { state } = meet('grade', deleted, grade(made, laptop, { score: 55 }, { at: 500, nr: 1 }))
    const again = grade(state, school, {}, { at: 3_000, nr: 3, deletes: true })
    expect(meet('grade', state, again)).toEqual({ state: again, losers: [] })
  })

  test('two deletions are one', () => {
    const other = grade(made, laptop, {}, { at: 1_500, nr: 1, deletes: true })
    const { state, losers } = meet('grade', deleted, other)
    expect([state.alive, losers, state.units['row']?.[0]]).toEqual([[], [], 'school'])
  })

  test('a row that is made anew by one who saw the deletion stays, whoever comes with the old state', () => {
    const anew = grade(deleted, school, { id: made.id, score: 80 }, { at: 3_000, nr: 3 })
    const { state, losers } = meet('grade', anew, made)
    expect([state.values['score'], state.alive, losers]).toEqual([80, [['school', 3]], []])
  })

  test('the same natural key made at two ends is one row; what differs is recorded', () => {
    const other = grade(null, laptop, { score: 52, remarks: 'Good', is_excluded: false }, { at: 900, nr: 1 })
    const { state, losers } = meet('grade', made, other)
    expect(state.alive).toEqual([
      ['laptop', 1],
      ['school', 1],
    ])
    expect(losers.map(({ unit, value }) => [unit, value])).toEqual([['score', { score: 52 }]])
  })
})

describe('clocks', () => {
  test('a clock in 2099 wins where neither saw the other, and only there', () => {
    const future = grade(made, laptop, { score: 11 }, { at: IN_2099, nr: 1 })
    const hers = grade(made, school, { score: 61, remarks: 'Better' }, { at: 5_000, nr: 2 })
    const { state, losers } = meet('grade', future, hers)
    expect(state.values).toMatchObject({ score: 11, remarks: 'Better' })
    expect(losers.map(({ value }) => value)).toEqual([{ score: 61 }])
  })

  test('whoever has seen the mark of 2099 corrects it at once', () => {
    const future = grade(made, laptop, { score: 11 }, { at: IN_2099, nr: 1 })
    const corrected = grade(meet('grade', future, made).state, school, { score: 62 }, { at: 6_000, nr: 3 })
    expect(corrected.units['score']?.[2]).toBe(IN_2099 + 1)
    const { state, losers } = meet('grade', future, corrected)
    expect([state.values['score'], losers]).toEqual([62, []])
    expect(latestStamp(state.units)[3]).toBe('mrs-byrne')
  })

  test('a clock that went back hides no correction', () => {
    const first = grade(made, laptop, { score: 70 }, { at: 8_000, nr: 1 })
    const second = grade(first, laptop, { score: 71 }, { at: 20, nr: 2 })
    expect(meet('grade', first, second).state.values['score']).toBe(71)
  })
})

describe('the policy', () => {
  const book = written('report_book', null, school, { status: 'draft', conduct: 'Good' }, { at: 1_000, nr: 1 })
  const status = (before: RowState, who: Writer, step: string, at: number, nr: number) =>
    written('report_book', before, who, { status: step, sent_snapshot: step === 'sent_to_ministry' ? {} : null }, { at, nr })
  const published = status(book, school, 'published', 2_000, 2)

  test('a report: sent beats a later publication; the other is noted', () => {
    const sent = status(published, centre, 'sent_to_ministry', 10, 1)
    const other = status(book, laptop, 'published', 9_000, 1)
    const { state, losers } = meet('report_book', sent, other)
    expect(state.values['status']).toBe('sent_to_ministry')
    expect(losers.map(({ unit, rule }) => [unit, typeof rule])).toEqual([['status', 'object']])
  })

  test.each([
    ['approved', 'rejected'],
    ['rejected', 'pending'],
  ])('a join request: %s beats a later %s', (further, other) => {
    const asked = written('school_join_request', null, laptop, { status: 'pending' }, { at: 1_000, nr: 1 })
    const first = written('school_join_request', asked, school, { status: further }, { at: 2_000, nr: 2 })
    const second = written('school_join_request', asked, centre, { status: other }, { at: 9_000, nr: 1 })
    expect(meet('school_join_request', first, second).state.values['status']).toBe(further)
  })

  test('a book that is made anew begins as a draft, by whichever path an old publication comes', () => {
    const gone = written('report_book', published, school, {}, { at: 3_000, nr: 3, deletes: true })
    const anew = written('report_book', gone, school, { id: book.id, status: 'draft', conduct: 'Fair' }, { at: 4_000, nr: 4 })
    const other = status(book, laptop, 'published', 1_500, 1)
    const met = (a: RowState, b: RowState) => meet('report_book', a, b).state
    const paths = [met(met(published, other), anew), met(published, met(other, anew)), met(met(anew, published), other)]
    expect(new Set(paths.map(canonical)).size).toBe(1)
    expect(paths[0]?.values['status']).toBe('draft')
  })

  test('a book that was deleted and made anew in one transaction, whose versions show no deletion, counts as made anew', () => {
    const anew = { units: ['row', 'status'], node: 'school', now: 4_000, actor: null, furthest: ['status'] }
    expect(stamp(published, anew).units['status']?.[4]).toBe(1)
  })

  test('what was sent stands even over a book that was made anew without knowing it', () => {
    const gone = written('report_book', published, school, {}, { at: 3_000, nr: 3, deletes: true })
    const anew = written('report_book', gone, school, { id: book.id, status: 'draft' }, { at: 4_000, nr: 4 })
    const sent = status(published, centre, 'sent_to_ministry', 10, 1)
    expect(meet('report_book', anew, sent).state.values['status']).toBe('sent_to_ministry')
  })

  test.each([
    ['active_year', 'academic_year_id', 'notice', 1],
    ['class_teacher', 'user_profile_id', 'notice', 1],
    ['subject', 'name', 'later', 1],
    ['subject', 'sort_order', 'quiet', 0],
    ['user_profile', 'first_name', 'quiet', 0],
    ['user_totp', 'sealed_secret', 'quiet', 0],
  ] as const)('%s.%s is %s: the later stands, %i recorded', (table, column, rule, recorded) => {
    const first = written(table, null, school, { [column]: 'a' }, { at: 1_000, nr: 1 })
    const [b, c] = [
      written(table, first, school, { [column]: 'b' }, { at: 3_000, nr: 2 }),
      written(table, first, laptop, { [column]: 'c' }, { at: 2_000, nr: 1 }),
    ]
    const { state, losers } = meet(table, b, c)
    expect(state.values[column]).toBe('b')
    expect(losers.map((loser) => loser.rule)).toEqual(Array(recorded).fill(rule))
  })

  test('the highest maximum and the highest right are remembered through every meeting', () => {
    const exam = written('assessment', null, school, { max_score: 100 }, { at: 1_000, nr: 1 })
    const lowered = written('assessment', exam, laptop, { max_score: 40 }, { at: 2_000, nr: 1 })
    const raised = written('assessment', exam, centre, { max_score: 120 }, { at: 1_500, nr: 1 })
    const { state } = meet('assessment', lowered, raised)
    expect([state.values['max_score'], state.units['scoring']?.[4]]).toEqual([40, 120])
  })
})
