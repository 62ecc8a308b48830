import { naturalId } from '@markbook/shared/ids'
import { describe, expect, test } from 'vitest'
import type { RowState } from '../merge/state.ts'
import { entriesOf, History, type HistoryEntry, packEntries, weightOfHistory } from '../protocol/entries.ts'
import { packRows, packSheets, Rows, TableRows, unpackRows, weightOf } from '../protocol/page.ts'
import type { Sheet } from '../protocol/sheet.ts'
import { LAST_MOMENT, type Stamp, textToVersions, type Versions, versionsReader, versionsToText } from '../versions.ts'
import { school, written } from './states.ts'

const idOf = (nr: number) => naturalId('grade', 'assessment', `pupil ${nr}`)
const mark = (nr: number, at = 1_000): RowState =>
  written(
    'grade',
    null,
    school,
    { school_id: 'st-brigids', assessment_id: 'exam', student_id: `pupil ${nr}`, score: nr },
    { at, nr: at, id: idOf(nr) },
  )
/** Three of one transaction, as they are read from a database, and one of another. */
const read = versionsReader()
const stored = (state: RowState): RowState => ({ ...state, ...read(versionsToText(state)) })
const marks = [mark(1), mark(2), mark(3), mark(4, 2_000)].map(stored)
const carried = marks.map((state) => ({ table: 'grade' as const, state }))
const [sheet] = packSheets(carried) as [Sheet]
const travelled = (each: unknown) => Rows.parse(JSON.parse(JSON.stringify(each)))
const spoilt = (spoil: (sheet: { versions: unknown[][]; ids: unknown[]; at: unknown[]; cells: unknown[] }) => void) => {
  const copy = JSON.parse(JSON.stringify(sheet))
  spoil(copy.sheet)
  return copy as unknown
}

describe('stored versions', () => {
  const score = mark(1).units['score'] as Stamp
  const states: [string, Versions][] = [
    ['of one write', mark(1)],
    ['of two writes', { ...mark(1), units: { ...mark(1).units, remarks: [score[0], 2_000, 9, null] }, alive: [[score[0], 2_000]] }],
    ['of a unit that counts', { ...mark(1), units: { ...mark(1).units, score: [...score.slice(0, 4), 7] as unknown as Stamp } }],
    ['of two writers', { ...mark(1), alive: [...mark(1).alive, ['zeta', 3]] }],
    ['of a deleted row', { ...mark(1), alive: [] }],
    ['whose presence is of no stamp', { ...mark(1), alive: [['other', 3]] }],
    ['of units with odd names', { ...mark(1), units: { 'a b': score, 'c","d': score, alive: score } }],
  ]

  test.each(states)('%s come back as they were', (_what, { vv, units, alive }) => {
    expect(textToVersions(versionsToText({ vv, units, alive }))).toEqual({ vv, units, alive })
  })

  test('hold the stamp of one write once', () => {
    expect(versionsToText(mark(1)).units.split(score[0])).toHaveLength(2)
  })

  test('of the first edition are read', () => {
    const { vv, units, alive } = mark(1)
    expect(textToVersions({ vv: JSON.stringify(vv), units: JSON.stringify({ ...units, alive }) })).toEqual({ vv, units, alive })
  })
})

describe('rows by column', () => {
  test('say the same as rows one by one', () => {
    expect(unpackRows([travelled(sheet)])).toEqual(unpackRows(packRows(carried).map(travelled)))
    expect(unpackRows([travelled(sheet)]).rows).toEqual(carried)
  })

  test('name the versions of rows that were written together once', () => {
    expect(sheet.sheet.versions).toHaveLength(2)
    expect(sheet.sheet.at).toEqual([0, 0, 0, 1])
    const [first, second] = unpackRows([travelled(sheet)]).rows.map(({ state }) => state)
    expect(first?.units).toBe(second?.units)
  })

  test('become the text that each would become by itself', () => {
    for (const { state } of unpackRows([travelled(sheet)]).rows) {
      expect(versionsToText(state)).toEqual(versionsToText({ vv: { ...state.vv }, units: { ...state.units }, alive: [...state.alive] }))
      expect(textToVersions(versionsToText(state))).toEqual({ vv: state.vv, units: state.units, alive: state.alive })
    }
  })

  test('keep what one row alone has besides: columns of a newer program, and what nobody ever wrote', () => {
    const { score: _, ...units } = mark(5).units
    const { score: __, ...values } = mark(5).values
    const odd = [
      { table: 'grade' as const, state: { ...mark(5), units, values } },
      { table: 'grade' as const, state: { ...mark(6), extra: { voice: { voice_note: 'well done' } } } },
    ]
    expect(unpackRows(packSheets([...odd, ...carried]).map(travelled)).rows).toEqual([...odd, ...carried])
  })

  test('of which one is malformed, by its id or its versions, have all the others', () => {
    const wrongId = unpackRows([travelled(spoilt(({ ids }) => (ids[1] = 'x')))])
    expect([wrongId.rows.length, wrongId.malformed]).toEqual([3, []])
    const late = ['school', 1, LAST_MOMENT + 1, null]
    const wrongClock = unpackRows([travelled(spoilt(({ versions }) => (versions[1]![2] = { score: late })))])
    expect(wrongClock.rows).toHaveLength(3)
    expect(wrongClock.malformed).toEqual([{ table: 'grade', id: idOf(4), units: ['score'] }])
  })

  test.each<[string, Parameters<typeof spoilt>[0]]>([
    ['a row without versions', ({ at }) => (at[0] = 9)],
    ['fewer places than rows', ({ at }) => at.pop()],
    ['a column that is too short', ({ cells }) => (cells[0] = { each: [] })],
    ['a value that is not among the few', ({ cells }) => (cells[0] = { of: ['a'], at: [0, 0, 0, 1] })],
    ['a column that is none', ({ cells }) => (cells[0] = 7)],
  ])('are no page where they have %s', (_, spoil) => {
    expect(Rows.safeParse(spoilt(spoil)).success).toBe(false)
  })

  test('are refused by a program that does not know them, rather than passed over', () => {
    expect(TableRows.safeParse(travelled(sheet)).success).toBe(false)
  })

  test('weigh what they say, however shortly it is said', () => {
    const long = 'x'.repeat(1_000)
    const rows = Array.from({ length: 100 }, (_, nr) => ({
      table: 'grade' as const,
      state: { ...mark(nr), values: { ...mark(nr).values, remarks: long } },
    }))
    const packed = packSheets(rows)
    expect(JSON.stringify(packed[0]?.sheet.cells).length).toBeLessThan(20_000)
    expect(weightOf(packed)).toBeGreaterThan(100_000)
    expect(weightOf(packRows(rows))).toBe(0)
  })
})

describe('the history by column', () => {
  const entry = (nr: number): HistoryEntry => ({
    id: idOf(nr),
    at: '2026-03-02T09:00:00.000Z',
    actor_id: nr === 3 ? null : idOf(100),
    node_id: idOf(200),
    entity: 'grade',
    row_id: idOf(nr + 10),
    near_id: idOf(300),
    action: 'create',
    changes: JSON.stringify({ score: { before: null, after: nr } }),
    detail: nr === 1 ? JSON.stringify({ units: { score: [1_000] } }) : null,
    node_seq: 7,
    head: 'abc',
    proof: nr === 2 ? JSON.stringify(['signature']) : null,
  })
  const entries = [entry(1), entry(2), entry(3)]
  const over = (value: unknown) => History.parse(JSON.parse(JSON.stringify(value)))

  test('says the same as entry by entry', () => {
    expect(entriesOf(over(packEntries(entries)))).toEqual(entries)
    expect(over(packEntries(entries)).count).toBe(3)
    expect(entriesOf(over(packEntries([])))).toEqual([])
  })

  test.each<[string, (cells: Record<string, unknown>) => void]>([
    ['an id that is none', (cells) => (cells['row_id'] = { each: ['x', idOf(1), idOf(2)] })],
    ['no time', (cells) => delete cells['at']],
    ['a number below nought', (cells) => (cells['node_seq'] = { all: -1 })],
    ['too few changes', (cells) => (cells['changes'] = { each: ['{}'] })],
  ])('is none with %s', (_, spoil) => {
    const packed = JSON.parse(JSON.stringify(packEntries(entries)))
    spoil(packed.cells)
    expect(History.safeParse(packed).success).toBe(false)
  })

  test('weighs what it says', () => {
    const long = Array.from({ length: 100 }, (_, nr) => ({ ...entry(nr), changes: 'x'.repeat(500) }))
    expect(weightOfHistory(packEntries(long))).toBeGreaterThan(50_000)
  })
})
