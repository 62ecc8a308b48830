import { copyFileSync, existsSync, rmSync, statSync } from 'node:fs'
import { chmod, copyFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { syncPath } from '../../atomic-write.ts'
import { codeOf } from '../../error-code.ts'
import { makeFolder } from '../../make-folder.ts'
import { sqliteDialect } from '../dialect.ts'
import { migrateSqlite } from '../migrate.ts'
import { encryptFile, isLockedFile, isLogGone, keyNameOf, openFile } from '../sqlite.file.ts'
import { serialised } from '../sqlite.transactions.ts'
import { DATABASE_FILE, sqliteConnection, takeLock } from '../sqlite.ts'
import { pagesOf } from './content/pages.ts'
import { type DatabaseCopy, type Engine, fileOf, NOT_ITS_ROWS, type RestoreOptions } from './engine.ts'
import { beginIncarnation } from './incarnation.ts'
import { BackupError } from './manifest.ts'
import { copySqlite, countsNow, holdsAnything, inspectSqlite, ownerInFile } from './sqlite.copy.ts'

/** In this order they are deleted: an index without its WAL is damage (`LogGoneError`). */
const SIDES = ['-shm', '-wal', '-journal'] as const

/** The database of a school, a file in `dataDir`. */
export function sqliteEngine(dataDir: string): Engine {
  const path = join(dataDir, DATABASE_FILE)
  const sizeOf = (side = '') => statSync(path + side, { throwIfNoEntry: false })?.size ?? 0
  return {
    name: 'sqlite',
    file: 'markbook.sqlite',
    size: async () => sizeOf() + sizeOf('-wal'),
    exists: async () => holdsAnything(path) || holdsAnything(`${path}-wal`),
    whose: async () => ownerInFile(path),
    copyTo: async (to, progress, readable) => {
      const snapshot = await copySqlite(path, to, progress)
      if (readable && keyNameOf(to)) encryptFile(to, null)
      return snapshot
    },
    streams: false,
    inChunks: async (scratch, progress, work) => {
      try {
        const snapshot = await copySqlite(path, scratch, progress)
        progress('Verifying')
        if (!isDeepStrictEqual(inspectSqlite(scratch), snapshot.counts)) throw new BackupError(NOT_ITS_ROWS)
        return await work(() => pagesOf(scratch), snapshot)
      } finally {
        for (const side of ['', ...SIDES]) rmSync(scratch + side, { force: true })
      }
    },
    inspect: async (copy) => inspectSqlite(fileOf(copy)),
    countsNow: async () => countsNow(path),
    hold: async () => {
      makeFolder(dataDir)
      const lock = takeLock(join(dataDir, 'server.lock'))
      if (!lock) throw new BackupError(`The server is running on ${dataDir}. Stop it first, then run this again. Nothing was changed.`)
      return async () => void lock.close()
    },
    setAside: async (folder) => {
      makeFolder(folder, 0o700)
      for (const side of ['', ...SIDES]) if (existsSync(path + side)) copyFileSync(path + side, join(folder, DATABASE_FILE + side))
      await syncPath(folder)
      return folder
    },
    putBack: async (copy, options) => {
      const next = await prepare(copy, join(dataDir, 'markbook.restoring.sqlite'), options)
      closeLog(path)
      await syncPath(dataDir)
      await rename(next.path, path)
      await syncPath(dataDir)
      return { nodeId: next.nodeId, before: null }
    },
    rehearse: async (copy, folder, options) => {
      const there = sqliteEngine(folder)
      await there.putBack(copy, options)
      return there.countsNow()
    },
  }
}

/** The restored database, finished and on the disk, still beside the one it will replace. */
async function prepare(copy: DatabaseCopy, path: string, { newId, now, takenAt, progress }: RestoreOptions) {
  for (const side of ['', ...SIDES]) rmSync(path + side, { force: true })
  await ('path' in copy && copy.isScratch ? rename(copy.path, path) : copyFile(fileOf(copy), path))
  await chmod(path, 0o600)
  const connection = openFile(path)
  let nodeId: string
  try {
    progress('Bringing it to this version')
    await migrateSqlite(connection)
    const begin = () => beginIncarnation(sqliteConnection(connection, true), sqliteDialect, { newId, now, takenAt })
    nodeId = await serialised(connection, 'begin immediate').run(begin)
  } finally {
    connection.close()
  }
  inspectSqlite(path)
  await syncPath(path)
  return { path, nodeId }
}

/** The log of the old database must be gone before another file takes its name: SQLite would read it into the new one. */
function closeLog(path: string): void {
  // What was set aside because it cannot be opened has nothing to be written back, and nobody has it open: the lock of the server is ours.
  if (existsSync(path) && !isLockedFile(path) && !isLogGone(path)) {
    const connection = openFile(path, { timeout: 1_000 })
    let busy = 0
    try {
      const [result] = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
      busy = result?.busy ?? 0
    } catch (error) {
      busy = codeOf(error) === 'SQLITE_BUSY' ? 1 : 0
    } finally {
      connection.close()
    }
    if (busy) throw new BackupError(`Another program has ${path} open. Close it, then run this again. Nothing was changed.`)
  }
  for (const side of SIDES) rmSync(path + side, { force: true })
}
