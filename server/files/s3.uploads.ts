import { limits } from '@markbook/shared/limits'
import type { MetadataValue } from '@tus/s3-store'
import type { KvStore } from '@tus/server'
import { lazily } from './lazily.ts'
import { bucketName, clientConfig, isMissing, type S3, UPLOADS } from './s3.client.ts'
import type { Uploads } from './uploads.ts'

/** Resumable uploads in a bucket of their own, so that any instance of a central node can receive a piece. */
export function s3Uploads({ sdk, client, settings }: S3): Uploads {
  const Bucket = bucketName(settings, UPLOADS)
  const store = lazily(async () => {
    const { S3Store } = await import('@tus/s3-store')
    return new S3Store({
      partSize: limits.resumable.chunkBytes,
      // Not every S3 supports tags.
      useTags: false,
      cache: NO_CACHE,
      s3ClientConfig: { bucket: Bucket, ...clientConfig(settings) },
    })
  })
  const endMultipart = async (Key: string) => {
    const found = await client.send(new sdk.HeadObjectCommand({ Bucket, Key })).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    const UploadId = found?.Metadata?.['upload-id']
    const ending = new sdk.AbortMultipartUploadCommand({ Bucket, Key: Key.slice(0, -INFO.length), UploadId })
    // A finished upload has no multipart upload any more.
    if (UploadId) await client.send(ending).catch(() => {})
  }
  return {
    store,
    remove: async (id) => {
      await endMultipart(id + INFO)
      for (const Key of [id, id + PART, id + INFO]) await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }))
    },
    requireSpace: async () => {},
    read: async (id) => (await store()).read(id),
    sweep: async (before) => {
      for (let last: string | undefined; ; ) {
        const { Contents = [], IsTruncated } = await client.send(new sdk.ListObjectsV2Command({ Bucket, StartAfter: last }))
        for (const { Key = '', LastModified } of Contents) {
          if (!LastModified || LastModified.getTime() >= before) continue
          if (Key.endsWith(INFO)) await endMultipart(Key)
          await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }))
        }
        last = Contents.at(-1)?.Key
        if (!IsTruncated) return
      }
    },
  }
}

/** The library stores the state of an upload beside it. */
const INFO = '.info'
/** And bytes that are fewer than a part. */
const PART = '.part'

/** The library would cache every upload for ever, and another instance may have ended it. */
const NO_CACHE: KvStore<MetadataValue> = { get: async () => undefined, set: async () => {}, delete: async () => {} }
