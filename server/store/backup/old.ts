import { removeFolder } from './folder.ts'
import { keep } from './keep.ts'
import { listBackups } from './manifest.ts'

/** Removes the backups of a folder whose time is over. */
export async function removeOld(folder: string, now: number): Promise<void> {
  const listed = listBackups(folder)
  const kept = new Set(keep(listed, now))
  for (const backup of listed) if (!kept.has(backup)) await removeFolder(folder, backup.name)
}
