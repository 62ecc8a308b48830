import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { codeOf } from '../../error-code.ts'
import { appliedSqlite } from '../migrate.ts'
import { copyBytes, keyNameOf, openFile } from '../sqlite.file.ts'
import { type DatabaseOwner, schoolsInWords } from './database-owner.ts'
import type { Progress, Snapshot } from './engine.ts'
import { type Counts, UnsoundError } from './manifest.ts'

/** Pages copied in one go, 4 KB each; between two goes others have their turn. */
const PAGES = 500

/**
 * Copies the database at `from` while others write to it. One read transaction holds the snapshot from the first count to the last
 * page, so the copy is a committed state and the counts are its counts.
 */
export async function copySqlite(from: string, to: string, progress: Progress): Promise<Snapshot> {
  if (keyNameOf(from)) return copyEncrypted(from, to, progress)
  const source = openFile(from, { fileMustExist: true, timeout: 10_000 })
  try {
    source.pragma('query_only = ON')
    source.exec('begin')
    const snapshot = snapshotOf(source)
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        progress('Copying', totalPages === 0 ? 1 : 1 - remainingPages / totalPages)
        return PAGES
      },
    })
    source.exec('commit')
    withoutLog(to)
    return snapshot
  } finally {
    source.close()
  }
}

/**
 * The same of an encrypted database: its bytes, so that a page that did not change is the same page in every copy. Nobody writes meanwhile,
 * which takes as long as the disk does. What is in the log only is copied with the log.
 */
function copyEncrypted(from: string, to: string, progress: Progress): Snapshot {
  const source = openFile(from, { fileMustExist: true, timeout: 10_000 })
  try {
    source.pragma('wal_checkpoint(PASSIVE)')
    source.exec('begin immediate')
    const snapshot = snapshotOf(source)
    progress('Copying')
    copyBytes(from, to)
    if (holdsAnything(`${from}-wal`)) copyBytes(`${from}-wal`, `${to}-wal`)
    source.exec('rollback')
    withoutLog(to)
    return snapshot
  } finally {
    source.close()
  }
}

/** A copy is one file that any program can read, without a log beside it. */
function withoutLog(path: string) {
  const copy = openFile(path)
  try {
    copy.pragma('journal_mode = DELETE')
  } finally {
    copy.close()
  }
}

function snapshotOf(connection: Database.Database): Snapshot {
  const migrations = appliedSqlite(connection)
  if (migrations.length === 0) throw new UnsoundError(`${connection.name} is no database of Markbook.`)
  const node = connection.prepare('select id from node where ended_at is null').pluck().get()
  const { id, school } = whoseIs(connection)
  return { migrations, counts: countsOf(connection), node_id: String(node), database_id: id, school }
}

/** Of a laptop also whose it is: several of one school may back up to one disk. */
function whoseIs(connection: Database.Database): DatabaseOwner {
  const asked = (text: string) => connection.prepare(text).pluck().all() as string[]
  const [id] = asked('select id from node order by created_at, id limit 1')
  if (!id) throw new UnsoundError(`${connection.name} is no database of Markbook.`)
  const schools = schoolsInWords(asked('select name from school order by name'))
  const [owner] = asked(`select trim(coalesce(p.first_name, '') || ' ' || coalesce(p.last_name, '')) from sync_peer s
    join user_profile p on p.id = s.user_id where s.side = 'parent' limit 1`)
  return { id, school: schools && owner ? `${schools}, laptop of ${owner}` : schools }
}

export function ownerInFile(path: string): DatabaseOwner {
  const connection = openFile(path, { fileMustExist: true, timeout: 10_000 })
  try {
    connection.pragma('query_only = ON')
    if (appliedSqlite(connection).length === 0) throw new UnsoundError(`${path} is no database of Markbook.`)
    return whoseIs(connection)
  } finally {
    connection.close()
  }
}

export const countsOf = (connection: Database.Database): Counts => {
  const tables = connection.prepare(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
  )
  const count = (table: string) => Number(connection.prepare(`select count(*) from "${table}"`).pluck().get())
  return Object.fromEntries((tables.pluck().all() as string[]).map((table) => [table, count(table)]))
}

/** Every page, every index, every reference of a copy; then its counts. An error does not name the copy, which may be gone by then. */
export function inspectSqlite(path: string): Counts {
  let connection: Database.Database | undefined
  try {
    connection = openFile(path, { readonly: true, fileMustExist: true })
    const [verdict] = connection.pragma('integrity_check(1)') as { integrity_check: string }[]
    if (verdict?.integrity_check !== 'ok') throw new UnsoundError(`The database is damaged: ${verdict?.integrity_check}`)
    const orphans = connection.pragma('foreign_key_check') as unknown[]
    if (orphans.length > 0) throw new UnsoundError(`The database is damaged: ${orphans.length} rows have lost what they belong to.`)
    return countsOf(connection)
  } catch (error) {
    if (!codeOf(error).startsWith('SQLITE_')) throw error
    throw new UnsoundError(`The database is damaged or is no database: ${(error as Error).message}`)
  } finally {
    connection?.close()
  }
}

export function countsNow(path: string): Counts | null {
  if (!holdsAnything(path)) return null
  try {
    const connection = openFile(path, { fileMustExist: true, timeout: 10_000 })
    try {
      connection.pragma('query_only = ON')
      return countsOf(connection)
    } finally {
      connection.close()
    }
  } catch {
    return null
  }
}

export const holdsAnything = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
