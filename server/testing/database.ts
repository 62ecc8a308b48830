import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { migratePostgres, migrateSqlite } from '../store/migrate.ts'
import { DATABASE_FILE, openSqlite } from '../store/sqlite.ts'
import { openCurrentCentralStore, openSchoolStore, type Store, type StoreOptions } from '../store/store.ts'
import { memoryFolder } from './memory-folder.ts'

export type DatabaseName = 'sqlite' | 'postgres'
/** A store on its own database, in `url` (Postgres) or `folder` (SQLite); `drop` deletes it. */
export type TestDatabase = { store: Store; url: string; folder: string; drop(): Promise<void> }

/**
 * Closes a database without deleting it. Returns the value for `copyOf`. A folder is deleted when the process exits, a Postgres database
 * with its cluster.
 */
export async function detachTestDatabase({ store, url, folder }: TestDatabase): Promise<string> {
  await store.close()
  return url ? new URL(url).pathname.slice(1) : keptUntilExit(folder)
}

const kept: string[] = []
function keptUntilExit(folder: string): string {
  if (kept.push(folder) === 1) process.once('exit', () => removeAll(kept))
  return folder
}
const removeAll = (folders: readonly string[]) => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

const TEMPLATE = 'markbook_template'
const named = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href

/** Closed soon after its last use, so that it keeps no process alive. */
const administrators = new Map<string, postgres.Sql>()
function administratorOf(url: string): postgres.Sql {
  const known = administrators.get(url)
  if (known) return known
  const made = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false, idle_timeout: 1 })
  administrators.set(url, made)
  return made
}
const administer = async (url: string, text: string) => void (await administratorOf(url).unsafe(text))

const bySocket = new Map<string, Promise<string>>()
/** The same server through its socket where that is on this machine: a statement over TCP takes half as long again. */
function socketUrl(url: string): Promise<string> {
  const known = bySocket.get(url)
  if (known) return known
  const found = findSocket(url)
  bySocket.set(url, found)
  return found
}

async function findSocket(url: string): Promise<string> {
  const [row] = await administratorOf(url)`select current_setting('unix_socket_directories') as folders`
  const [folder = ''] = String(row?.['folders']).split(',')
  const address = new URL(url)
  if (!folder.startsWith('/') || !existsSync(join(folder, `.s.PGSQL.${address.port || 5432}`))) return url
  return url.replace(address.hostname, encodeURIComponent(folder))
}

/** A migrated, empty database, which is copied for each test file. Its collation is not C, as on a real server. */
export async function makeTemplate(url: string) {
  await administer(url, `drop database if exists ${TEMPLATE}`)
  await administer(url, `create database ${TEMPLATE}`)
  await migratePostgres(named(url, TEMPLATE))
}

const strategies = new Map<string, Promise<string>>()
/** Copying files creates and drops a database in half the time. Before version 15 this is the only strategy, and has no keyword. */
function strategyAt(url: string): Promise<string> {
  const known = strategies.get(url)
  if (known) return known
  const chosen = administratorOf(url)`select current_setting('server_version_num')::int >= 150000 as can_choose`.then(([row]) =>
    row?.['can_choose'] ? 'strategy file_copy' : '',
  )
  strategies.set(url, chosen)
  return chosen
}

export async function createDatabase(url: string, like = TEMPLATE): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `markbook_${randomBytes(8).toString('hex')}`
  await administer(url, `create database ${name} template ${like} ${await strategyAt(url)}`)
  return { url: named(url, name), drop: () => administer(url, `drop database if exists ${name} with (force)`) }
}

/** Copies a Postgres database under another name. Closes its connections meanwhile; the program opens new ones. */
export async function imageOfDatabase(url: string, cluster: string): Promise<{ name: string; drop(): Promise<void> }> {
  const original = new URL(url).pathname.slice(1)
  const mayConnect = (may: boolean) => administer(cluster, `alter database ${original} allow_connections ${may}`)
  await mayConnect(false)
  try {
    await disconnectAll(original, cluster)
    const image = await createDatabase(cluster, original)
    return { name: new URL(image.url).pathname.slice(1), drop: image.drop }
  } finally {
    await mayConnect(true)
  }
}

/**
 * Closes the connections to a database, and waits until they are gone: Postgres itself checks only every 100 ms, one connection after the
 * other. A connection leaves the list before its socket is closed; a program that uses it in between finds that the database does not
 * answer.
 */
async function disconnectAll(name: string, cluster: string) {
  const sql = administratorOf(cluster)
  const deadline = Date.now() + 20_000
  const pids = new Set<number>()
  const listed = () => sql<{ pid: number }[]>`select pid, pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  for (let left = await listed(); left.length > 0 || [...pids].some(isRunning); left = await listed()) {
    if (Date.now() > deadline) throw new Error(`connections to ${name} do not end`)
    for (const { pid } of left) if (isOnThisMachine(cluster)) pids.add(pid)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

const isOnThisMachine = (url: string) => ['127.0.0.1', 'localhost'].includes(new URL(url).hostname)
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Closes the present connections of a database, whatever they do. */
export async function endConnections(url: string): Promise<void> {
  const { pathname } = new URL(url)
  await administratorOf(named(url, 'postgres'))`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = ${pathname.slice(1)}`
}

/** Copies the files of a SQLite database without a writer, with its WAL, as a disk image contains them. */
export function copyDatabase(from: string, to: string): void {
  for (const end of ['', '-wal']) {
    const file = join(from, `${DATABASE_FILE}${end}`)
    if (existsSync(file)) copyFileSync(file, join(to, `${DATABASE_FILE}${end}`))
  }
}

let emptyFolder: Promise<string> | undefined
/** The folder of a migrated, empty SQLite database, made once in this process, since a migration takes longer than most tests. */
const emptySqlite = () => {
  emptyFolder ??= makeEmptySqlite()
  return emptyFolder
}

async function makeEmptySqlite(): Promise<string> {
  const folder = memoryFolder('markbook-empty-')
  const { writer, close } = openSqlite(folder)
  await migrateSqlite(writer)
  close()
  return keptUntilExit(folder)
}

/**
 * `postgresUrl`: the cluster's; ignored for SQLite. `copyOf`: the initial content: the folder of a SQLite database, or the name of one on
 * the cluster.
 */
export async function openTestDatabase(
  database: DatabaseName,
  options: Omit<StoreOptions, 'role'>,
  postgresUrl: string,
  copyOf?: string,
): Promise<TestDatabase> {
  if (database === 'sqlite') {
    const folder = memoryFolder('markbook-')
    copyDatabase(copyOf ?? (await emptySqlite()), folder)
    const store = await openSchoolStore(folder, { ...options, role: 'school' })
    return { store, url: '', folder, drop: () => store.close().then(() => rmSync(folder, { recursive: true, force: true })) }
  }
  const { url, drop } = await createDatabase(postgresUrl, copyOf)
  const socket = named(await socketUrl(postgresUrl), new URL(url).pathname.slice(1))
  // Its source was migrated by these tests.
  const store = await openCurrentCentralStore(socket, { ...options, role: 'centre' })
  return { store, url, folder: '', drop: () => store.close().then(drop) }
}
