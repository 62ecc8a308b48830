import { limits } from '@markbook/shared/limits'
import { asciiAt, beginsWith, viewOf } from './bytes.ts'
import { orientationIn, tiffOf } from './orientation.ts'
import { type Dimensions, damaged, type StrippedImage } from './stripped.ts'

const HEADER_BYTES = 12
const NEEDED = ['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ICCP', 'ANIM', 'ANMF']
const PICTURES = ['VP8 ', 'VP8L', 'ANMF']
/** Bits of VP8X that announce EXIF, and XMP. */
const [EXIF_BIT, XMP_BIT] = [0x08, 0x04]

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)

function sideOf(type: string, view: DataView, at: number): Dimensions | null {
  if (type === 'VP8X') return { width: uint24(view, at + 4) + 1, height: uint24(view, at + 7) + 1 }
  if (type === 'ANMF') return { width: uint24(view, at + 6) + 1, height: uint24(view, at + 9) + 1 }
  if (type === 'VP8 ') return { width: view.getUint16(at + 6, true) & 0x3fff, height: view.getUint16(at + 8, true) & 0x3fff }
  if (type !== 'VP8L') return null
  const bits = view.getUint32(at + 1, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

const chunk = (type: string, content: Uint8Array): Uint8Array => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(content.length)
  return Buffer.concat([Buffer.from(type, 'latin1'), length, content, Buffer.alloc(content.length % 2)])
}

/** Removes from a WebP everything that is not picture, losslessly, and what follows its end. Throws where it is truncated or no WebP. */
export function stripWebp(bytes: Uint8Array): StrippedImage {
  const view = viewOf(bytes)
  const end = 8 + view.getUint32(4, true)
  if (end > bytes.length) throw damaged()
  const kept: [type: string, content: Uint8Array][] = []
  const sides: Dimensions[] = []
  let orientation = 1
  for (let at = HEADER_BYTES, count = 0; at + 8 <= end; count += 1) {
    if (count > limits.image.segments) throw damaged()
    const type = asciiAt(bytes, at, 4)
    const length = view.getUint32(at + 4, true)
    if (at + 8 + length > end) throw damaged()
    const content = bytes.subarray(at + 8, at + 8 + length)
    const side = sideOf(type, view, at + 8)
    if (side) sides.push(side)
    if (type === 'EXIF') orientation = orientationIn(beginsWith(content, 'Exif\0\0') ? content.subarray(6) : content)
    if (NEEDED.includes(type)) kept.push([type, content])
    at += 8 + length + (length % 2)
  }
  if (!kept.some(([type]) => PICTURES.includes(type))) throw damaged()
  return { bytes: rebuilt(kept, orientation), sides }
}

function rebuilt(kept: readonly [type: string, content: Uint8Array][], orientation: number): Uint8Array {
  const isExtended = kept[0]?.[0] === 'VP8X'
  const says = isExtended && orientation !== 1
  const chunks = kept.map(([type, content]) => {
    if (type !== 'VP8X') return chunk(type, content)
    const header = Buffer.from(content)
    header[0] = ((header[0] ?? 0) & ~(EXIF_BIT | XMP_BIT)) | (says ? EXIF_BIT : 0)
    return chunk(type, header)
  })
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks, ...(says ? [chunk('EXIF', tiffOf(orientation))] : [])])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([Buffer.from('RIFF'), length, body])
}
