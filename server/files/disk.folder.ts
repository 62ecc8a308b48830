import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { type Digest, measuring } from './digest.ts'

/** What is known of an object, beside its content. Written last, and sorts after its content, so that whoever copies files does so too. */
const DESCRIPTION = 'object.json'
/** The folder of an object bears this at its end, which no path can contain. */
export const OBJECT_MARK = '@'

const Description = z.object({
  content: z.string().regex(/^[0-9a-f]{16}(\.[A-Za-z0-9]{1,8})?$/),
  content_type: z.string(),
  size: z.int().nonnegative(),
  sha256: z.string(),
  modified_at: z.int(),
})
export type Description = z.infer<typeof Description>

export const codeOf = (error: unknown): string => String((error as { code?: string } | null)?.code)
const isThere = (error: unknown) => ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EISDIR'].includes(codeOf(error))

/** Brings a file or folder to the disk. Windows and some file systems cannot do it for a folder. */
export async function syncPath(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r')
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP'].includes(codeOf(error))) throw error
  }
}

/** Writes content to a new file and brings it to the disk. */
export async function writeContent(path: string, content: Readable): Promise<Digest> {
  const measured = measuring()
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

/** Gives a finished folder its place, where there is none yet. Answers false where there is one, which stays. */
export async function landNew(part: string, place: string, root: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 })
    try {
      await rename(part, place)
      break
    } catch (error) {
      if (isThere(error) && (await isFolder(place))) return false
      // The folder above was empty, and was removed just then.
      if (codeOf(error) !== 'ENOENT' || tries >= 5) throw error
    }
  }
  for (let folder = dirname(place); folder.length >= root.length; folder = dirname(folder)) await syncPath(folder)
  return true
}

/** Writes a finished folder over an object: the description is what counts, and one rename changes it. */
export async function landOver(part: string, place: string, { content }: Description): Promise<void> {
  await rename(join(part, content), join(place, content))
  await syncPath(place)
  await rename(join(part, DESCRIPTION), join(place, DESCRIPTION))
  await syncPath(place)
  await removeLeftovers(place)
}

/** Removes contents that the description does not name: a replacement was cut off. Only while nobody else writes here. */
export async function removeLeftovers(place: string): Promise<void> {
  const description = await readDescription(place)
  if (!description) return
  const names = await readdir(place)
  const left = names.filter((name) => name !== DESCRIPTION && name !== description.content)
  for (const name of left) await rm(join(place, name), { force: true })
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
