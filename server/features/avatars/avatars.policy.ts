import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { toInstant } from '@markbook/shared/clock'
import { type AvatarUpload, type ImageType, imageEndings, imageFailures } from '@markbook/shared/contract/avatars'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { avatarAddress, imageObject, incomingObject, publicImageUrl } from '../../files/image-address.ts'
import type { Picture } from '../../files/images/picture.ts'
import { signToken, TUS_PATH, type UploadClaims } from '../../files/upload-tokens.ts'
import type { Services } from '../../http/services.ts'

/** A picture that is stored and not yet assigned to a person. */
export type StoredPicture = { path: string; type: ImageType; size: number; sha256: string }

export const pathOfPicture = (folder: string, owner: string, type: ImageType): string => `${folder}/${owner}.${imageEndings[type]}`

/** The URL of a person's picture; null without one. */
export const avatarUrl = (
  { config, keys }: Pick<Services, 'config' | 'keys'>,
  { avatar_path, ...of }: { id: string; avatar_path: string | null; avatar_updated_at: string | null },
): string | null => avatar_path && publicImageUrl(config.publicUrl, avatarAddress({ ...of, avatar_path }, keys.image), of.avatar_updated_at)

/**
 * Stores a picture before its row is written: a crash in between leaves an object without a row, which the sweep deletes
 * (docs/design/files.md).
 */
export async function storePicture({ files }: Services, path: string, { bytes, type }: Picture, sha256: string): Promise<StoredPicture> {
  const options = { contentType: type, overwrite: true }
  const { size } = await files.put('images', imageObject(path, sha256), bytes, options)
  return { path, type, size, sha256 }
}

/** The time of a change of picture: `now`, but always later than the one before, since `?t=` has to change with the picture. */
export const changedAt = (nowMs: number, before: string | null): string =>
  toInstant(Math.max(nowMs, (before === null ? 0 : Date.parse(before)) + 1))

/**
 * Deletes the replaced objects of a picture after a while. Recently replaced ones stay, because a running backup or request may still need
 * them.
 */
export async function removeReplaced(
  { files, clock, log }: Services,
  paths: readonly (string | null)[],
  kept: string | null,
): Promise<void> {
  try {
    const before = clock.now() - limits.storage.replacedAgeMs
    for (const path of new Set(paths.filter((path) => path !== null))) {
      for (const object of await files.list('images', { prefix: `${path}/`, limit: limits.uploads.images * 2 }))
        if (object.path !== kept && object.modifiedAt < before) await files.remove('images', object.path)
    }
  } catch (error) {
    // The picture is saved; the sweep deletes the rest later.
    log.warn({ err: error }, 'replaced pictures could not be removed')
  }
}

const shorter = () => common.validationFailed({ issues: [{ path: 'file', message: 'was cut off: fewer bytes came than were said' }] })

/** Passes on exactly this many bytes. Throws 413 for more, 400 for fewer. */
async function* exactly(source: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  const pieces = source[Symbol.asyncIterator]()
  for (;;) {
    const next = await pieces.next().catch(() => {
      throw shorter()
    })
    if (next.done) break
    size += next.value.length
    if (size > bytes) throw common.tooLarge({ message: `More bytes came than the ${bytes} that were said.` })
    yield next.value
  }
  if (size < bytes) throw shorter()
}

/** Stores an upload with a token until it is completed; until then it is assigned to nobody and not served. */
export async function keepIncoming(
  { files }: Services,
  { path, type, size }: UploadClaims,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const body = Readable.from(exactly(content, size), { objectMode: false })
  await files.put('images', incomingObject(path), body, { contentType: type, overwrite: true })
}

/** The upload for a path; null where there is none. */
export async function takeIncoming({ files }: Services, path: string): Promise<{ bytes: Uint8Array; contentType: string } | null> {
  const opened = await files.open('images', incomingObject(path))
  if (!opened) return null
  const { object, body } = opened
  if (object.size > limits.image.bytes) {
    body.destroy()
    throw imageFailures.tooLarge()
  }
  return { bytes: await buffer(body), contentType: object.contentType }
}

export const removeIncoming = ({ files, log }: Services, path: string): Promise<void> =>
  files.remove('images', incomingObject(path)).catch((error) => log.warn({ err: error }, 'a completed upload could not be removed'))

/** Before the path of a picture that is uploaded at once, with its token. */
export const SIGNED_PATH = '/storage/v1/object/upload/sign/images/'

/** Issues a token for uploading one picture, in the form that clients need. */
export function issueUploadToken({ clock, config, keys }: Services, wanted: Omit<UploadClaims, 'id' | 'until'>): AvatarUpload {
  const claims = { id: randomBytes(16).toString('hex'), ...wanted, until: clock.now() + limits.resumable.lifetimeMs }
  const token = signToken(claims, keys.upload)
  const { path, type } = claims
  return {
    path,
    token,
    signed_url: `${config.publicUrl}${SIGNED_PATH}${path}?token=${token}`,
    tus_endpoint: `${config.publicUrl}${TUS_PATH}`,
    tus_headers: { authorization: `Bearer ${token}`, 'x-upsert': 'true' },
    tus_metadata: { bucketName: 'images', objectName: path, contentType: type },
    chunk_size: limits.resumable.chunkBytes,
  }
}
