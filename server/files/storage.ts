import type { Readable } from 'node:stream'

/** `images`: avatars and crests, served to everybody who has the URL. `report-books`: documents of a class, served by rights. */
export const buckets = ['images', 'report-books'] as const
export type Bucket = (typeof buckets)[number]

/** `etag` is the SHA-256 of the content, hex. `modifiedAt` in ms since 1970. */
export type StoredObject = { bucket: Bucket; path: string; size: number; contentType: string; etag: string; modifiedAt: number }

/** First and last byte, both included. */
export type ByteRange = { first: number; last: number }

/**
 * Stores files in a folder on the school's disk, or in S3 (docs/design/files.md). One test suite covers both. The server makes the paths:
 * segments of `[A-Za-z0-9._-]` with `/` between them; any other path throws.
 */
export type ObjectStorage = {
  /**
   * Stores all or nothing, durably before it returns. Without `overwrite` an existing object stays: throws `ObjectExists`. With `sha256`,
   * content with another hash is not stored: throws `WrongContent`. Throws `Failure` 507 `storage_full` where the disk is full.
   */
  put(
    bucket: Bucket,
    path: string,
    content: Uint8Array | Readable,
    options: { contentType: string; overwrite?: boolean; sha256?: string },
  ): Promise<StoredObject>
  head(bucket: Bucket, path: string): Promise<StoredObject | null>
  /** The object, or a range of it; null where there is none. The caller reads or destroys `body`. */
  open(bucket: Bucket, path: string, range?: ByteRange): Promise<{ object: StoredObject; body: Readable } | null>
  /** Does nothing where there is no object. */
  remove(bucket: Bucket, path: string): Promise<void>
  /** Sorted by path, at most `limit` after `after`. */
  list(bucket: Bucket, options: { prefix: string; after?: string; limit: number }): Promise<StoredObject[]>
  /** Deletes unfinished objects that were begun before `before` (ms since 1970). */
  sweep(before: number): Promise<void>
  close(): Promise<void>
}

export class ObjectExists extends Error {}
export class WrongContent extends Error {}

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

export const isPath = (path: string): boolean =>
  path.length <= 400 && path.split('/').every((segment) => SEGMENT.test(segment) && !segment.endsWith('.'))

/** The server makes the paths, so one that leaves its bucket is a bug and throws. */
export function checkPath(path: string): void {
  if (!isPath(path)) throw new Error(`not a path of an object: ${JSON.stringify(path)}`)
}
