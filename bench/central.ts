import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invite } from '@markbook/server/replication/identity/enrolment'
import { migratePostgres } from '@markbook/server/store/migrate'
import { withPostgres } from '@markbook/server/store/postgres'
import { DATABASE_FILE } from '@markbook/server/store/sqlite'
import { openCentralStore, type Store } from '@markbook/server/store/store'
import { asSystem } from '@markbook/server/store/tx'
import { type Cluster, startCluster } from '@markbook/server/testing/cluster'
import { postgresTables } from '@markbook/shared/tables/postgres'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import Database from 'better-sqlite3'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import type postgres from 'postgres'
import { withProgress } from '../scripts/progress.mjs'
import { filledFolder, present } from './fill.ts'
import type { Invitation } from './programs/child.ts'
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

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const escaped = (value: unknown) =>
  value === null ? '\\N' : typeof value === 'string' ? value.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found) : String(value)

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

/** `definition` has the types of SQLite, which is the reference, and is a table of Postgres. */
function placeOf(definition: object) {
  const { schema, name, columns } = getTableConfig(definition as PgTable)
  return { table: `"${schema ?? 'public'}"."${name}"`, name, names: columns.map((column) => `"${column.name}"`) }
}

/** The same rows as on SQLite, by COPY: how they came there is not what is measured. */
async function copyRows(from: Database.Database, sql: postgres.Sql, definition: object) {
  const { table, name, names } = placeOf(definition)
  const rows = from.prepare(`select ${names} from "${name}"`).raw().iterate()
  const target = await sql.unsafe(`copy ${table} (${names}) from stdin`).writable()
  await pipeline(Readable.from(lines(rows)), target)
}

const LOCAL = new Set(['node', 'session', 'otp_code', 'attempt'])

async function copySchool(size: Size, url: string): Promise<void> {
  const from = new Database(`${await filledFolder(size)}/${DATABASE_FILE}`, { readonly: true })
  await migratePostgres(url)
  const copy = (sql: postgres.Sql) => async () => {
    // Parents and policies were checked when SQLite was filled.
    await sql`set session_replication_role = replica`
    for (const [name, table] of Object.entries(postgresTables)) if (!LOCAL.has(name)) await copyRows(from, sql, table)
    await sql`vacuum analyze`
  }
  await withPostgres(url, (sql) => withProgress(`copying ${size} into Postgres`, copy(sql)))
  from.close()
}

const made = new Map<Size, Promise<string>>()
const template = (size: Size) => {
  const make = async () => {
    const { url } = await started()
    await withPostgres(url, (sql) => sql.unsafe(`create database ${size}`))
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
  await withPostgres(url, (sql) => sql.unsafe(`create database ${name} template ${from}`))
  return named(url, name)
}

/** The address of a database of its own in which nothing has been written yet. */
export async function emptyCentre(name: string): Promise<string> {
  const { url } = await started()
  await withPostgres(url, (sql) => sql.unsafe(`create database ${name}`))
  await migratePostgres(named(url, name))
  return named(url, name)
}

export async function dropCentre(at: string): Promise<void> {
  const { url } = await started()
  await withPostgres(url, (sql) => sql.unsafe(`drop database if exists ${new URL(at).pathname.slice(1)} with (force)`))
}

/** Milliseconds of a COPY of a school's rows, parents first, in one transaction; keys, checks and indexes as they are, no versions. */
export async function copyUp(size: Size, url: string): Promise<number> {
  const from = new Database(`${await filledFolder(size)}/${DATABASE_FILE}`, { readonly: true })
  const texts = (Object.keys(descriptions) as Replicated[]).map((name) => {
    const { table, names } = placeOf(postgresTables[name])
    const rows = from.prepare(`select ${names} from "${name}"`).raw().iterate()
    return { into: `copy ${table} (${names}) from stdin`, chunks: [...lines(rows)] }
  })
  from.close()
  return withPostgres(url, async (sql) => {
    const begun = performance.now()
    await sql.begin(async (connection) => {
      for (const { into, chunks } of texts) await pipeline(Readable.from(chunks), await connection.unsafe(into).writable())
    })
    return performance.now() - begun
  })
}

/** Work in a central database, while its server runs or before. */
export async function atCentre<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openCentralStore(url, { ...present, role: 'centre', beside: true })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** An invitation of a school's server, that is good for ten minutes and once. `schoolId` null: it brings its own school. */
export const invitation = (url: string, port: number, schoolId: string | null): Promise<Invitation> =>
  atCentre(url, async (store) => {
    const { code } = await store.write(asSystem(), (tx) => invite(tx, { kind: 'school', schoolId, userId: null, by: null }))
    return { url: `http://127.0.0.1:${port}`, code }
  })
