import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3'
import type { Clock } from '@markbook/shared/clock'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { isDiskFull } from '../disk-state.ts'
import { sha256Of } from './digest.ts'
import { writeContent } from './disk.folder.ts'
import { bucketName, isConflict, isMissing, type S3, toFailure } from './s3.client.ts'
import { type Bucket, checkPath, ObjectExists, type ObjectStorage, type StoredObject, WrongContent } from './storage.ts'

type Found = Pick<HeadObjectCommandOutput, 'ContentLength' | 'ContentType' | 'ETag' | 'LastModified' | 'Metadata'>

/** Content with its size and hash, which S3 needs before the first byte. `body` can be opened again after a failure. */
type Measured = { size: number; sha256: string; body(): Uint8Array | Readable; done(): Promise<void> }

/**
 * Buckets of an S3 (docs/design/files.md). The hash is in the object's metadata. An existing object is not overwritten: checked before,
 * and by `If-None-Match` where the S3 supports it; the server never uses a path twice.
 */
export function s3Storage({ sdk, client, settings }: S3, { clock }: { clock: Clock }): ObjectStorage {
  const at = (bucket: Bucket, path: string) => {
    checkPath(path)
    return { Bucket: bucketName(settings, bucket), Key: path }
  }
  const head = async (bucket: Bucket, path: string): Promise<StoredObject | null> => {
    try {
      return toObject(bucket, path, await client.send(new sdk.HeadObjectCommand(at(bucket, path))))
    } catch (error) {
      if (isMissing(error)) return null
      throw toFailure(error)
    }
  }
  const send = async (place: { Bucket: string; Key: string }, measured: Measured, contentType: string, overwrite: boolean) => {
    for (let tries = 1; ; tries += 1) {
      const Body = measured.body()
      try {
        await client.send(
          new sdk.PutObjectCommand({
            ...place,
            Body,
            ContentLength: measured.size,
            ContentType: contentType,
            Metadata: { sha256: measured.sha256 },
            ...(overwrite ? {} : { IfNoneMatch: '*' }),
          }),
        )
        return
      } catch (error) {
        if (!overwrite && isConflict(error)) throw new ObjectExists(place.Key)
        // The client itself retries bytes; a stream must be opened again.
        const failure = toFailure(error)
        if (Body instanceof Uint8Array || failure === error || tries >= limits.storage.attempts) throw failure
      }
    }
  }

  return {
    async put(bucket, path, content, { contentType, overwrite = false, sha256: expected }) {
      const place = at(bucket, path)
      const measured = await measure(content, expected)
      try {
        if (!overwrite && (await head(bucket, path))) throw new ObjectExists(path)
        await send(place, measured, contentType, overwrite)
        return { bucket, path, size: measured.size, contentType, etag: measured.sha256, modifiedAt: clock.now() }
      } finally {
        await measured.done()
      }
    },

    head,

    async open(bucket, path, range) {
      try {
        const Range = range && `bytes=${range.first}-${range.last}`
        const found = await client.send(new sdk.GetObjectCommand({ ...at(bucket, path), Range }))
        const size = range ? Number(found.ContentRange?.split('/')[1]) : found.ContentLength
        return { object: toObject(bucket, path, { ...found, ContentLength: size }), body: found.Body as Readable }
      } catch (error) {
        if (isMissing(error)) return null
        throw toFailure(error)
      }
    },

    async remove(bucket, path) {
      try {
        await client.send(new sdk.DeleteObjectCommand(at(bucket, path)))
      } catch (error) {
        if (!isMissing(error)) throw toFailure(error)
      }
    },

    async list(bucket, { prefix, after, limit }) {
      const keys: string[] = []
      try {
        for (let last = after; keys.length < limit; last = keys.at(-1)) {
          const query = { Bucket: bucketName(settings, bucket), Prefix: prefix, StartAfter: last }
          const { Contents = [], IsTruncated } = await client.send(new sdk.ListObjectsV2Command(query))
          keys.push(...Contents.flatMap(({ Key }) => Key ?? []).sort())
          if (!IsTruncated) break
        }
      } catch (error) {
        throw toFailure(error)
      }
      const listed: StoredObject[] = []
      for (const key of keys.slice(0, limit)) listed.push(...[await head(bucket, key)].filter((object) => object !== null))
      return listed
    },

    /** An S3 keeps no parts of unfinished objects. */
    sweep: async () => {},

    close: async () => client.destroy(),
  }
}

/** An object of another program has no hash in its metadata. */
const toObject = (bucket: Bucket, path: string, found: Found): StoredObject => ({
  bucket,
  path,
  size: found.ContentLength ?? 0,
  contentType: found.ContentType ?? 'application/octet-stream',
  etag: found.Metadata?.['sha256'] ?? (found.ETag ?? '').replaceAll('"', ''),
  modifiedAt: found.LastModified?.getTime() ?? 0,
})

async function measure(content: Uint8Array | Readable, expected: string | undefined): Promise<Measured> {
  const measured = content instanceof Uint8Array ? inMemory(content) : await spooled(content)
  if (expected === undefined || measured.sha256 === expected) return measured
  await measured.done()
  throw new WrongContent(`it should be ${expected}`)
}

const inMemory = (bytes: Uint8Array): Measured => ({
  size: bytes.length,
  sha256: sha256Of(bytes),
  body: () => bytes,
  done: async () => {},
})

async function spooled(content: Readable): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'markbook-upload-'))
  const path = join(folder, 'content')
  const done = () => rm(folder, { recursive: true, force: true })
  try {
    const { size, sha256 } = await writeContent(path, content)
    return { size, sha256, body: () => createReadStream(path), done }
  } catch (error) {
    await done()
    throw isDiskFull(error) ? common.storageFull() : error
  }
}
