import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig as postgresConfig } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type School, school } from '../testing/school.ts'
import { migratePostgres, migrateSqlite } from './migrate.ts'
import { asSystem } from './tx.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
let st: School
beforeAll(async () => {
  st = await school({ story: false })
})
afterAll(() => st.close())

type Column = { name: string; type: string; required: boolean }
const sqliteType = { integer: 'INTEGER', real: 'REAL', text: 'TEXT' } as Record<string, string>

/** The columns in the migrated database, from its catalogue. */
const made = (schema: string, table: string): Promise<Column[]> =>
  st.services.store.read(asSystem(), async ({ connection: line }) => {
    if (!onPostgres) {
      const rows = await line.rows<{ name: string; type: string; notnull: number }>(
        `select name, type, "notnull" from pragma_table_info('${table}')`,
        [],
      )
      return rows.map(({ name, type, notnull }) => ({ name, type, required: notnull === 1 }))
    }
    const rows = await line.rows<{ name: string; type: string; required: boolean }>(
      `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required from pg_attribute a
       where a.attrelid = '${schema}.${table}'::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
      [],
    )
    return rows
  })

const drizzleType = (column: { getSQLType(): string }) => {
  const type = column.getSQLType().replace(' COLLATE "C"', '')
  return onPostgres ? type.replace(/^timestamp \(3\)/, 'timestamp(3)') : (sqliteType[type] ?? type)
}

test('the migrations make exactly the tables of shared/tables, column by column', async () => {
  for (const table of Object.values(st.services.store.dialect.tables)) {
    const name = getTableName(table)
    const schema = onPostgres ? (postgresConfig(table as never).schema ?? 'public') : ''
    const defined = Object.values(getTableColumns(table)).map((column) => ({
      name: column.name,
      type: drizzleType(column),
      required: column.notNull,
    }))
    expect({ name, columns: (await made(schema, name)).sort(byName) }).toEqual({ name, columns: defined.sort(byName) })
  }
})

const byName = (a: Column, b: Column) => (a.name < b.name ? -1 : 1)

test.skipIf(onPostgres)('every SQLite table is strict, and marks are written to the disk before they are acknowledged', async () => {
  await st.services.store.read(asSystem(), async ({ connection: line }) => {
    const loose = await line.rows<{ name: string }>(
      "select name from pragma_table_list where type = 'table' and strict = 0 and name not like 'sqlite_%' and name not like '__drizzle%'",
      [],
    )
    expect(loose).toEqual([])
    expect(await line.rows('pragma synchronous', [])).toEqual([{ synchronous: 2 }])
    expect(await line.rows('pragma journal_mode', [])).toEqual([{ journal_mode: 'wal' }])
    expect(await line.rows('pragma foreign_keys', [])).toEqual([{ foreign_keys: 1 }])
  })
})

test('both databases have the same migrations, by name and number', () => {
  const entriesOf = (dialect: string) => {
    const journal = JSON.parse(readFileSync(`server/store/migrations/${dialect}/meta/_journal.json`, 'utf8')) as {
      entries: { idx: number; tag: string }[]
    }
    return journal.entries.map(({ idx, tag }) => ({ idx, tag }))
  }
  expect(entriesOf('sqlite')).toEqual(entriesOf('postgres'))
})

test('a database from before the first migration, or of another program, is refused with a sentence and left unchanged', async () => {
  const old = await school({ story: false })
  const { url, folder } = old.database
  await old.services.store.close()
  const sql = onPostgres ? postgres(url, { max: 1, onnotice: () => {} }) : null
  const sqlite = onPostgres ? null : new Database(join(folder, 'markbook.sqlite'))
  const open = () => (onPostgres ? migratePostgres(url) : migrateSqlite(sqlite as Database.Database))
  const clear = /^The database was made by another program, or by a Markbook from before its first release.*Nothing was changed\./
  if (onPostgres) await sql?.unsafe('update drizzle.__drizzle_migrations set created_at = id')
  else sqlite?.exec('update __drizzle_migrations set created_at = rowid')
  await expect(open()).rejects.toThrow(clear)
  if (onPostgres) await sql?.unsafe('delete from drizzle.__drizzle_migrations')
  else sqlite?.exec('drop table __drizzle_migrations')
  await expect(open()).rejects.toThrow(clear)
  await sql?.end()
  sqlite?.close()
  await old.close()
})
