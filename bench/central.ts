import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invite } from '@markbook/server/replication/identity/enrolment'
import { migratePostgres } from '@markbook/server/store/migrate'
import { withPostgres } from '@markbook/server/store/postgres'
import { DATABASE_FILE } from '@markbook/server/store/sqlite'
import { asSystem } from '@markbook/server/store/tx'
import { type Cluster, startCluster } from '@markbook/server/testing/cluster'
import { postgresTables } from '@markbook/shared/tables/postgres'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import Database from 'better-sqlite3'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import type postgres from 'postgres'
import { withProgress } from '../scripts/progress.mjs'
import { filledFolder, withStore } from './fill.ts'
import type { Invitation } from './programs/child.ts'
import type { Size } from './school.ts'

/** As an operator would set it for a school; every commit is written to the disk, as with SQLite. */
const SETTINGS = ['max_connections=100', 'shared_buffers=512MB', 'random_page_cost=1.1', 'timezone=UTC']

let cluster: Promise<Cluster> | undefined
const started = () => {
  cluster ??= startCluster(SETTINGS)
  return cluster
}
export const describeCluster = async () => (await cluster)?.description
export const stopCluster = async () => (await cluster)?.stop()

let databases = 0
/** Makes a database, empty or as a copy of `template`; returns its address. */
async function createDatabase(template = 'template1'): Promise<string> {
  const { url } = await started()
  databases += 1
  const name = `bench_${databases}`
  await withPostgres(url, (sql) => sql.unsafe(`create database ${name} template ${template}`))
  return Object.assign(new URL(url), { pathname: name }).href
}
const nameOf = (url: string) => new URL(url).pathname.slice(1)

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

/**
 * The COPY statement for a table, and its data from a school's SQLite database. `definition`: the table of Postgres, whose columns have the
 * names of SQLite's.
 */
function copyOf(from: Database.Database, definition: object) {
  const { schema, name, columns } = getTableConfig(definition as PgTable)
  const names = columns.map((column) => `"${column.name}"`)
  const rows = from.prepare(`select ${names} from "${name}"`).raw().iterate()
  return { into: `copy "${schema ?? 'public'}"."${name}" (${names}) from stdin`, chunks: lines(rows) }
}

type Copy = { into: string; chunks: Iterable<string> }
const copyInto = async (sql: Pick<postgres.Sql, 'unsafe'>, { into, chunks }: Copy) =>
  pipeline(Readable.from(chunks), await sql.unsafe(into).writable())

const openFilled = async (size: Size) => new Database(`${await filledFolder(size)}/${DATABASE_FILE}`, { readonly: true })

const LOCAL = new Set(['node', 'session', 'otp_code', 'attempt'])

/** Fills a database by COPY with the rows of the SQLite database, since filling is not measured; returns its name. */
async function makeTemplate(size: Size): Promise<string> {
  const [from, url] = [await openFilled(size), await emptyCentre()]
  const copy = (sql: postgres.Sql) => async () => {
    // The rows met these constraints and policies when SQLite was filled.
    await sql`set session_replication_role = replica`
    for (const [name, table] of Object.entries(postgresTables)) if (!LOCAL.has(name)) await copyInto(sql, copyOf(from, table))
    await sql`vacuum analyze`
  }
  await withPostgres(url, (sql) => withProgress(`copying ${size} into Postgres`, copy(sql)))
  from.close()
  return nameOf(url)
}

const templates = new Map<Size, Promise<string>>()

/** Makes a database with the school in it; returns its address. */
export async function centralSchool(size: Size): Promise<string> {
  const template = templates.get(size) ?? makeTemplate(size)
  templates.set(size, template)
  return createDatabase(await template)
}

/** Makes a database with the schema and no rows; returns its address. */
export async function emptyCentre(): Promise<string> {
  const url = await createDatabase()
  await migratePostgres(url)
  return url
}

export async function dropCentre(at: string): Promise<void> {
  const { url } = await started()
  await withPostgres(url, (sql) => sql.unsafe(`drop database if exists ${nameOf(at)} with (force)`))
}

/**
 * How many ms a COPY of a school's rows takes, parents first, in one transaction, with all keys, checks and indexes; without versions and
 * history.
 */
export async function copyUp(size: Size, url: string): Promise<number> {
  const from = await openFilled(size)
  const copies = (Object.keys(descriptions) as Replicated[]).map((name) => {
    const { into, chunks } = copyOf(from, postgresTables[name])
    return { into, chunks: [...chunks] }
  })
  from.close()
  return withPostgres(url, async (sql) => {
    const begun = performance.now()
    await sql.begin(async (transaction) => {
      for (const copy of copies) await copyInto(transaction, copy)
    })
    return performance.now() - begun
  })
}

/** Invites a school's server, once and within ten minutes. `schoolId` null: the school is new to the centre. */
export const invitation = (url: string, port: number, schoolId: string | null): Promise<Invitation> =>
  withStore({ url }, async (store) => {
    const { code } = await store.write(asSystem(), (tx) => invite(tx, { kind: 'school', schoolId, userId: null, by: null }))
    return { url: `http://127.0.0.1:${port}`, code }
  })
