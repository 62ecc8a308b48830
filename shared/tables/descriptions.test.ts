import { type Column, getTableColumns } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { kindsOf } from './kinds.ts'
import { postgresTables } from './postgres.ts'
import { sqliteTables } from './sqlite.ts'
import { descriptions, type Replicated } from './tables.ts'

const names = Object.keys(descriptions) as Replicated[]
const columnsOf = (table: Replicated): Record<string, Column> => getTableColumns(sqliteTables[table])

describe.each(names)('%s', (name) => {
  const { identity, units, derived = [], audit = [], scope, cascade = [], sealed = [], json = {} } = descriptions[name]

  test('has every column in exactly one of identity, units, derived and audit', () => {
    const described = [...identity, ...Object.values(units).flat(), ...derived, ...audit]
    expect([...described].sort()).toEqual(Object.keys(columnsOf(name)).sort())
  })

  test('is the same table in both databases', () => {
    const shape = (columns: Record<string, Column>) =>
      Object.entries(columns).map(([key, { name: stored, notNull }]) => ({ key, stored, notNull }))
    expect(shape(getTableColumns(postgresTables[name]))).toEqual(shape(columnsOf(name)))
  })

  test('keeps its id, and its school where it has one, for ever', () => {
    expect(identity).toContain('id')
    expect('school_id' in columnsOf(name) && scope === 'school').toBe(scope === 'school')
    if (scope === 'school') expect(identity).toContain('school_id')
  })

  test('names no unit like the one of a row’s existence, and none without columns', () => {
    expect(Object.keys(units)).not.toContain('row')
    expect(Object.values(units).filter((members) => members.length === 0)).toEqual([])
  })

  test('seals only columns that are replicated and change with their unit', () => {
    expect(sealed.filter((column) => !Object.values(units).flat().includes(column))).toEqual([])
    expect(Object.keys(columnsOf(name)).filter((column) => column.startsWith('sealed_'))).toEqual([...sealed])
  })

  test('says of every column of what kind it is, and what its JSON must be', () => {
    expect(Object.keys(kindsOf[name])).toEqual(Object.keys(columnsOf(name)))
    const columns = Object.entries(kindsOf[name]).filter(([, kind]) => kind === 'json')
    expect(Object.keys(json).sort()).toEqual(columns.map(([column]) => column).sort())
  })

  test('takes with it only rows that name it', () => {
    for (const { table, column } of cascade) {
      expect(names).toContain(table)
      expect(Object.keys(columnsOf(table as Replicated))).toContain(column)
    }
  })
})

test('a child stands after its parents, so that rows can be inserted in the order of the tables', () => {
  for (const name of names)
    for (const { table } of descriptions[name].cascade ?? [])
      expect(names.indexOf(table as Replicated)).toBeGreaterThan(names.indexOf(name))
})

test('derived columns follow from the row alone where they are computed', () => {
  for (const name of names) {
    const { derive, derived = [] } = descriptions[name]
    if (!derive) continue
    const row = { first_name: 'Zoë', last_name: 'Ó Briain', snapshot: { overall_average: 1, position: 2, total_students: 3 } }
    expect(Object.keys(derive(row)).sort()).toEqual([...derived].sort())
  }
})
