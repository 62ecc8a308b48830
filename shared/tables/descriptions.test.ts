import { type Column, getTableColumns } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { naturalKinds } from '../ids.ts'
import { kindsOf } from './kinds.ts'
import { tablesWithNaturalIds } from './natural.ts'
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

  test('declares the kind of every column, and a check for its JSON', () => {
    expect(Object.keys(kindsOf[name])).toEqual(Object.keys(columnsOf(name)))
    const columns = Object.entries(kindsOf[name]).filter(([, kind]) => kind === 'json')
    expect(Object.keys(json).sort()).toEqual(columns.map(([column]) => column).sort())
  })

  test('cascades only to rows that name it', () => {
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

describe('ids that are computed from other columns', () => {
  /** The unchanging columns of each unique rule: two rows that agree in them are one row, and must have one id wherever they are made. */
  const unchanging = (name: Replicated): string[][] => {
    const { identity } = descriptions[name]
    const { indexes, uniqueConstraints } = getTableConfig(sqliteTables[name] as SQLiteTable)
    const rules = [
      ...uniqueConstraints.map(({ columns }) => columns.map((column) => column.name)),
      ...indexes
        .filter(({ config }) => config.unique && !config.where)
        .map(({ config }) => config.columns.map((column) => (column as Column).name)),
    ]
    return rules.filter((columns) => !columns.includes('id') && columns.every((column) => identity.includes(column)))
  }

  test('are declared for every table with a unique rule over unchanging columns', () => {
    const withRule = names.filter((name) => unchanging(name).length > 0)
    // No rule of the database makes records of conflicts unique.
    expect([...tablesWithNaturalIds].sort()).toEqual(names.filter((name) => descriptions[name].natural).sort())
    expect([...withRule, 'sync_conflict'].sort()).toEqual(names.filter((name) => descriptions[name].natural).sort())
    for (const name of withRule) {
      const of = (columns: readonly string[]) => columns.filter((column) => column !== 'school_id').sort()
      expect(unchanging(name).map(of), name).toEqual([of(descriptions[name].natural?.of ?? ['nothing'])])
    }
  })

  test('are declared for every kind, except that of a term, whose name may change, and those of local tables', () => {
    const kinds = names.flatMap((name) => descriptions[name].natural?.kind ?? [])
    expect([...kinds, 'term', 'refusal', 'node'].sort()).toEqual([...naturalKinds].sort())
  })

  test('use identity columns only', () => {
    for (const name of names)
      for (const column of descriptions[name].natural?.of ?? []) expect(descriptions[name].identity, name).toContain(column)
  })
})
