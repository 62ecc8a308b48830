import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stBrigids } from '@markbook/shared/story/people'
import type { Row } from '@markbook/shared/tables/tables'
import Database from 'better-sqlite3'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig as postgresConfig } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { unpackFixture } from '../testing/old-databases.ts'
import { type School, school } from '../testing/school.ts'
import { backUpBeforeMigration } from './backup/place.ts'
import { appliedSqlite, knownMigrations, migratePostgres, migrateSqlite } from './migrate.ts'
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

test.skipIf(onPostgres)(
  'a disk that is full during a migration: one sentence says so, the database is as it was, and the next start goes on',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'markbook-full-'))
    unpackFixture({ school: folder, laptop: mkdtempSync(join(folder, 'laptop-')), parentUrl: 'https://parent.test' })
    const sqlite = new Database(join(folder, 'markbook.sqlite'))
    const size = () => sqlite.pragma('page_count', { simple: true }) as number
    const before = [size(), appliedSqlite(sqlite)]
    // As SQLite reports a disk without room for two more pages.
    sqlite.pragma(`max_page_count = ${size() + 2}`)
    await expect(migrateSqlite(sqlite)).rejects.toThrow(/its disk is full.*as it was.*Make room on that disk, and start again\.$/)
    expect([size(), appliedSqlite(sqlite)]).toEqual(before)
    sqlite.pragma('max_page_count = 4294967294')
    await migrateSqlite(sqlite)
    expect(appliedSqlite(sqlite)).toEqual(knownMigrations('sqlite'))
    sqlite.close()
    rmSync(folder, { recursive: true })
  },
)

test('a backup that cannot be made before a migration stops the start, and says how it goes on', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'markbook-no-backup-'))
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: '' })
  await expect(backUpBeforeMigration(config)).rejects.toThrow(/^Markbook has not started.*The database is as it was\..*start again\.$/)
  rmSync(dataDir, { recursive: true })
})

test('names stored with the marks of Arabic letters are found and sorted without them after migration 0018', async () => {
  const own = await school()
  const { url, folder } = own.database
  const body = { firstName: 'رحمٰن', lastName: 'آل رؤى إيمان', gender: 'male' } as const
  const { id } = await own.as.ada.students.create({ body })
  const keys = async () => {
    const row = (await own.services.store.read(asSystem(), (tx) => tx.find('student', stBrigids, id))) as Row<'student'>
    return [row.sort_key, row.search_key]
  }
  const wanted = await keys()
  const [dialect, table] = onPostgres ? ['postgres', 'student.student'] : ['sqlite', 'student']
  const migration = readFileSync(`server/store/migrations/${dialect}/0018_search_without_hamza.sql`, 'utf8')
  const marked = (names: string) => names.normalize('NFKD')
  const earlier = `update ${table} set sort_key = '${marked('آل رؤى إيمان')}\u0001${marked('رحمٰن')}',
    search_key = '${marked('رحمٰن آل رؤى إيمان')}\u0001${marked('آل رؤى إيمان رحمٰن')}' where id = '${id}'`
  if (onPostgres) {
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    await sql.unsafe(earlier)
    expect(await keys()).not.toEqual(wanted)
    // As the owner of a database that is no superuser.
    const owner = `names_${process.pid}`
    await sql.unsafe(`create role ${owner}; grant usage on schema student to ${owner}; alter table student.student owner to ${owner}`)
    await sql.begin(async (tx) => {
      await tx.unsafe(`set local role ${owner}`)
      for (const statement of migration.split('--> statement-breakpoint')) await tx.unsafe(statement)
    })
    const [forced] = await sql`select relforcerowsecurity as forced from pg_class where oid = 'student.student'::regclass`
    expect(forced).toEqual({ forced: true })
    await sql.unsafe(`reassign owned by ${owner} to current_user; drop owned by ${owner}; drop role ${owner}`)
    await sql.end()
  } else {
    const sqlite = new Database(join(folder, 'markbook.sqlite'))
    sqlite.exec(earlier)
    expect(await keys()).not.toEqual(wanted)
    sqlite.exec(migration)
    sqlite.close()
  }
  expect(await keys()).toEqual(wanted)
  await own.close()
})
