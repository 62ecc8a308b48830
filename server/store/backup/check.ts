import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { knownMigrations } from '../migrate.ts'
import type { Engine } from './engine.ts'
import { damagedFiles } from './files.ts'
import { type Backup, BackupError, digestOf, type StoredFile, tooNew } from './manifest.ts'

/** Reads a backup whole. Throws where its database is not exactly what was written; answers the uploaded files that are not. */
export async function checkBackup(backup: Backup, engine: Engine): Promise<StoredFile[]> {
  const { path, manifest } = backup
  if (manifest.database !== engine.name) throw new BackupError(`${wrongKind[manifest.database]} Nothing was changed.`)
  const known = new Set(knownMigrations(engine.name))
  if (manifest.migrations.some((when) => !known.has(when))) throw tooNew(path)
  await checkDatabase(backup, engine)
  return damagedFiles(backup)
}

export async function checkDatabase({ path, manifest }: Backup, engine: Engine): Promise<void> {
  const file = join(path, manifest.file)
  const damaged = (why: string) => new BackupError(`The backup ${path} is damaged: ${why}. Nothing was changed.`)
  if (!statSync(file, { throwIfNoEntry: false })) throw damaged(`${manifest.file} is missing`)
  const { size, digest } = await digestOf(file)
  if (size !== manifest.size) throw damaged(`${manifest.file} is ${size} bytes long and was ${manifest.size}`)
  if (digest !== manifest.digest) throw damaged(`${manifest.file} is not what was written`)
  if (!isDeepStrictEqual(await engine.inspect(file), manifest.counts)) throw damaged('its tables do not hold the rows that were counted')
}

const wrongKind = {
  sqlite: 'This is a backup of a school’s own server (SQLite); DATABASE_URL names a central one.',
  postgres: 'This is a backup of a central server (PostgreSQL); set DATABASE_URL to restore it.',
}
