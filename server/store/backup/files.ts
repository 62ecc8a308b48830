import { copyFileSync, type Dirent, existsSync, linkSync, readdirSync, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncPath } from '../../atomic-write.ts'
import { codeOf } from '../../error-code.ts'
import { makeFolder } from '../../make-folder.ts'
import { orNull } from '../../or-null.ts'
import { type Backup, digestOf, type StoredFile } from './manifest.ts'

/** Where uploaded files are, in the data folder and in a backup. */
export const FILES_FOLDER = 'files'

/**
 * Puts the files below `from` into `to` and answers what they are. By hard link where the disk can, so that fifty backups of a
 * report card take its room once: stored files are written once and replaced whole, never changed in place (docs/design/backup.md).
 * A file that `previous` holds as the very same one is not read again. A file that goes meanwhile is left out.
 */
export async function backUpFiles(from: string, to: string, previous: Backup | null): Promise<StoredFile[]> {
  const known = new Map(previous?.manifest.files.map((file) => [file.path, file]))
  const stored: StoredFile[] = []
  for (const path of filesBelow(from)) {
    const [source, target] = [join(from, path), join(to, path)]
    try {
      linkOrCopy(source, target)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') continue
      throw error
    }
    const before = known.get(path)
    const isSame = before && previous && sameFile(join(previous.path, FILES_FOLDER, path), target)
    stored.push(isSame ? before : { path, ...(await digestOf(target)) })
  }
  return stored
}

/** The files of a backup that are not as they were. */
export async function damagedFiles({ path: folder, manifest }: Backup): Promise<StoredFile[]> {
  const damaged: StoredFile[] = []
  for (const file of manifest.files) if (!(await isIntact(join(folder, FILES_FOLDER, file.path), file))) damaged.push(file)
  return damaged
}

/** Brings the files of a backup into the data folder. What is there already with the same content, and what is newer, stays. */
export async function restoreFiles({ path: folder, manifest }: Backup, dataDir: string, damaged: readonly StoredFile[]): Promise<number> {
  let brought = 0
  for (const file of manifest.files) {
    const target = join(dataDir, FILES_FOLDER, file.path)
    if (damaged.includes(file) || (await isIntact(target, file))) continue
    makeFolder(dirname(target))
    const part = `${target}.restoring`
    copyFileSync(join(folder, FILES_FOLDER, file.path), part)
    await syncPath(part)
    await rename(part, target)
    brought += 1
  }
  return brought
}

/** Copies the files of a backup to one on another disk, linked to those of the backup before it there where they are the same. */
export function copyFiles(from: Backup, to: string, previous: Backup | null): void {
  const there = new Map(previous?.manifest.files.map((file) => [`${file.path}:${file.digest}`, file.path]))
  for (const { path, digest } of from.manifest.files) {
    const target = join(to, FILES_FOLDER, path)
    const same = previous && there.get(`${path}:${digest}`)
    if (same && existsSync(join(previous.path, FILES_FOLDER, same))) linkOrCopy(join(previous.path, FILES_FOLDER, same), target)
    else {
      makeFolder(dirname(target))
      copyFileSync(join(from.path, FILES_FOLDER, path), target)
    }
  }
}

/**
 * Slashes on every system: a backup moves between them. What is still being uploaded or written lies in folders with a dot before
 * their names; what is removed meanwhile is gone.
 */
function filesBelow(folder: string, above = ''): string[] {
  const found: string[] = []
  for (const entry of entriesOf(folder)) {
    const path = above + entry.name
    if (entry.isDirectory() && !entry.name.startsWith('.')) found.push(...filesBelow(join(folder, entry.name), `${path}/`))
    if (entry.isFile()) found.push(path)
  }
  return above === '' ? found.sort() : found
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function linkOrCopy(from: string, to: string): void {
  makeFolder(dirname(to))
  try {
    linkSync(from, to)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw error
    copyFileSync(from, to)
  }
}

function sameFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => orNull(() => statSync(path, { bigint: true })))
  return !!one && !!other && one.ino === other.ino && one.dev === other.dev
}

async function isIntact(path: string, file: StoredFile): Promise<boolean> {
  if (orNull(() => statSync(path).size) !== file.size) return false
  return digestOf(path).then(
    ({ digest }) => digest === file.digest,
    () => false,
  )
}
