import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import type { Clock } from '@markbook/shared/clock'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { streamOf } from './digest.ts'
import {
  codeOf,
  type Description,
  landNew,
  landOver,
  OBJECT_MARK,
  readDescription,
  removeLeftovers,
  writeContent,
  writeDescription,
} from './disk.folder.ts'
import { freeBytes, needRoom, type Room } from './disk.room.ts'
import { oneAfterAnother } from './one-after-another.ts'
import { checkPath } from './storage.paths.ts'
import { type Bucket, buckets, ObjectExists, type ObjectStorage, type StoredObject, WrongContent } from './storage.ts'

type DiskOptions = Partial<Room> & { folder: string; clock: Clock }

/** Below the folder of the files, on the same file system; never part of a backup. */
export const UNFINISHED = '.unfinished'
const FULL = ['ENOSPC', 'EDQUOT']

/** Windows has names that are devices. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
const toDisk = (segment: string) => (DEVICE.test(segment) ? `${segment}~` : segment)
const fromDisk = (name: string) => name.replace(/~$/, '')

/**
 * A folder on the school's disk (decision 250). An object is a folder of its own, `<path>@`: the content as it came, and a
 * description, which counts. It is made whole under another name, brought to the disk, and renamed.
 */
export function diskStorage({ folder, clock, floor = limits.storage.floor, free = () => freeBytes(folder) }: DiskOptions): ObjectStorage {
  const unfinished = join(folder, UNFINISHED)
  const inTurn = oneAfterAnother()
  const placeOf = (bucket: Bucket, path: string) => {
    checkPath(path)
    return join(folder, bucket, ...path.split('/').map(toDisk)) + OBJECT_MARK
  }
  const room = { floor, free }

  return {
    async put(bucket, path, content, { contentType, overwrite = false, sha256: wanted }) {
      const place = placeOf(bucket, path)
      const part = join(unfinished, randomBytes(12).toString('hex'))
      try {
        await mkdir(part, { recursive: true, mode: 0o700 })
        await needRoom(room, content instanceof Uint8Array ? content.length : 0)
        const name = randomBytes(8).toString('hex') + extension(path)
        const { size, sha256 } = await writeContent(join(part, name), streamOf(content))
        if (wanted !== undefined && sha256 !== wanted) throw new WrongContent(`${bucket}/${path}`)
        const description = { content: name, content_type: contentType, size, sha256, modified_at: clock.now() }
        await writeDescription(part, description)
        await inTurn(place, async () => {
          if (await landNew(part, place, folder)) return
          if (!overwrite) throw new ObjectExists(`${bucket}/${path}`)
          await landOver(part, place, description)
        })
        return toObject(bucket, path, description)
      } catch (error) {
        if (FULL.includes(codeOf(error))) throw common.storageFull()
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
          // Replaced between the two: the new description names the new content.
          if (codeOf(error) !== 'ENOENT' || tries >= 3) throw error
        }
      }
    },

    async remove(bucket, path) {
      const place = placeOf(bucket, path)
      const going = join(unfinished, randomBytes(12).toString('hex'))
      await inTurn(place, async () => {
        await mkdir(unfinished, { recursive: true, mode: 0o700 })
        await rename(place, going).catch(ignoring('ENOENT'))
      })
      await rm(going, { recursive: true, force: true })
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
      await sweepUnfinished(unfinished, before)
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

/** Kept on the content, so that whoever looks into a backup can open it. */
const extension = (path: string) => /^\.[A-Za-z0-9]{1,8}$/.exec(extname(path))?.[0] ?? ''

const ignoring =
  (...codes: string[]) =>
  (error: unknown) => {
    if (!codes.includes(codeOf(error))) throw error
  }

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error) => {
    ignoring('ENOENT', 'ENOTDIR')(error)
    return []
  })

const isOlder = (path: string, before: number) =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs < before,
    () => false,
  )

async function sweepUnfinished(folder: string, before: number): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    if (await isOlder(path, before)) await rm(path, { recursive: true, force: true })
  }
}

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

/** Folders that hold nothing any more, up to the bucket's. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  for (let empty = folder; empty.length > top.length; empty = dirname(empty)) {
    const gone = await rmdir(empty).then(
      () => true,
      () => false,
    )
    if (!gone) return
  }
}
