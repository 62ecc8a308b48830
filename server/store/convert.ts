import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { syncPath } from '../atomic-write.ts'
import { makeFolder } from '../make-folder.ts'
import { needRoom } from './backup/folder.ts'
import { countsOf, inspectSqlite } from './backup/sqlite.copy.ts'
import { type DatabaseKey, encryptFile, holdKey, keyNameOf, makeEncrypted, openFile } from './sqlite.file.ts'
import { DATABASE_FILE, LOCK_FILE, takeLock } from './sqlite.ts'

/** The new database file, until it is complete and renamed. */
const NEXT = 'markbook.converting.sqlite'

/** The content of a database. `none`: no file, or an empty one; `new`: no school yet; `laptop`: of a person whom a school invited. */
export type Kind = 'none' | 'new' | 'laptop' | 'school'

/** The kind of a database that can be opened. That of an older program may lack the tables read here. */
export function kindOf(folder: string): Kind {
  const path = join(folder, DATABASE_FILE)
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return 'none'
  const connection = openFile(path, { fileMustExist: true, timeout: 10_000 })
  try {
    connection.pragma('query_only = ON')
    const tables = connection.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[]
    const has = (table: string, where = 'true') => Boolean(connection.prepare(`select 1 from ${table} where ${where} limit 1`).get())
    const columns = new Set((connection.pragma('table_info(sync_peer)') as { name: string }[]).map(({ name }) => name))
    if (columns.has('side') && columns.has('user_id') && has('sync_peer', "side = 'parent' and user_id is not null")) return 'laptop'
    return tables.includes('school') && has('school') ? 'school' : 'new'
  } finally {
    connection.close()
  }
}

/** Deletes the files of an interrupted conversion. */
function removeUnfinished(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (name.startsWith(NEXT)) rmSync(join(folder, name), { force: true })
}

/** Each step is reported when it is done; until `placed` the old database is unchanged. */
export type Step = 'copied' | 'encrypted' | 'checked' | 'placed'
export type ConvertOptions = { done?: (step: Step) => void; room?: typeof needRoom }

/** Creates an empty encrypted database in a folder without one. This process then holds its key. */
export async function beginEncrypted(folder: string, key: DatabaseKey, { done = () => {} }: ConvertOptions): Promise<void> {
  makeFolder(folder, 0o700)
  holdKey(key)
  await inTurn(folder, async (next) => {
    // While the keyring was read, another start may have created one and stored marks in it.
    if (kindOf(folder) !== 'none') throw new Error('Another start has made the database meanwhile.')
    makeEncrypted(next, key)
    done('encrypted')
    await finish(next)
    await put(folder, next)
    done('placed')
  })
}

/**
 * Encrypts the database of a folder, or decrypts it where `key` is null. Makes a copy, reads and counts all of it, syncs it to the disk,
 * and renames it over the database; interrupted at any point, one of the two opens. Throws, with the database unchanged, where another
 * process has it open, or the disk has no room for both.
 */
export async function convert(
  folder: string,
  key: DatabaseKey | null,
  { done = () => {}, room = needRoom }: ConvertOptions = {},
): Promise<void> {
  const path = join(folder, DATABASE_FILE)
  if (key) holdKey(key)
  await inTurn(folder, async (next) => {
    const sizes = ['', '-wal'].map((side) => statSync(path + side, { throwIfNoEntry: false })?.size ?? 0)
    await room(
      folder,
      sizes.reduce((sum, size) => sum + size, 0),
    )
    const source = openFile(path, { fileMustExist: true, timeout: 0 })
    try {
      // Locks out all other processes until the end. Without a WAL no plain text is left beside the file.
      source.pragma('locking_mode = EXCLUSIVE')
      if (source.pragma('journal_mode = DELETE', { simple: true }) !== 'delete') throw new Error('Another program has the database open.')
      source.exec('begin exclusive; commit')
      source.exec(`vacuum into '${next.replaceAll("'", "''")}'`)
      done('copied')
      encryptFile(next, key)
      done('encrypted')
      const isWhole = isDeepStrictEqual(inspectSqlite(next), countsOf(source)) && keyNameOf(next) === (key?.name ?? null)
      if (!isWhole) throw new Error('The copy does not hold the rows that the database holds.')
      done('checked')
      await finish(next)
      // Windows cannot rename over an open file. Only quick steps follow, since others may write from here on.
      if (process.platform === 'win32') source.close()
      await put(folder, next)
      done('placed')
    } finally {
      source.close()
    }
  })
}

async function inTurn(folder: string, work: (next: string) => Promise<void>): Promise<void> {
  const lock = takeLock(join(folder, LOCK_FILE))
  if (!lock) throw new Error(`A Markbook server is running on ${folder}.`)
  try {
    removeUnfinished(folder)
    await work(join(folder, NEXT))
  } finally {
    removeUnfinished(folder)
    lock.close()
  }
}

async function finish(next: string): Promise<void> {
  chmodSync(next, 0o600)
  await syncPath(next)
}

async function put(folder: string, next: string): Promise<void> {
  // Side files of the replaced database, whose content was committed, or of an earlier one: they contain plain text, and must not be
  // applied to the new file.
  for (const side of ['-journal', '-shm', '-wal']) rmSync(join(folder, DATABASE_FILE + side), { force: true })
  renameSync(next, join(folder, DATABASE_FILE))
  await syncPath(folder)
}
