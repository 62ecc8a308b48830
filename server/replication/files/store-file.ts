import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Failure } from '@markbook/shared/failures'
import { codeOf } from '../../error-code.ts'
import { ObjectExists, WrongContent } from '../../files/storage.ts'
import type { Services } from '../../http/services.ts'
import { type Content, fileFailures, isContentOf, type NamedFile } from './named.ts'

export type Carrying = Pick<Services, 'store' | 'files' | 'uploads'>

/** What this node has of a file, if it is what the row names; else null. An object whose description is damaged counts as none. */
export async function heldOf({ files }: Pick<Services, 'files'>, file: NamedFile): Promise<Content | null> {
  const object = await files.head(file.bucket, file.path).catch((error: unknown) => {
    if (error instanceof Failure) throw error
    return null
  })
  // What another program put into an S3 has no hash.
  const content = object && /^[0-9a-f]{64}$/.test(object.etag) ? { sha256: object.etag, size: object.size } : null
  return content && isContentOf(file, content) ? content : null
}

/**
 * Stores a file where its row says, if the content is what the row names; overwrites nothing. Throws `sync.wrong_content` for any other
 * content.
 */
export async function land({ files }: Pick<Services, 'files'>, file: NamedFile, content: Uint8Array | Readable, { sha256 }: Content) {
  const { bucket, path, contentType } = file
  try {
    await files.put(bucket, path, content, { contentType, sha256 })
  } catch (error) {
    if (error instanceof WrongContent) throw fileFailures.wrongContent()
    if (!(error instanceof ObjectExists)) throw error
    if ((await files.head(bucket, path))?.etag !== sha256) throw fileFailures.wrongContent()
  }
}

/** Stores a complete upload. Wrong content is thrown away, so that the transfer begins anew. */
export async function storeStaged(
  services: Pick<Carrying, 'files' | 'uploads'>,
  id: string,
  file: NamedFile,
  content: Content,
): Promise<void> {
  const { uploads } = services
  try {
    await land(services, file, await uploads.read(id), content)
  } catch (error) {
    if (codeOf(error) === fileFailures.wrongContent().code) await uploads.remove(id)
    throw error
  }
  await uploads.remove(id)
}

/** The id under which the pieces of a file wait until it is complete; the same after any break. */
export const stagedId = (direction: 'up' | 'down', peer: string, row: string, { sha256 }: Content): string =>
  createHash('sha256').update(`${direction} ${peer} ${row} ${sha256}`).digest('hex').slice(0, 40)

/** How many bytes have come; null where nothing was begun, or with another size. */
export async function stagedBytes({ uploads }: Pick<Services, 'uploads'>, id: string, { size }: Content): Promise<number | null> {
  const store = await uploads.store()
  const known = await store.getUpload(id).catch(() => null)
  return known?.size === size ? known.offset : null
}

/** How many objects are looked up at once: those of an S3 take their time. */
export const LOOKUPS_AT_ONCE = 8

/** Runs `work` for all, `atOnce` at a time. */
export async function eachOf<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  const left = all[Symbol.iterator]()
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker))
}

/** All bytes of a small content; none where there is none. */
export async function bytesOf(body: Readable | undefined): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of body ?? []) pieces.push(piece as Uint8Array)
  return Buffer.concat(pieces)
}
