import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { migratePostgres } from '@markbook/server/store/migrate'
import { DATABASE_FILE } from '@markbook/server/store/sqlite'
import { type Cluster, startCluster } from '@markbook/server/testing/cluster'
import { postgresTables } from '@markbook/shared/tables/postgres'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import Database from 'better-sqlite3'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { filledFolder } from './fill.ts'
import { progress } from './progress.ts'
import type { Size } from './school.ts'

/** As an operator would set it for a school server: every commit on the disk, as on SQLite. */
const SETTINGS = ['max_connections=100', 'shared_buffers=512MB', 'random_page_cost=1.1', 'timezone=UTC']

let cluster: Promise<Cluster> | undefined
const started = () => {
  cluster ??= startCluster(SETTINGS)
  return cluster
}
export const describeCluster = async () => (await cluster)?.description
export const stopCluster = async () => (await cluster)?.stop()

const named = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href

async function administer<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const escaped = (value: unknown) =>
  value === null
    ? '\\N'
    : typeof value === 'string'
      ? value.replace(/[\\\t\n\r]/g, (found) => `\\${found === '\\' ? '\\' : found === '\t' ? 't' : found === '\n' ? 'n' : 'r'}`)
      : String(value)

function* lines(rows: IterableIterator<unknown>) {
  let chunk = ''
  for (const row of rows) {
    chunk += `${(row as unknown[]).map(escaped).join('\t')}\n`
    if (chunk.length < 65_536) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

function placeOf(table: PgTable) {
  const { schema, name, columns } = getTableConfig(table)
  return { table: `"${schema ?? 'public'}"."${name}"`, name, names: columns.map((column) => `"${column.name}"`) }
}

/** The same rows as on SQLite, by COPY: how they came there is not what is measured. */
async function copyRows(from: Database.Database, sql: postgres.Sql, definition: PgTable) {
  const { table, name, names } = placeOf(definition)
  const rows = from.prepare(`select ${names} from "${name}"`).raw().iterate()
  const target = await sql.unsafe(`copy ${table} (${names}) from stdin`).writable()
  await pipeline(Readable.from(lines(rows)), target)
}

const LOCAL = new Set(['node', 'session', 'otp_code', 'attempt'])

async function copySchool(size: Size, url: string): Promise<void> {
  const from = new Database(`${await filledFolder(size)}/${DATABASE_FILE}`, { readonly: true })
  const say = progress(`Copying ${size} into Postgres`)
  await migratePostgres(url)
  await administer(url, async (sql) => {
    // Parents and policies were checked when SQLite was filled.
    await sql`set session_replication_role = replica`
    const tables = Object.entries(postgresTables).filter(([name]) => !LOCAL.has(name))
    for (const [at, [, table]] of tables.entries()) {
      await copyRows(from, sql, table as never)
      say(at / tables.length)
    }
    await sql`vacuum analyze`
  })
  say(1)
  from.close()
}

const made = new Map<Size, Promise<string>>()
const template = (size: Size) => {
  const make = async () => {
    const { url } = await started()
    await administer(url, (sql) => sql.unsafe(`create database ${size}`))
    await copySchool(size, named(url, size))
    return size
  }
  const known = made.get(size) ?? make()
  made.set(size, known)
  return known
}

/** The address of a database of its own with the school in it. */
export async function centralSchool(size: Size, name: string): Promise<string> {
  const { url } = await started()
  const from = await template(size)
  await administer(url, (sql) => sql.unsafe(`create database ${name} template ${from}`))
  return named(url, name)
}

/** The address of a database of its own in which nothing has been written yet. */
export async function emptyCentre(name: string): Promise<string> {
  const { url } = await started()
  await administer(url, (sql) => sql.unsafe(`create database ${name}`))
  await migratePostgres(named(url, name))
  return named(url, name)
}

export async function dropCentre(at: string): Promise<void> {
  const { url } = await started()
  await administer(url, (sql) => sql.unsafe(`drop database if exists ${new URL(at).pathname.slice(1)} with (force)`))
}

/** Milliseconds of a COPY of a school's rows, parents first, in one transaction; keys, checks and indexes as they are, no versions. */
export async function copyUp(size: Size, url: string): Promise<number> {
  const from = new Database(`${await filledFolder(size)}/${DATABASE_FILE}`, { readonly: true })
  const texts = (Object.keys(descriptions) as Replicated[]).map((name) => {
    const { table, names } = placeOf(postgresTables[name] as unknown as PgTable)
    const rows = from.prepare(`select ${names} from "${name}"`).raw().iterate()
    return { into: `copy ${table} (${names}) from stdin`, chunks: [...lines(rows)] }
  })
  from.close()
  return administer(url, async (sql) => {
    const begun = performance.now()
    await sql.begin(async (connection) => {
      for (const { into, chunks } of texts) await pipeline(Readable.from(chunks), await connection.unsafe(into).writable())
    })
    return performance.now() - begun
  })
}
