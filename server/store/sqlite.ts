import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { codeOf } from '../error-code.ts'
import { makeFolder } from '../make-folder.ts'
import type { Compiled } from './compiled.ts'
import type { Connection, Db } from './connection.ts'
import { openFile } from './sqlite.file.ts'
import { chained, LOG_PAGES } from './sqlite.write.ts'

export type SqliteConnections = { writer: Database.Database; reader: Database.Database; close(): void }

/** The school's database within its folder. */
export const DATABASE_FILE = 'markbook.sqlite'
/** Locked by the server of the folder. */
export const LOCK_FILE = 'server.lock'

/** The oldest SQLite whose WAL does not have the reset bug. */
const OLDEST_SQLITE = [3, 51, 3] as const

/** Opens the school's database file in `folder`, which no other process may use. */
export function openSqlite(folder: string): SqliteConnections {
  makeFolder(folder)
  const lock = takeLock(join(folder, LOCK_FILE))
  if (!lock)
    throw new Error(`Another Markbook server is already running on ${folder}. Stop it first, or give this one a DATA_DIR of its own.`)
  try {
    return connect(join(folder, DATABASE_FILE), CACHE.server, () => void lock.close())
  } catch (error) {
    lock.close()
    throw error
  }
}

/** Opens an existing database, whether or not a server has its folder: WAL and `busy_timeout` let both write in turn. */
export function openSqliteBeside(folder: string): SqliteConnections {
  const path = join(folder, DATABASE_FILE)
  if (!existsSync(path)) throw new Error(`There is no database in ${folder}. Start the server once, or set DATA_DIR to its folder.`)
  return connect(path, CACHE.beside, () => {})
}

/** Page cache of a connection, KiB. */
const CACHE = { server: 32_768, beside: 4_096 }

function connect(path: string, cache: number, closed: () => void): SqliteConnections {
  const writer = openFile(path)
  configure(writer, cache)
  const reader = openFile(path)
  configure(reader, cache)
  reader.pragma('query_only = ON')
  return {
    writer,
    reader,
    close() {
      reader.close()
      writer.close()
      closed()
    },
  }
}

/**
 * better-sqlite3 sets synchronous to NORMAL when WAL is set. FULL must be set afterwards and is checked, since an acknowledged mark
 * depends on it.
 */
function configure(connection: Database.Database, cache: number) {
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  connection.pragma('busy_timeout = 5000')
  // Sorting and rollback need no disk, which may be full.
  connection.pragma('temp_store = MEMORY')
  connection.pragma(`cache_size = -${cache}`)
  connection.pragma(`wal_autocheckpoint = ${LOG_PAGES.usual}`)
  // Truncates a WAL that grew while a full disk prevented checkpoints.
  connection.pragma('journal_size_limit = 33554432')
  assertPragma(connection, 'journal_mode', 'wal')
  assertPragma(connection, 'synchronous', 2)
  assertPragma(connection, 'foreign_keys', 1)
  const version = connection.prepare('select sqlite_version() as version').get() as { version: string }
  if (isOlder(version.version)) throw new Error(`SQLite ${version.version} is too old; ${OLDEST_SQLITE.join('.')} or newer is needed.`)
}

function assertPragma(connection: Database.Database, name: string, expected: unknown) {
  const actual = connection.pragma(name, { simple: true })
  if (actual !== expected) throw new Error(`SQLite's ${name} is ${String(actual)}, but must be ${String(expected)}.`)
}

const isOlder = (version: string) => {
  const parts = version.split('.').map(Number)
  for (const [at, least] of OLDEST_SQLITE.entries()) {
    const part = parts[at] ?? 0
    if (part !== least) return part < least
  }
  return false
}

/**
 * Takes an exclusive lock that the operating system releases when the process ends in any way, so a leftover file never blocks a start.
 * Undefined where another process has it.
 */
export function takeLock(path: string): Database.Database | undefined {
  const lock = openFile(path, { timeout: 0 })
  try {
    lock.pragma('locking_mode = EXCLUSIVE')
    lock.exec('begin exclusive; create table if not exists holder (pid integer); commit; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (codeOf(error) !== 'SQLITE_BUSY') throw error
    return undefined
  }
}

/** Whether a process has the lock of a folder. Creates no file and takes no lock. */
export function isLocked(folder: string): boolean {
  const path = join(folder, LOCK_FILE)
  if (!existsSync(path)) return false
  const lock = openFile(path, { readonly: true, timeout: 0 })
  try {
    lock.prepare('select count(*) from sqlite_master').get()
    return false
  } catch (error) {
    if (codeOf(error) !== 'SQLITE_BUSY') throw error
    return true
  } finally {
    lock.close()
  }
}

export function sqliteConnection(connection: Database.Database, writes: boolean): Connection {
  const texts = new Map<string, Database.Statement>()
  const statementFor = (text: string) => {
    const known = texts.get(text)
    if (known) return known
    if (texts.size > 500) texts.clear()
    const made = connection.prepare(text)
    if (made.reader) made.raw()
    texts.set(text, made)
    return made
  }
  connection.function('chained', { deterministic: true }, (head, digest) => chained(String(head), String(digest)))
  return {
    db: drizzle(connection) as unknown as Db,
    writes,
    prepared: new Map(),
    rows: async <R>(text: string, params: readonly unknown[]) => {
      const statement = statementFor(text)
      return objectsOf(statement.all(...(params as unknown[])) as unknown[][], statement) as R[]
    },
    run: async (text, params) => {
      statementFor(text).run(...(params as unknown[]))
    },
    runEach: async (text, each) => {
      let [statement, written]: [Database.Statement | null, number] = [null, 0]
      for (const params of each) {
        statement ??= statementFor(text)
        written += statement.run(params).changes
      }
      return written
    },
    attempt: async (work) => {
      statementFor('savepoint attempt').run()
      try {
        return await work()
      } catch (error) {
        // A full disk, for example, ends the whole transaction with its savepoints.
        if (connection.inTransaction) statementFor('rollback to savepoint attempt').run()
        throw error
      } finally {
        if (connection.inTransaction) statementFor('release savepoint attempt').run()
      }
    },
    ready: (query) => ({ ready: readyOn(connection, query) }),
    execute: async ({ ready }, params) => (ready as Run)(params),
  }
}

const namesOf = new WeakMap<Database.Statement, string[]>()
/** The driver's own objects take half as long again as its arrays and this conversion. */
function objectsOf(raw: readonly unknown[][], statement: Database.Statement): Record<string, unknown>[] {
  if (raw.length === 0) return []
  const names = namesOf.get(statement) ?? statement.columns().map(({ name }) => name)
  namesOf.set(statement, names)
  return raw.map((values) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at += 1) row[names[at] as string] = values[at]
    return row
  })
}

type Run = (params: Record<string, unknown>) => unknown[]

function readyOn(connection: Database.Database, query: object): Run {
  if (!('bind' in query)) return (params) => (query as { all(values: unknown): unknown[] }).all(params)
  const { text, bind, rowOf } = query as Compiled
  const statement = connection.prepare<unknown[], unknown[]>(text)
  if (!statement.reader)
    return (params) => {
      statement.run(bind(params))
      return []
    }
  statement.raw()
  return (params) => statement.all(bind(params)).map(rowOf)
}
