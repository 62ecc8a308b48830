import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import type { Clock } from '@markbook/shared/clock'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { isDiskFull } from '../disk-state.ts'
import { codeOf } from '../error-code.ts'
import { streamOf } from './digest.ts'
import {
  type Description,
  type DiskSpace,
  freeBytes,
  moveIntoPlace,
  namesIn,
  OBJECT_MARK,
  readDescription,
  removeLeftovers,
  removeOlder,
  replaceContent,
  requireSpace,
  writeContent,
  writeDescription,
} from './disk.folder.ts'
import { type Bucket, buckets, checkPath, ObjectExists, type ObjectStorage, type StoredObject, WrongContent } from './storage.ts'

type DiskOptions = Partial<DiskSpace> & { folder: string; clock: Clock }

/** In the folder of the files, so on the same file system; never part of a backup. */
const UNFINISHED = '.unfinished'

/** Names that Windows reserves for devices. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const toDisk = (segment: string) => (DEVICE.test(segment) ? `${segment}~` : segment)
const fromDisk = (name: string) => name.replace(/~$/, '')

/**
 * A folder on the school's disk (docs/design/files.md). An object is a folder `<path>@` with the content as it came and a description,
 * which names the content. It is written under another name, synced to the disk, and renamed.
 */
export function diskStorage({
  folder,
  clock,
  floor = limits.storage.minFreeBytes,
  free = () => freeBytes(folder),
}: DiskOptions): ObjectStorage {
  const unfinished = join(folder, UNFINISHED)
  const inTurn = keyedQueue()
  const placeOf = (bucket: Bucket, path: string) => {
    checkPath(path)
    return join(folder, bucket, ...path.split('/').map(toDisk)) + OBJECT_MARK
  }
  const space = { floor, free }

  return {
    async put(bucket, path, content, { contentType, overwrite = false, sha256: expected }) {
      const place = placeOf(bucket, path)
      const part = join(unfinished, randomBytes(12).toString('hex'))
      try {
        await mkdir(part, { recursive: true, mode: 0o700 })
        await requireSpace(space, content instanceof Uint8Array ? content.length : 0)
        const name = randomBytes(8).toString('hex') + extension(path)
        const { size, sha256 } = await writeContent(join(part, name), streamOf(content))
        if (expected !== undefined && sha256 !== expected) throw new WrongContent(`${bucket}/${path}`)
        const description = { content: name, content_type: contentType, size, sha256, modified_at: clock.now() }
        await writeDescription(part, description)
        await inTurn(place, async () => {
          if (await moveIntoPlace(part, place, folder)) return
          if (!overwrite) throw new ObjectExists(`${bucket}/${path}`)
          await replaceContent(part, place, description)
        })
        return toObject(bucket, path, description)
      } catch (error) {
        if (isDiskFull(error)) throw common.storageFull()
        throw error
      } finally {
        await rm(part, { recursive: true, force: true })
      }
    },

    async head(bucket, path) {
      const description = await readDescription(placeOf(bucket, path))
      return description && toObject(bucket, path, description)
    },

    async open(bucket, path, range) {
      const place = placeOf(bucket, path)
      for (let tries = 1; ; tries += 1) {
        const description = await readDescription(place)
        if (!description) return null
        try {
          const handle = await open(join(place, description.content), 'r')
          const body = handle.createReadStream(range ? { start: range.first, end: range.last } : {})
          return { object: toObject(bucket, path, description), body }
        } catch (error) {
          // Replaced between the two steps: the new description names the new content.
          if (codeOf(error) !== 'ENOENT' || tries >= 3) throw error
        }
      }
    },

    async remove(bucket, path) {
      const place = placeOf(bucket, path)
      const removed = join(unfinished, randomBytes(12).toString('hex'))
      await inTurn(place, async () => {
        await mkdir(unfinished, { recursive: true, mode: 0o700 })
        await rename(place, removed).catch(ignoreMissing)
      })
      await rm(removed, { recursive: true, force: true })
      await removeEmpty(dirname(place), join(folder, bucket))
    },

    async list(bucket, { prefix, after = '', limit }) {
      const paths = (await pathsBelow(join(folder, bucket), '', prefix)).filter((path) => path > after).sort()
      const listed: StoredObject[] = []
      for (const path of paths) {
        if (listed.length >= limit) break
        const description = await readDescription(placeOf(bucket, path))
        if (description) listed.push(toObject(bucket, path, description))
      }
      return listed
    },

    async sweep(before) {
      await removeOlder(unfinished, before)
      for (const bucket of buckets) {
        for (const path of await pathsBelow(join(folder, bucket), '', '')) {
          const place = placeOf(bucket, path)
          await inTurn(place, () => removeLeftovers(place))
        }
      }
    },

    close: async () => {},
  }
}

const toObject = (bucket: Bucket, path: string, { size, content_type, sha256, modified_at }: Description): StoredObject => ({
  bucket,
  path,
  size,
  contentType: content_type,
  etag: sha256,
  modifiedAt: modified_at,
})

/** The file extension, which the content keeps, so that a person can open it in a backup. */
const extension = (path: string) => /^\.[A-Za-z0-9]{1,8}$/.exec(extname(path))?.[0] ?? ''

/** The paths of the objects below a folder that could begin with `prefix`. */
async function pathsBelow(folder: string, above: string, prefix: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await namesIn(folder)) {
    const isObject = name.endsWith(OBJECT_MARK)
    const path = above + fromDisk(isObject ? name.slice(0, -OBJECT_MARK.length) : name)
    if (isObject) found.push(...(path.startsWith(prefix) ? [path] : []))
    else if (`${path}/`.startsWith(prefix) || prefix.startsWith(`${path}/`))
      found.push(...(await pathsBelow(join(folder, name), `${path}/`, prefix)))
  }
  return found
}

const ignoreMissing = (error: unknown): void => {
  if (codeOf(error) !== 'ENOENT') throw error
}

/** Removes empty folders, up to the bucket's. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  for (let empty = folder; empty.length > top.length; empty = dirname(empty)) {
    try {
      await rmdir(empty)
    } catch {
      return
    }
  }
}

/** Runs work of the same key one after another, and of different keys at the same time. */
function keyedQueue(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
    const settled = turn.catch(() => {})
    last.set(key, settled)
    try {
      return await turn
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
