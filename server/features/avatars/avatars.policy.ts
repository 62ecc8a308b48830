import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { toInstant } from '@markbook/shared/clock'
import { type AvatarUpload, type ImageType, imageEndings, imageFailures } from '@markbook/shared/contract/avatars'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { avatarAddress, imageObject, incomingObject, publicImageUrl } from '../../files/image-address.ts'
import type { Picture } from '../../files/images/picture.ts'
import { signToken, type UploadClaims } from '../../files/upload-tokens.ts'
import type { Services } from '../../http/services.ts'

/** A picture that is stored, and not yet anybody's. */
export type StoredPicture = { path: string; type: ImageType; size: number; sha256: string }

export const pathOfPicture = (folder: string, owner: string, type: ImageType): string => `${folder}/${owner}.${imageEndings[type]}`

/** Where a person's picture is shown to everybody who was told; null without one. */
export const avatarUrl = (
  { config, keys }: Pick<Services, 'config' | 'keys'>,
  { avatar_path, ...of }: { id: string; avatar_path: string | null; avatar_updated_at: string | null },
): string | null => avatar_path && publicImageUrl(config.publicUrl, avatarAddress({ ...of, avatar_path }, keys.image), of.avatar_updated_at)

/** Stores a picture before its row: a kill in between leaves an object without a row, which is swept (docs/design/files.md). */
export async function storePicture({ files }: Services, path: string, { bytes, type }: Picture, sha256: string): Promise<StoredPicture> {
  const options = { contentType: type, overwrite: true }
  const { size } = await files.put('images', imageObject(path, sha256), bytes, options)
  return { path, type, size, sha256 }
}

/** When a picture changed: `now`, but never the instant of the picture before it, since `?t=` has to change with the picture. */
export const changedAt = (nowMs: number, before: string | null): string =>
  toInstant(Math.max(nowMs, (before === null ? 0 : Date.parse(before)) + 1))

/**
 * Removes what lies at the paths of a picture and has been replaced for a while. What was replaced a moment ago stays: a backup that is
 * being made, or a request that is under way, may still want it.
 */
export async function removeReplaced(
  { files, clock, log }: Services,
  paths: readonly (string | null)[],
  kept: string | null,
): Promise<void> {
  try {
    const before = clock.now() - limits.storage.replaced
    for (const path of new Set(paths.filter((path) => path !== null))) {
      for (const object of await files.list('images', { prefix: `${path}/`, limit: limits.uploads.images * 2 }))
        if (object.path !== kept && object.modifiedAt < before) await files.remove('images', object.path)
    }
  } catch (error) {
    // The picture is saved; what is left is swept later.
    log.warn({ err: error }, 'replaced pictures could not be removed')
  }
}

const shorter = () => common.validationFailed({ issues: [{ path: 'file', message: 'was cut off: fewer bytes came than were said' }] })

/** Exactly so many bytes. Throws 413 where more come, 400 where fewer do. */
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

/** Keeps what was uploaded with a token until it is completed; it is nobody's picture yet, and served to nobody. */
export async function keepIncoming(
  { files }: Services,
  { path, type, size }: UploadClaims,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const body = Readable.from(exactly(content, size), { objectMode: false })
  await files.put('images', incomingObject(path), body, { contentType: type, overwrite: true })
}

/** What was uploaded to a path; null where nothing was. */
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

/** Where the storage takes uploads. */
export const TUS_PATH = '/storage/v1/upload/resumable'
export const SIGNED_PATH = '/storage/v1/object/upload/sign/images/'

/** The right to upload one picture, in the words that clients need. */
export function issueUploadToken({ clock, config, keys }: Services, wanted: Omit<UploadClaims, 'id' | 'until'>): AvatarUpload {
  const claims = { id: randomBytes(16).toString('hex'), ...wanted, until: clock.now() + limits.resumable.life }
  const token = signToken(claims, keys.upload)
  const { path, type } = claims
  return {
    path,
    token,
    signed_url: `${config.publicUrl}${SIGNED_PATH}${path}?token=${token}`,
    tus_endpoint: `${config.publicUrl}${TUS_PATH}`,
    tus_headers: { authorization: `Bearer ${token}`, 'x-upsert': 'true' },
    tus_metadata: { bucketName: 'images', objectName: path, contentType: type },
    chunk_size: limits.resumable.chunk,
  }
}
