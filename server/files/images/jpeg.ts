import { limits } from '@markbook/shared/limits'
import { beginsWith, viewOf } from './bytes.ts'
import { orientationIn, tiffOf } from './orientation.ts'
import { type Dimensions, damaged, type StrippedImage } from './stripped.ts'

const EXIF = 'Exif\0\0'
const END = 0xd9
const SCAN = 0xda

const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
/** Markers that stand alone, without a length. */
const isBare = (marker: number) => (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01

/**
 * Whether a segment is needed to draw the picture: its frame, tables and colours. Comments, previews, locations and all others are
 * removed.
 */
function isNeeded(marker: number, content: Uint8Array): boolean {
  if (marker === 0xe0) return beginsWith(content, 'JFIF\0')
  if (marker === 0xe2) return beginsWith(content, 'ICC_PROFILE\0')
  if (marker === 0xee) return beginsWith(content, 'Adobe')
  return (marker >= 0xc0 && marker <= 0xdf) || marker === 0x01
}

/** The end of the picture data that begin at `at`: the next marker that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Uint8Array, at: number): number {
  // A plain loop: searching for each marker would be slow where all data are markers.
  for (let next = at; next + 1 < bytes.length; next += 1) {
    if (bytes[next] !== 0xff) continue
    const marker = bytes[next + 1] as number
    if (marker !== 0 && marker !== 0xff && (marker < 0xd0 || marker > 0xd7)) return next
  }
  throw damaged()
}

const segment = (marker: number, content: Uint8Array): Uint8Array => {
  const length = content.length + 2
  return Buffer.concat([Uint8Array.of(0xff, marker, length >> 8, length & 0xff), content])
}

/** Removes from a JPEG everything that is not picture, losslessly, and what follows its end. Throws where it is truncated or no JPEG. */
export function stripJpeg(bytes: Uint8Array): StrippedImage {
  const view = viewOf(bytes)
  const kept: Uint8Array[] = []
  const sides: Dimensions[] = []
  let orientation = 1
  let at = 2
  for (let count = 0; ; count += 1) {
    if (count > limits.image.segments) throw damaged()
    if (view.getUint8(at) !== 0xff) throw damaged()
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === END) break
    const end = isBare(marker) ? at + 2 : at + 2 + view.getUint16(at + 2)
    if (end > bytes.length || (!isBare(marker) && end < at + 4)) throw damaged()
    const content = bytes.subarray(at + 4, end)
    if (marker === 0xe1 && beginsWith(content, EXIF)) orientation = orientationIn(content.subarray(EXIF.length))
    if (isFrame(marker)) sides.push({ height: view.getUint16(at + 5), width: view.getUint16(at + 7) })
    const next = marker === SCAN ? endOfScan(bytes, end) : end
    if (isNeeded(marker, content)) kept.push(bytes.subarray(at, next))
    at = next
  }
  const turned = orientation === 1 ? [] : [segment(0xe1, Buffer.concat([Buffer.from(EXIF, 'latin1'), tiffOf(orientation)]))]
  // JFIF requires its segment to be the first.
  const first = kept[0]?.[1] === 0xe0 ? 1 : 0
  const parts = [...kept.slice(0, first), ...turned, ...kept.slice(first)]
  return { bytes: Buffer.concat([bytes.subarray(0, 2), ...parts, Uint8Array.of(0xff, END)]), sides }
}
