import { type ImageType, imageFailures, imageTypes } from '@markbook/shared/contract/avatars'
import { limits } from '@markbook/shared/limits'
import { stripJpeg } from './jpeg.ts'
import { stripPng } from './png.ts'
import { damaged, type StrippedImage } from './stripped.ts'
import { stripWebp } from './webp.ts'

/** A picture that may be stored. */
export type Picture = { bytes: Uint8Array; type: ImageType }

const cleaners: Record<ImageType, (bytes: Uint8Array) => StrippedImage> = {
  'image/jpeg': stripJpeg,
  'image/png': stripPng,
  'image/webp': stripWebp,
}

export const isImageType = (type: string): type is ImageType => (imageTypes as readonly string[]).includes(type)

/**
 * The picture of an upload, without metadata: place, time, names, comments, previews, and anything after its end. Nothing is decoded, so
 * that a decompression bomb has no effect. Throws 413 and 415 of `imageFailures` (docs/design/files.md).
 */
export async function checkPicture(bytes: Uint8Array, declared: string, pixels: number = limits.image.pixels): Promise<Picture> {
  if (bytes.length > limits.image.bytes) throw imageFailures.tooLarge()
  // Loaded with the first picture, to save memory.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined)
  // An animated PNG counts as a PNG.
  const mime = found?.mime === 'image/apng' ? 'image/png' : found?.mime
  if (!isImageType(declared) || mime !== declared) throw imageFailures.wrongType()
  const { bytes: clean, sides } = cleaned(bytes, declared)
  for (const { width, height } of sides) {
    if (width < 1 || height < 1) throw damaged()
    if (Math.max(width, height) > limits.image.sidePixels || width * height > pixels) throw imageFailures.tooManyPixels()
  }
  if (sides.length === 0) throw damaged()
  return { bytes: clean, type: declared }
}

function cleaned(bytes: Uint8Array, type: ImageType): StrippedImage {
  try {
    return cleaners[type](bytes)
  } catch (error) {
    // A length beyond the end: the file was truncated.
    if (error instanceof RangeError) throw damaged()
    throw error
  }
}
