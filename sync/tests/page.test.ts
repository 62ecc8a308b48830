import { describe, expect, test } from 'vitest'
import type { RowState } from '../merge/state.ts'
import { packRows, type TableRows, unpackRows } from '../protocol/page.ts'
import { LAST_MOMENT, type Stamp } from '../versions.ts'
import { school, written } from './states.ts'

const grade: RowState = written('grade', null, school, { school_id: 'st-brigids', score: 7 }, { at: 1_000, nr: 1 })
const packed = (state: RowState = grade): TableRows => packRows([{ table: 'grade', state }])[0] as TableRows
const unpacked = (tables: TableRows[]) => unpackRows(JSON.parse(JSON.stringify(tables)))

describe('a page', () => {
  test('brings back what was packed', () => {
    expect(unpacked([packed()])).toEqual({ rows: [{ table: 'grade', state: grade }], unknown: [], malformed: [] })
  })

  test('of a newer program: columns that are not known are kept by the unit that they belong to, and sent on', () => {
    const { table, columns, units, rows } = packed()
    const stamp: Stamp = ['newer', 1, 2_000, null]
    const [id, schema, vv, stamps, alive, extra, ...values] = rows[0] as TableRows['rows'][number]
    const newer: TableRows = {
      table,
      columns: [...columns, 'voice_note', 'voice_length'],
      units: { ...units, voice: ['voice_note', 'voice_length'] },
      rows: [[id, schema, vv, { ...stamps, voice: stamp }, alive, extra, ...values, 'well done', 3]],
    }
    const state = unpacked([newer]).rows[0]?.state as RowState
    expect(state.extra).toEqual({ voice: { voice_note: 'well done', voice_length: 3 } })
    expect(unpacked([packed(state)]).rows[0]?.state).toEqual(state)
  })

  test('of an older program: what it had kept is back in its place, and what it never wrote is absent', () => {
    const { score: _, ...others } = grade.units
    const { score: value, ...rest } = grade.values
    const old = { ...grade, units: others, values: rest }
    expect(unpacked([packed(old)]).rows[0]?.state.values).not.toHaveProperty('score')
    const kept = { ...grade, values: rest, extra: { score: { score: value } } }
    expect(unpacked([packed(kept)]).rows[0]?.state).toEqual(grade)
  })

  test('of a table that is not known is told apart', () => {
    const strange = { table: 'house', columns: ['id'], units: {}, rows: [] }
    expect(unpacked([strange, packed()])).toMatchObject({ rows: [{ table: 'grade' }], unknown: [{ table: 'house' }] })
  })

  test.each<[string, (row: unknown[]) => void]>([
    ['a clock beyond the last moment', (row) => ((row[3] as Record<string, unknown[]>)['score'] = ['school', 1, LAST_MOMENT + 1, null])],
    ['a clock that is no whole number', (row) => ((row[3] as Record<string, unknown[]>)['score'] = ['school', 1, 0.5, null])],
    ['a counter that is none', (row) => (row[2] = { school: -1 })],
    ['no presences', (row) => (row[4] = null)],
  ])('with %s in one row has all the others', (_, spoil) => {
    const table = JSON.parse(JSON.stringify(packed())) as TableRows
    const bad = JSON.parse(JSON.stringify(table.rows[0])) as unknown[]
    spoil(bad)
    const { rows, malformed } = unpacked([{ ...table, rows: [bad as never, ...table.rows] }])
    expect(rows).toHaveLength(1)
    expect(malformed).toMatchObject([{ table: 'grade', id: grade.id }])
  })
})
