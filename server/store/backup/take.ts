import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Clock, toInstant } from '@markbook/shared/clock'
import type { IdSource } from '@markbook/shared/ids'
import { syncPath } from '../../atomic-write.ts'
import { codeOf } from '../../error-code.ts'
import { makeFolder } from '../../make-folder.ts'
import { LockedError } from '../sqlite.file.ts'
import type { Content } from './content/places.ts'
import { collect, damageIn, removeLeftContent, storeContent, storedChunks } from './content.ts'
import { copyToSecondFolder } from './copy.ts'
import { type DatabaseOwner, writeOwnerNote } from './database-owner.ts'
import { type Engine, NOT_ITS_ROWS, type Progress, type Snapshot } from './engine.ts'
import { backUpFiles, FILES_FOLDER } from './files.ts'
import { finishFolder, needRoom, startFolder, sweepUnfinished, takeTurn, troubleOf } from './folder.ts'
import { removeOld } from './keep.ts'
import {
  type Backup,
  BackupError,
  backupsIn,
  digestOf,
  type FileDigest,
  nameOf,
  openBackup,
  type Reason,
  sealed,
  UnsoundError,
  writeManifest,
} from './manifest.ts'
import { openOwnFolder } from './own.ts'
import { removePlain } from './plain.ts'
import { postgresEngine } from './postgres.engine.ts'
import { lastProved } from './rehearsal-record.ts'
import { sqliteEngine } from './sqlite.engine.ts'

/** What is backed up, and where to. `copyDir` is a folder on another disk, if any. */
export type BackupLocation = {
  dataDir: string
  databaseUrl: string | null
  backupDir: string
  copyDir: string | null
  clock: Clock
  newId: IdSource
  /** In place of the disk's own answer, in tests. */
  needRoom?: typeof needRoom
}

export type BackupResult = { backup: Backup; warnings: string[] }
/** `readable`: with `to`, not encrypted, also where the database is. */
export type TakeOptions = { reason: Reason; to?: string; readable?: boolean; progress?: Progress }

export const engineOf = ({ databaseUrl, dataDir }: Pick<BackupLocation, 'databaseUrl' | 'dataDir'>): Engine =>
  databaseUrl ? postgresEngine(databaseUrl) : sqliteEngine(dataDir)

/**
 * Makes and verifies a backup while the server works, copies it to the second folder and removes those whose time is over. Throws
 * `BackupError` with one line; a second folder that cannot be used is only a warning. `to` names another folder: no copy there, and
 * nothing removed.
 */
export async function takeBackup(place: BackupLocation, options: TakeOptions): Promise<BackupResult> {
  const done = await takeTurn(place.backupDir)
  try {
    return await takeInTurn(place, options)
  } finally {
    done()
  }
}

/** The same for whoever has the turn already. */
export async function takeInTurn(
  place: BackupLocation,
  { reason, to, readable = false, progress = () => {} }: TakeOptions,
): Promise<BackupResult> {
  const folder = to ?? place.backupDir
  try {
    const whose = await whoseToBackUp(place)
    if (to) return await write(place, { reason, folder: to, isAlone: true, readable, progress })
    sweepUnfinished(place.backupDir)
    const own = await openOwnFolder(place.backupDir, whose)
    // Before a restore nothing goes: it might be the one that is to be restored.
    const thin = reason !== 'restore'
    await (thin ? thinOut(own, place.clock.now()) : removeLeftContent(own))
    const { backup, warnings: damage } = await write(place, { reason, folder: own, isAlone: false, readable: false, progress })
    const warnings = await copyToSecondFolder(place, { backup, whose, thin: thin && { good: lastProved(own) }, progress })
    if (thin) {
      await removePlain(own, backup)
      await thinOut(own, place.clock.now())
    }
    return { backup, warnings: [...damage, ...warnings] }
  } catch (error) {
    throw inWords(error, folder, reason)
  }
}

/** Also before room is asked for: those whose time is over must not keep a new one from being made. */
async function thinOut(own: string, now: number): Promise<void> {
  await removeOld(own, now, lastProved(own))
  await collect(own)
}

async function whoseToBackUp(place: BackupLocation): Promise<DatabaseOwner> {
  const engine = engineOf(place)
  if (!(await engine.exists())) throw new BackupError('There is no database to back up yet.')
  const whose = await engine.whose()
  writeOwnerNote(place.dataDir, whose)
  return whose
}

/** `isAlone`: with its database as a plain file, so that the folder is complete by itself. */
type Writing = { reason: Reason; folder: string; isAlone: boolean; readable: boolean; progress: Progress }

async function write(place: BackupLocation, { reason, folder, isAlone, readable, progress }: Writing): Promise<BackupResult> {
  const engine = engineOf(place)
  makeFolder(folder, 0o700)
  sweepUnfinished(folder)
  await (place.needRoom ?? needRoom)(folder, isAlone || !engine.streams ? await engine.size() : 0)
  const now = place.clock.now()
  const name = nameOf(now, reason)
  const part = startFolder(folder, name)
  try {
    const copied = await (isAlone ? copyAlone : copyIntoStore)(engine, { folder, part, readable, progress })
    const files = await backUpFiles(join(place.dataDir, FILES_FOLDER), join(part, FILES_FOLDER), newestIn(folder))
    const created_at = toInstant(now)
    const { snapshot, fileDigest, content, damaged } = copied
    writeManifest(
      part,
      sealed({ database: engine.name, created_at, reason, file: engine.file, files, ...snapshot, ...fileDigest }, content),
    )
    const backup = openBackup(await finishFolder(part, name))
    return { backup, warnings: damaged ? [damageIn(folder)] : [] }
  } catch (error) {
    sweepUnfinished(folder)
    if (!isAlone) await removeLeftContent(folder).catch(() => {})
    throw error
  }
}

type Into = { folder: string; part: string; readable: boolean; progress: Progress }
type Copied = { snapshot: Snapshot; fileDigest: FileDigest; damaged: number; content?: Content }

async function copyAlone(engine: Engine, { part, readable, progress }: Into): Promise<Copied> {
  const path = join(part, engine.file)
  const snapshot = await engine.copyTo(path, progress, readable)
  chmodSync(path, 0o600)
  await syncPath(path)
  progress('Verifying')
  if (!isDeepStrictEqual(await engine.inspect({ path, isScratch: false }), snapshot.counts)) throw new BackupError(NOT_ITS_ROWS)
  return { snapshot, fileDigest: await digestOf(path), damaged: 0 }
}

async function copyIntoStore(engine: Engine, { folder, part, progress }: Into): Promise<Copied> {
  const copied = await engine.inChunks(join(part, engine.file), progress, async (chunks, snapshot) => ({
    snapshot,
    ...(await storeContent(folder, chunks)),
  }))
  if (!engine.streams) return copied
  progress('Verifying')
  const counts = await engine.inspect({ chunks: () => storedChunks(folder, copied.content) })
  if (!isDeepStrictEqual(counts, copied.snapshot.counts)) throw new BackupError(NOT_ITS_ROWS)
  return copied
}

/** The newest backup in a folder whose manifest can be read. */
function newestIn(folder: string): Backup | null {
  for (const { path } of backupsIn(folder).reverse()) {
    try {
      return openBackup(path)
    } catch (error) {
      if (!(error instanceof BackupError)) throw error
    }
  }
  return null
}

const inWords = (error: unknown, folder: string, reason: Reason): unknown => {
  // A restore goes on with what is wrong, and says itself what it did.
  const unsound = (why: string) =>
    new UnsoundError(`No backup was made${reason === 'restore' ? '' : ' (what to do: markbook doctor)'}. ${why}`)
  const trouble = troubleOf(error)
  if (trouble) return new BackupError(`No backup was made: ${folder} ${trouble}.`)
  if (codeOf(error).startsWith('SQLITE_')) return unsound(`The database cannot be read (${(error as Error).message}).`)
  if (error instanceof LockedError) return unsound(error.message)
  if (!(error instanceof BackupError)) return error
  return error instanceof UnsoundError ? unsound(error.message) : new BackupError(`No backup was made. ${error.message}`)
}
