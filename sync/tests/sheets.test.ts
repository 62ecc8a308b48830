import { naturalId } from '@markbook/shared/ids'
import { describe, expect, test } from 'vitest'
import type { RowState } from '../merge/state.ts'
import { weightOfCells } from '../protocol/cells.ts'
import { entriesOf, History, type HistoryEntry, packEntries, weightOfHistory } from '../protocol/entries.ts'
import { packRows, unpackRows } from '../protocol/page.ts'
import { type Shared, Sheet, weightOf } from '../protocol/sheet.ts'
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
const [sheet] = packRows(carried) as [Sheet]
const travelled = (each: unknown) => Sheet.parse(JSON.parse(JSON.stringify(each)))
const unpacked = (sheets: readonly unknown[]) => unpackRows(sheets.map(travelled))
type Loose = { columns: string[]; versions: unknown[][]; ids: unknown[]; at: unknown[]; cells: unknown[] }
const spoilt = (spoil: (sheet: Loose) => void, whole: Sheet = sheet) => {
  const copy = JSON.parse(JSON.stringify(whole))
  spoil(copy)
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
  const [one] = carried.map(({ state }) => state) as [RowState]
  const packed = (state: RowState) => packRows([{ table: 'grade', state }])[0] as Sheet

  test('bring back what was packed', () => {
    expect(unpacked([sheet])).toEqual({ rows: carried, malformed: [] })
  })

  test('name the versions of rows that were written together once', () => {
    expect(sheet.versions).toHaveLength(2)
    expect(sheet.at).toEqual([0, 0, 0, 1])
    const [first, second] = unpacked([sheet]).rows.map(({ state }) => state)
    expect(first?.units).toBe(second?.units)
  })

  test('become the text that each would become by itself', () => {
    for (const { state } of unpacked([sheet]).rows) {
      expect(versionsToText(state)).toEqual(versionsToText({ vv: { ...state.vv }, units: { ...state.units }, alive: [...state.alive] }))
      expect(textToVersions(versionsToText(state))).toEqual({ vv: state.vv, units: state.units, alive: state.alive })
    }
  })

  test('of a newer program: columns that are not known are kept by the unit that they belong to, and sent on', () => {
    const stamp: Stamp = ['newer', 1, 2_000, null]
    const { columns, units, versions, cells, ...rest } = packed(one)
    const newer = {
      ...rest,
      columns: [...columns, 'voice_note', 'voice_length'],
      units: { ...units, voice: ['voice_note', 'voice_length'] },
      versions: versions.map(([schema, vv, stamps, alive, extra]) => [schema, vv, { ...stamps, voice: stamp }, alive, extra]),
      cells: [...cells, { all: 'well done' }, { all: 3 }],
    }
    const state = unpacked([newer]).rows[0]?.state as RowState
    expect(state.extra).toEqual({ voice: { voice_note: 'well done', voice_length: 3 } })
    expect(unpacked([packed(state)]).rows[0]?.state).toEqual(state)
  })

  test('of a newer program: what it added to a unit that is known is kept where it is there, and sent on', () => {
    const { columns, units, cells, ...rest } = packed(one)
    const [first] = Object.keys(units) as [string]
    const grown = (value: unknown) => ({
      ...rest,
      columns: [...columns, 'later_part'],
      units: { ...units, [first]: [...(units[first] ?? []), 'later_part'] },
      cells: [...cells, { all: value }],
    })
    const state = unpacked([grown('x')]).rows[0]?.state as RowState
    expect(state).toEqual({ ...one, extra: { [first]: { later_part: 'x' } } })
    expect(unpacked([packed(state)]).rows[0]?.state).toEqual(state)
    expect(unpacked([grown(null)]).rows[0]?.state).toEqual(one)
  })

  test('of an older program: what it had kept is back in its place, and what it never wrote is absent', () => {
    const { score: _, ...others } = one.units
    const { score: value, ...rest } = one.values
    expect(unpacked([packed({ ...one, units: others, values: rest })]).rows[0]?.state.values).not.toHaveProperty('score')
    expect(unpacked([packed({ ...one, values: rest, extra: { score: { score: value } } })]).rows[0]?.state).toEqual(one)
  })

  test('keep what one row alone has besides: columns of a newer program, and what nobody ever wrote', () => {
    const { score: _, ...units } = mark(5).units
    const { score: __, ...values } = mark(5).values
    const odd = [
      { table: 'grade' as const, state: { ...mark(5), units, values } },
      { table: 'grade' as const, state: { ...mark(6), extra: { voice: { voice_note: 'well done' } } } },
    ]
    expect(unpacked(packRows([...odd, ...carried])).rows).toEqual([...odd, ...carried])
  })

  test('of a table that is not known are passed over', () => {
    const strange = { table: 'house', columns: ['id'], units: {}, versions: [], ids: [], at: [], cells: [{ each: [] }] }
    expect(unpacked([strange, packed(one)])).toMatchObject({ rows: [{ table: 'grade' }], malformed: [] })
  })

  const scored = (stamp: unknown) => (versions: unknown[]) => ((versions[2] as Record<string, unknown>)['score'] = stamp)
  test.each<[string, (versions: unknown[]) => void]>([
    ['a clock beyond the last moment', scored(['school', 1, LAST_MOMENT + 1, null])],
    ['a clock that is no whole number', scored(['school', 1, 0.5, null])],
    ['a stamp that is too long', scored(['school', 1, 1, null, 1, 1])],
    ['a writer that is none', scored([7, 1, 1, null])],
    ['a counter that is none', (versions) => (versions[1] = { school: -1 })],
    ['no presences', (versions) => (versions[3] = null)],
    ['a presence without its counter', (versions) => (versions[3] = [['school']])],
    ['a schema that is none', (versions) => (versions[0] = 0)],
    ['something that is no unit beside it', (versions) => (versions[4] = { voice: 'well done' })],
  ])('of which one has %s have all the others', (_, spoil) => {
    const { rows, malformed } = unpacked([spoilt(({ versions }) => spoil(versions[1] as unknown[]))])
    expect(rows).toEqual(carried.slice(0, 3))
    expect(malformed).toMatchObject([{ table: 'grade', id: idOf(4) }])
    expect(malformed[0]?.units).toContain('score')
  })

  test('of which one has an id that is none have all the others', () => {
    const { rows, malformed } = unpacked([spoilt(({ ids }) => (ids[1] = 'x'))])
    expect([rows.length, malformed]).toEqual([3, []])
  })

  test.each<[string, Parameters<typeof spoilt>[0]]>([
    ['a row without versions', ({ at }) => (at[0] = 9)],
    ['versions that are no list', ({ versions }) => (versions[0] = {} as never)],
    ['fewer places than rows', ({ at }) => at.pop()],
    ['fewer columns of values than it names', ({ cells }) => cells.pop()],
    ['a column that is too short', ({ cells }) => (cells[0] = { each: [] })],
    ['a value that is not among the few', ({ cells }) => (cells[0] = { of: ['a'], at: [0, 0, 0, 1] })],
    ['a column that is none', ({ cells }) => (cells[0] = 7)],
  ])('are no page where they have %s', (_, spoil) => {
    expect(Sheet.safeParse(spoilt(spoil)).success).toBe(false)
  })

  test('are refused in another form, rather than passed over', () => {
    const { table, columns, units, ids } = sheet
    expect(Sheet.safeParse({ table, columns, units, rows: ids.map((id) => [id]) }).success).toBe(false)
  })

  test('weigh what they say, however shortly it is said', () => {
    const long = 'x'.repeat(1_000)
    const rows = Array.from({ length: 100 }, (_, nr) => ({
      table: 'grade' as const,
      state: { ...mark(nr), values: { ...mark(nr).values, remarks: long } },
    }))
    const whole = packRows(rows)
    expect(JSON.stringify(whole[0]?.cells).length).toBeLessThan(20_000)
    expect(weightOf(whole)).toBeGreaterThan(100_000)
    expect(weightOfCells({ each: rows.map((_, nr) => `${nr}${long}`) }, rows.length)).toBe(0)
    const [alone] = sheet.versions as [Shared]
    expect(weightOf([{ ...sheet, cells: [], columns: [] }])).toBeGreaterThan(3 * JSON.stringify(alone).length)
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
