import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { common } from '@markbook/shared/failures'
import { z } from 'zod'
import { syncPath } from '../atomic-write.ts'
import { codeOf } from '../error-code.ts'
import { type Digest, hashingStream } from './digest.ts'

/**
 * The description of an object beside its content. Written last; its name sorts after the content's, so that copying in order of names
 * writes it last too.
 */
const DESCRIPTION = 'object.json'
/** The suffix of an object's folder; no path can contain it. */
export const OBJECT_MARK = '@'

const Description = z.object({
  content: z.string().regex(/^[0-9a-f]{16}(\.[A-Za-z0-9]{1,8})?$/),
  content_type: z.string(),
  size: z.int().nonnegative(),
  sha256: z.string(),
  modified_at: z.int(),
})
export type Description = z.infer<typeof Description>

const isThere = (error: unknown) => ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EISDIR'].includes(codeOf(error))

/** Writes content to a new file and syncs it to the disk. */
export async function writeContent(path: string, content: Readable): Promise<Digest> {
  const measured = hashingStream()
  await pipeline(content, measured.through, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  return measured.digest()
}

export async function writeDescription(folder: string, description: Description): Promise<void> {
  await writeFile(join(folder, DESCRIPTION), `${JSON.stringify(description)}\n`, { mode: 0o600, flush: true })
  await syncPath(folder)
}

/** Null where there is no object. */
export async function readDescription(folder: string): Promise<Description | null> {
  try {
    return Description.parse(JSON.parse(await readFile(join(folder, DESCRIPTION), 'utf8')))
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null
    throw error
  }
}

/** Renames a finished folder to its place. Returns false where a folder is there already, which stays. */
export async function moveIntoPlace(part: string, place: string, root: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 })
    try {
      await rename(part, place)
      break
    } catch (error) {
      if (isThere(error) && (await isFolder(place))) return false
      // The parent folder was empty, and another operation removed it just then.
      if (codeOf(error) !== 'ENOENT' || tries >= 5) throw error
    }
  }
  for (let folder = dirname(place); folder.length >= root.length; folder = dirname(folder)) await syncPath(folder)
  return true
}

/** Replaces an object by a finished folder: the description names the content, and renaming it replaces the object. */
export async function replaceContent(part: string, place: string, { content }: Description): Promise<void> {
  await rename(join(part, content), join(place, content))
  await syncPath(place)
  await rename(join(part, DESCRIPTION), join(place, DESCRIPTION))
  await syncPath(place)
  await removeLeftovers(place)
}

/** Deletes contents that the description does not name, after an interrupted replacement. Only while nothing else writes here. */
export async function removeLeftovers(place: string): Promise<void> {
  const description = await readDescription(place)
  if (!description) return
  const names = await readdir(place)
  const left = names.filter((name) => name !== DESCRIPTION && name !== description.content)
  for (const name of left) await rm(join(place, name), { force: true })
}

/** The names in a folder; empty where the folder does not exist. */
export const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return []
    throw error
  })

/** Deletes the entries of a folder that have not changed since `before` (ms since 1970). */
export async function removeOlder(folder: string, before: number): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: before }))
    if (mtimeMs < before) await rm(path, { recursive: true, force: true })
  }
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** `floor`: bytes to leave free, so that uploads stop before marks do; `free`: the bytes that are free now. */
export type DiskSpace = { floor: number; free: () => Promise<number> }

const NEARLY_FULL = 'The disk of the server is nearly full, so no files can be taken. Marks can still be saved.'

export async function requireSpace({ floor, free }: DiskSpace, bytes: number): Promise<void> {
  if ((await free()) - bytes < floor) throw common.storageFull({ message: NEARLY_FULL })
}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
