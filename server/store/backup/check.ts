import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { knownMigrations } from '../migrate.ts'
import { asFile, chunksOf } from './content.ts'
import type { DatabaseCopy, Engine } from './engine.ts'
import { damagedFiles } from './files.ts'
import { type Backup, BackupError, digestOf, fileDigestOf, type StoredFile, tooNew, UnsoundError } from './manifest.ts'

/**
 * Reads a backup whole. Throws where its database is not exactly what was written; answers the uploaded files that are not. A database that
 * is stored by content is opened, too, where `scratch` says at which path it may lie meanwhile.
 */
export async function checkBackup(backup: Backup, engine: Engine, scratch?: string): Promise<StoredFile[]> {
  refuseForeign(backup, engine)
  await checkDatabase(backup, engine, scratch)
  return damagedFiles(backup)
}

/** Of the other kind of database, or of a newer program. */
export function refuseForeign({ path, manifest }: Backup, engine: Engine): void {
  if (manifest.database !== engine.name) throw new BackupError(`${wrongKind[manifest.database]} Nothing was changed.`)
  const known = new Set(knownMigrations(engine.name))
  if (manifest.migrations.some((when) => !known.has(when))) throw tooNew(path)
}

async function checkDatabase(backup: Backup, engine: Engine, scratch: string | undefined): Promise<void> {
  const chunks = chunksOf(backup)
  if (scratch === undefined && chunks && !engine.streams) return checkDigest(backup, await fileDigestOf(chunks()))
  await withCheckedDatabase(backup, engine, scratch ?? '', async () => {})
}

/** Gives a backup's database after it was read and found to be what was written; as a file at `scratch` where the engine needs one. */
export async function withCheckedDatabase<T>(
  backup: Backup,
  engine: Engine,
  scratch: string,
  work: (copy: DatabaseCopy) => Promise<T>,
): Promise<T> {
  const { path, manifest } = backup
  const chunks = chunksOf(backup)
  const checked = async (copy: DatabaseCopy) => {
    checkDigest(backup, await ('path' in copy ? digestOf(copy.path) : fileDigestOf(copy.chunks())))
    const counts = await engine.inspect(copy).catch((error: Error) => {
      throw error instanceof UnsoundError ? damaged(path, error.message) : error
    })
    if (!isDeepStrictEqual(counts, manifest.counts)) throw damaged(path, 'its tables do not hold the rows that were counted')
    return work(copy)
  }
  if (chunks) return engine.streams ? checked({ chunks }) : asFile(chunks, scratch, checked)
  const file = join(path, manifest.file)
  if (!statSync(file, { throwIfNoEntry: false })) throw damaged(path, `${manifest.file} is missing`)
  return checked({ path: file, isScratch: false })
}

function checkDigest({ path, manifest }: Backup, { size, digest }: { size: number; digest: string }): void {
  if (size !== manifest.size) throw damaged(path, `${manifest.file} is ${size} bytes long and was ${manifest.size}`)
  if (digest !== manifest.digest) throw damaged(path, `${manifest.file} is not what was written`)
}

const damaged = (path: string, why: string) => new BackupError(`The backup ${path} is damaged: ${why}. Nothing was changed.`)

const wrongKind = {
  sqlite: 'This is a backup of a school’s own server (SQLite); DATABASE_URL names a central one.',
  postgres: 'This is a backup of a central server (PostgreSQL); set DATABASE_URL to restore it.',
}
