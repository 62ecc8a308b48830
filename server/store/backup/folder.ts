import { existsSync, readdirSync, rmSync } from 'node:fs'
import { readdir, rename, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { limits } from '@markbook/shared/limits'
import { syncPath } from '../../atomic-write.ts'
import { codeOf } from '../../error-code.ts'
import { makeFolder } from '../../make-folder.ts'
import { takeLock } from '../sqlite.ts'
import { BackupError } from './manifest.ts'

/** What is being written bears this until it is whole; what is being removed bears it again. */
const UNFINISHED = '.unfinished-'

export const startFolder = (folder: string, name: string): string => {
  const path = join(folder, UNFINISHED + name)
  makeFolder(path, 0o700)
  return path
}

/** Gives a finished folder its name once all of it is on the disk: after a power cut it is there whole or not at all. Returns its path. */
export async function finishFolder(unfinished: string, name: string): Promise<string> {
  await syncTree(unfinished)
  const folder = dirname(unfinished)
  let free = name
  for (let count = 2; existsSync(join(folder, free)); count += 1) free = `${name}-${count}`
  const path = join(folder, free)
  await rename(unfinished, path)
  await syncPath(folder)
  return path
}

/** Removed under another name, so that a half removed backup is never taken for one. */
export async function removeFolder(folder: string, name: string): Promise<void> {
  const going = join(folder, UNFINISHED + name)
  await rename(join(folder, name), going)
  await rm(going, { recursive: true, force: true })
}

/** What a power cut left behind. Only under the lock: nobody else is writing then. */
export function sweepUnfinished(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (name.startsWith(UNFINISHED)) rmSync(join(folder, name), { recursive: true, force: true })
}

async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    await (entry.isDirectory() ? syncTree(path) : syncPath(path))
  }
  await syncPath(folder)
}

/** Backups must never be what fills the disk that the marks are on. */
export async function needRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= bytes + limits.backup.reservedBytes) return
  throw new BackupError(
    `The disk of ${folder} is nearly full (${megabytes(free)} free; a backup needs ${megabytes(bytes)} and leaves ${megabytes(limits.backup.reservedBytes)}).`,
  )
}

export const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`

/** One backup or restore at a time; another is waited for, at most `limits.backup.lockTimeoutMs`. Answers how to let go. */
export async function takeTurn(folder: string): Promise<() => void> {
  makeFolder(folder, 0o700)
  for (let waited = 0; ; waited += 100) {
    const lock = takeLock(join(folder, 'backup.lock'))
    if (lock) return () => lock.close()
    if (waited >= limits.backup.lockTimeoutMs) throw new BackupError('Another backup or restore is under way. Try again when it has ended.')
    await setTimeout(100)
  }
}

const TROUBLES: Record<string, string> = {
  ENOSPC: 'is full',
  EDQUOT: 'is full',
  EROFS:
    'can only be read: look for a switch on the stick, and have the disk looked at, since a system makes one so when it begins to fail',
  EACCES: 'may not be written to by this account',
  EPERM: 'may not be written to by this account',
  EIO: 'has a disk that fails',
  ENOTDIR: 'is not a folder',
  SQLITE_FULL: 'is full',
}

/** What is the matter with a folder that cannot be written to; null where the error says nothing of it. */
export const troubleOf = (error: unknown): string | null => TROUBLES[codeOf(error)] ?? null
