import { lchownSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { orNull } from '../../or-null.ts'
import { readOwnerNote } from '../../store/backup/database-owner.ts'
import { folderOfDatabase } from '../../store/backup/manifest.ts'

const ROOT = 0
type Owner = Pick<Stats, 'uid' | 'gid'>

/** The owner of a folder, where this process is root and the folder belongs to another account; else null. */
function ownerOf(folder: string): Owner | null {
  if (process.getuid?.() !== ROOT) return null
  const stats = statSync(folder, { throwIfNoEntry: false })
  return stats?.isDirectory() && stats.uid !== ROOT ? stats : null
}

/**
 * Changes the account of this process from root to the owner of the folder: files that root made could not be opened by that account
 * (docs/design/server.md).
 */
export function becomeOwner(folder: string): void {
  const owner = ownerOf(folder)
  if (!owner) return
  process.setgroups?.([owner.gid])
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
}

/**
 * A command stays root, since it may have to read and write where the account of the service may not (a USB disk). When it ends, the files
 * that it made in the folders of data and backups are given to the owners of the folders, so that the service can start after
 * `sudo markbook restore`. In the second folder, which others may use too, the copies of this database are given to the owner of the data:
 * the service could copy nothing into a folder of root's.
 */
export function handOverAtExit({ dataDir, backupDir, backupCopyDir }: Pick<Config, 'dataDir' | 'backupDir' | 'backupCopyDir'>): void {
  if (process.getuid?.() !== ROOT) return
  process.on('exit', () => {
    for (const folder of [dataDir, backupDir]) {
      const owner = ownerOf(folder)
      if (owner) handOver(folder, owner)
    }
    const [owner, whose] = [ownerOf(dataDir), readOwnerNote(dataDir)]
    // A disk without owners, such as FAT, refuses; the doctor says whether the server can write there.
    if (owner && whose && backupCopyDir) orNull(() => handOverCopies(folderOfDatabase(backupCopyDir, whose.id), owner))
  })
}

/**
 * Whoever they belong to: on a disk from an older machine the account of the server has another number. Not through a link: whoever may
 * write to the disk could point it at a folder of the system.
 */
function handOverCopies(own: string, owner: Owner): void {
  if (!lstatSync(own).isDirectory()) return
  lchownSync(own, owner.uid, owner.gid)
  handOver(own, owner, () => true)
}

function handOver(folder: string, owner: Owner, isOf: (uid: number) => boolean = (uid) => uid === ROOT): void {
  for (const { name } of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    // A file with several hard links may be one of the system, linked here by somebody.
    const isOurs = stats && isOf(stats.uid) && (stats.isDirectory() || stats.nlink === 1)
    if (isOurs) lchownSync(path, owner.uid, owner.gid)
    if (stats?.isDirectory()) handOver(path, owner, isOf)
  }
}
