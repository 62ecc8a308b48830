import { lchownSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = 0
type Owner = Pick<Stats, 'uid' | 'gid'>

/** The account whose folder it is, where this process is root and the folder is somebody else's; else null. */
function ownerOf(folder: string): Owner | null {
  if (process.getuid?.() !== ROOT) return null
  const stats = statSync(folder, { throwIfNoEntry: false })
  return stats?.isDirectory() && stats.uid !== ROOT ? stats : null
}

/**
 * A server never works as root in the folder of another account: what it made there, that account could not open (docs/design/server.md).
 */
export function becomeOwner(folder: string): void {
  const owner = ownerOf(folder)
  if (!owner) return
  process.setgroups?.([owner.gid])
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
}

/**
 * A command goes on as root, because it may have to read and write where the account of the service may not (a USB disk). What it made
 * in these folders belongs to their owners once it ends, so that the service starts again after `sudo markbook restore`.
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
    // A file with two names may be one of the system's, under a name that somebody put here.
    const isOurs = stats?.uid === ROOT && (stats.isDirectory() || stats.nlink === 1)
    if (isOurs) lchownSync(path, owner.uid, owner.gid)
    if (stats?.isDirectory()) handOver(path, owner)
  }
}
