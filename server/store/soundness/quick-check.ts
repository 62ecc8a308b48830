import { statSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { codeOf } from '../../error-code.ts'
import { LockedError, openFile } from '../sqlite.file.ts'
import { DATABASE_FILE } from '../sqlite.ts'

/**
 * The state of a school's database, found within a few milliseconds. `error`: what SQLite reported. `locked`: it is encrypted, and this
 * process does not have its key.
 */
export type QuickCheck = { state: 'there' | 'missing' | 'empty' | 'locked' } | { state: 'damaged'; error: Error }

/**
 * Checks that the database of a folder is usable: its header and length, which SQLite compares, its catalogue and the first page of every
 * table. Reading all of it takes seconds and is done while the server runs (`watch.ts`).
 */
export function quickCheckOfSqlite(folder: string): QuickCheck {
  const path = join(folder, DATABASE_FILE)
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) return { state: 'missing' }
  if (file.size === 0) return { state: 'empty' }
  let connection: Database.Database | undefined
  try {
    connection = openFile(path, { fileMustExist: true, timeout: 10_000 })
    connection.pragma('query_only = ON')
    const tables = connection.prepare("select name from sqlite_master where type = 'table'").pluck().all()
    for (const table of tables) connection.prepare(`select * from "${table}" limit 1`).get()
    return { state: tables.length === 0 ? 'empty' : 'there' }
  } catch (error) {
    if (error instanceof LockedError) return { state: 'locked' }
    const code = codeOf(error)
    if (code !== 'SQLITE_NOTADB' && !code.startsWith('SQLITE_CORRUPT')) throw error
    return { state: 'damaged', error: error as Error }
  } finally {
    connection?.close()
  }
}
