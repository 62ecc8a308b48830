import { toInstant } from '@markbook/shared/clock'
import { type ImageType, imageEndings } from '@markbook/shared/contract/avatars'
import { limits } from '@markbook/shared/limits'
import { imageObject } from '../../files/image-address.ts'
import type { Picture } from '../../files/images/picture.ts'
import type { Services } from '../../http/services.ts'

/** A picture that is stored, and not yet anybody's. */
export type StoredPicture = { path: string; type: ImageType; size: number; sha256: string }

export const pathOfPicture = (folder: string, owner: string, type: ImageType): string => `${folder}/${owner}.${imageEndings[type]}`

/** Stores a picture before its row: a kill in between leaves an object without a row, which is swept (decision 252). */
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
export async function removeReplaced({ files, clock, log }: Services, paths: readonly (string | null)[], kept: string): Promise<void> {
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
