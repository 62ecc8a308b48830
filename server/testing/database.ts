import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { migratePostgres } from '../store/migrate.ts'
import { DATABASE_FILE } from '../store/sqlite.ts'
import { openCentralStore, openSchoolStore, type Store, type StoreOptions } from '../store/store.ts'
import { memoryFolder } from './memory-folder.ts'

export type DatabaseName = 'sqlite' | 'postgres'
/** A store on a database of its own; `url` (Postgres) or `folder` (SQLite) says where; `drop` ends both. */
export type TestDatabase = { store: Store; url: string; folder: string; drop(): Promise<void> }

/** Closes a database and keeps it. Answers what `copyOf` takes; a folder is removed when the process exits, a database goes with its cluster. */
export async function detachTestDatabase({ store, url, folder }: TestDatabase): Promise<string> {
  await store.close()
  if (url) return new URL(url).pathname.slice(1)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const TEMPLATE = 'markbook_template'
const named = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href

async function administer(url: string, text: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(text)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** A migrated, empty database, from which each test file's own is copied. Collation is not C, as on a real server. */
export async function makeTemplate(url: string) {
  await administer(url, `drop database if exists ${TEMPLATE}`)
  await administer(url, `create database ${TEMPLATE}`)
  await migratePostgres(named(url, TEMPLATE))
}

export async function createDatabase(url: string, like = TEMPLATE): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `markbook_${randomBytes(8).toString('hex')}`
  await administer(url, `create database ${name} template ${like}`)
  return { url: named(url, name), drop: () => administer(url, `drop database if exists ${name} with (force)`) }
}

/** A Postgres database as it is now, under another name. Its connections end for as long as it takes; the program opens others. */
export async function imageOfDatabase(url: string, cluster: string): Promise<{ name: string; drop(): Promise<void> }> {
  const original = new URL(url).pathname.slice(1)
  const mayConnect = (may: boolean) => administer(cluster, `alter database ${original} allow_connections ${may}`)
  await mayConnect(false)
  try {
    await administer(cluster, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${original}'`)
    const image = await createDatabase(cluster, original)
    return { name: new URL(image.url).pathname.slice(1), drop: image.drop }
  } finally {
    await mayConnect(true)
  }
}

/** The files of a SQLite database that nobody writes to at this moment, with its log: as a disk image has them. */
export function copyDatabase(from: string, to: string): void {
  for (const end of ['', '-wal']) {
    const file = join(from, `${DATABASE_FILE}${end}`)
    if (existsSync(file)) copyFileSync(file, join(to, `${DATABASE_FILE}${end}`))
  }
}

/** `postgresUrl` is the cluster's; ignored for SQLite. `copyOf`: what to begin with: the folder of a SQLite database, or the name of one on the cluster. */
export async function openTestDatabase(
  database: DatabaseName,
  options: Omit<StoreOptions, 'role'>,
  postgresUrl: string,
  copyOf?: string,
): Promise<TestDatabase> {
  if (database === 'sqlite') {
    const folder = memoryFolder('markbook-')
    if (copyOf) copyDatabase(copyOf, folder)
    const store = await openSchoolStore(folder, { ...options, role: 'school' })
    return { store, url: '', folder, drop: () => store.close().then(() => rmSync(folder, { recursive: true, force: true })) }
  }
  const { url, drop } = await createDatabase(postgresUrl, copyOf)
  const store = await openCentralStore(url, { ...options, role: 'centre' })
  return { store, url, folder: '', drop: () => store.close().then(drop) }
}
