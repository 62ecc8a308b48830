import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { needRoom, syncPath } from './backup/folder.ts'
import { countsOf, inspectSqlite } from './backup/sqlite.copy.ts'
import { type DatabaseKey, encryptFile, holdKey, keyNameOf, makeEncrypted, openFile } from './sqlite.file.ts'
import { DATABASE_FILE, LOCK_FILE, takeLock } from './sqlite.ts'

/** What is made in the place of the database, until it is whole. */
const NEXT = 'markbook.converting.sqlite'

/** What a database holds. `none`: there is no file, or an empty one; `new`: no school yet; `laptop`: of a person whom a school invited. */
export type Kind = 'none' | 'new' | 'laptop' | 'school'

/** Of a database that can be opened. One of an older program may lack the tables that are asked for. */
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

/** Removes what a conversion that was cut off left behind. */
function removeUnfinished(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (name.startsWith(NEXT)) rmSync(join(folder, name), { force: true })
}

/** Each is told when it is done; before `placed` the database is what it was. */
export type Step = 'copied' | 'encrypted' | 'checked' | 'placed'
export type Converting = { done?: (step: Step) => void; room?: typeof needRoom }

/** Begins an empty database that is encrypted, in a folder that has none. This process holds its key from then on. */
export async function beginEncrypted(folder: string, key: DatabaseKey, { done = () => {} }: Converting = {}): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  holdKey(key)
  await inTurn(folder, async (next) => {
    // Another start may have made one, and taken marks, while the keyring was asked.
    if (kindOf(folder) !== 'none') throw new Error('Another start has made the database meanwhile.')
    makeEncrypted(next, key)
    done('encrypted')
    await finish(next)
    await put(folder, next)
    done('placed')
  })
}

/**
 * Encrypts the database of a folder, or takes the encryption away where there is no key. A copy is made, read whole and counted, brought to
 * the disk, and takes the name of the database: whenever that is cut off, one or the other opens. Throws, and leaves the database as it was,
 * where somebody else has it open, and where the disk has no room for two.
 */
export async function convert(
  folder: string,
  key: DatabaseKey | null,
  { done = () => {}, room = needRoom }: Converting = {},
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
      // Whoever else writes is kept out until the end. Without a log nothing plain is left beside the file.
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
      // Windows lets nobody take the name of an open file. Nothing that takes long comes after it: others may write again.
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
  // Of the file that goes, which was committed, or of one that is gone: parts of it in plain text, and to be read into no other.
  for (const side of ['-journal', '-wal', '-shm']) rmSync(join(folder, DATABASE_FILE + side), { force: true })
  renameSync(next, join(folder, DATABASE_FILE))
  await syncPath(folder)
}
