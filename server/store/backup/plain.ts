import { join } from 'node:path'
import { orNull } from '../../or-null.ts'
import { headOf, keyNameIn } from '../sqlite.file.ts'
import { chunksOf } from './content.ts'
import { removeFolder } from './folder.ts'
import { type Backup, backupsIn, openBackup } from './manifest.ts'

/** The key that the database of a backup is encrypted with; null where it is not. Throws where it cannot be read. */
export async function keyNameOfBackup(backup: Backup): Promise<string | null> {
  const chunks = chunksOf(backup)
  if (!chunks) return keyNameIn(headOf(join(backup.path, backup.manifest.file)))
  for await (const first of chunks()) return keyNameIn(first)
  return null
}

/**
 * Removes the backups of the time before a laptop's database was encrypted from its own folder, where `newest` is an encrypted one: beside
 * it they would give away what it hides. What they alone held in the store goes with the next `collect`.
 */
export async function removePlain(own: string, newest: Backup): Promise<void> {
  if (newest.manifest.database !== 'sqlite' || (await keyNameOfBackup(newest)) === null) return
  for (const { name, path } of backupsIn(own)) {
    const backup = orNull(() => openBackup(path))
    const isPlain = backup && (await keyNameOfBackup(backup).catch(() => 'unknown')) === null
    if (isPlain) await removeFolder(own, name)
  }
}
