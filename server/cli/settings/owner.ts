import { lchownSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

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
 * that it made in these folders are given to the owners of the folders, so that the service can start after `sudo markbook restore`.
 */
export function handOverAtExit(folders: readonly string[]): void {
  if (process.getuid?.() !== ROOT) return
  process.on('exit', () => {
    for (const folder of folders) {
      const owner = ownerOf(folder)
      if (owner) handOver(folder, owner)
    }
  })
}

function handOver(folder: string, owner: Owner): void {
  for (const { name } of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    // A file with several hard links may be one of the system, linked here by somebody.
    const isOurs = stats?.uid === ROOT && (stats.isDirectory() || stats.nlink === 1)
    if (isOurs) lchownSync(path, owner.uid, owner.gid)
    if (stats?.isDirectory()) handOver(path, owner)
  }
}
