import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { knownMigrations } from '../migrate.ts'
import { chunksOf, withDatabaseFile } from './content.ts'
import type { Engine } from './engine.ts'
import { damagedFiles } from './files.ts'
import { type Backup, BackupError, digestOf, imprintOf, type StoredFile, tooNew } from './manifest.ts'

/**
 * Reads a backup whole. Throws where its database is not exactly what was written; answers the uploaded files that are not. A database that
 * is stored by content is opened, too, where `scratch` says at which path it may lie meanwhile.
 */
export async function checkBackup(backup: Backup, engine: Engine, scratch?: string): Promise<StoredFile[]> {
  const { path, manifest } = backup
  if (manifest.database !== engine.name) throw new BackupError(`${wrongKind[manifest.database]} Nothing was changed.`)
  const known = new Set(knownMigrations(engine.name))
  if (manifest.migrations.some((when) => !known.has(when))) throw tooNew(path)
  await checkDatabase(backup, engine, scratch)
  return damagedFiles(backup)
}

async function checkDatabase(backup: Backup, engine: Engine, scratch: string | undefined): Promise<void> {
  if (scratch !== undefined || !chunksOf(backup)) return withCheckedDatabase(backup, engine, scratch ?? '', async () => {})
  checkImprint(backup, await imprintOf(chunksOf(backup)?.() ?? []))
}

/** Gives a backup's database as a file, after it was read and found to be what was written. `isScratch` says that it may be moved away. */
export async function withCheckedDatabase<T>(
  backup: Backup,
  engine: Engine,
  scratch: string,
  work: (path: string, isScratch: boolean) => Promise<T>,
): Promise<T> {
  const { path, manifest } = backup
  if (!chunksOf(backup) && !statSync(join(path, manifest.file), { throwIfNoEntry: false }))
    throw damaged(path, `${manifest.file} is missing`)
  return withDatabaseFile(backup, scratch, async (file, isScratch) => {
    checkImprint(backup, await digestOf(file))
    if (!isDeepStrictEqual(await engine.inspect(file), manifest.counts))
      throw damaged(path, 'its tables do not hold the rows that were counted')
    return work(file, isScratch)
  })
}

function checkImprint({ path, manifest }: Backup, { size, digest }: { size: number; digest: string }): void {
  if (size !== manifest.size) throw damaged(path, `${manifest.file} is ${size} bytes long and was ${manifest.size}`)
  if (digest !== manifest.digest) throw damaged(path, `${manifest.file} is not what was written`)
}

const damaged = (path: string, why: string) => new BackupError(`The backup ${path} is damaged: ${why}. Nothing was changed.`)

const wrongKind = {
  sqlite: 'This is a backup of a school’s own server (SQLite); DATABASE_URL names a central one.',
  postgres: 'This is a backup of a central server (PostgreSQL); set DATABASE_URL to restore it.',
}
