import { crc32, deflateSync } from 'node:zlib'

export type PngOptions = {
  width?: number
  height?: number
  extra?: readonly (readonly [type: string, content: Uint8Array])[]
  padding?: number
}

export function pngChunk(type: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  crc.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, crc])
}

/** A black PNG in greyscale. `padding`: additional bytes of picture data, which compress to nothing. */
export function png({ width = 2, height = 2, extra = [], padding = 0 }: PngOptions = {}): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc(Math.min((width + 1) * height, 1_000_000)), { level: padding > 0 ? 0 : 9 })
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    ...extra.map(([type, content]) => pngChunk(type, content)),
    pngChunk('IDAT', rows),
    ...(padding > 0 ? [pngChunk('IDAT', Buffer.alloc(padding - 12))] : []),
    pngChunk('IEND', new Uint8Array()),
  ])
}

/** A PNG of exactly this many bytes. */
export const pngOf = (bytes: number): Buffer<ArrayBuffer> => png({ padding: bytes - png({ padding: 12 }).length + 12 })

const fromBase64 = (text: string): Buffer<ArrayBuffer> => Buffer.from(text, 'base64')

/** Three by two red pixels. */
export const jpeg = fromBase64(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABgj/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCdABykX//Z',
)
export const webp = fromBase64('UklGRjwAAABXRUJQVlA4IDAAAADQAQCdASoDAAIAAgA0JaACdLoB+AADsAD+8MQL/yC5YXXI1/8gP+QH/ID/+PIAAAA=')

/** EXIF of a telephone: rotated by a quarter, with the place. */
export function exif(orientation: number, place = '53.3498N 6.2603W'): Buffer<ArrayBuffer> {
  const tiff = Buffer.alloc(50 + place.length)
  tiff.write('II*\0', 0, 'latin1')
  tiff.writeUInt32LE(8, 4)
  tiff.writeUInt16LE(2, 8)
  for (const [at, tag, type, count, value] of [
    [10, 0x0112, 3, 1, orientation],
    [22, 0x8825, 2, place.length, 50],
  ] as const) {
    tiff.writeUInt16LE(tag, at)
    tiff.writeUInt16LE(type, at + 2)
    tiff.writeUInt32LE(count, at + 4)
    tiff.writeUInt32LE(value, at + 8)
  }
  tiff.write(place, 50, 'latin1')
  return tiff
}

export function jpegSegment(marker: number, content: Uint8Array): Buffer {
  const length = content.length + 2
  return Buffer.concat([Uint8Array.of(0xff, marker, length >> 8, length & 0xff), content])
}

/** The JPEG with additional segments after its first marker. */
export const jpegWith = (...segments: Uint8Array[]): Buffer<ArrayBuffer> =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])

export function webpChunk(type: string, content: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(content.length)
  return Buffer.concat([Buffer.from(type, 'latin1'), length, content, Buffer.alloc(content.length % 2)])
}

/** The WebP in its extended form, `flags` as in VP8X, with additional chunks at its end. */
export function webpWith(flags: number, ...chunks: Uint8Array[]): Buffer<ArrayBuffer> {
  const header = Buffer.from([flags, 0, 0, 0, 2, 0, 0, 1, 0, 0])
  const body = Buffer.concat([Buffer.from('WEBP'), webpChunk('VP8X', header), webp.subarray(12), ...chunks])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([Buffer.from('RIFF'), length, body])
}
