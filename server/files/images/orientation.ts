import { beginsWith, viewOf } from './bytes.ts'

const ORIENTATION = 0x0112
const SHORT = 3

/** The orientation, 1 to 8, in a TIFF block of EXIF; 1 where there is none or it is unreadable. */
export function orientationIn(tiff: Uint8Array): number {
  try {
    const little = beginsWith(tiff, 'II')
    if (!little && !beginsWith(tiff, 'MM')) return 1
    const view = viewOf(tiff)
    const first = view.getUint32(4, little)
    const entries = view.getUint16(first, little)
    for (let at = first + 2; at < first + 2 + entries * 12; at += 12) {
      if (view.getUint16(at, little) !== ORIENTATION) continue
      const value = view.getUint16(at + 8, little)
      return value >= 1 && value <= 8 ? value : 1
    }
  } catch {}
  return 1
}

/** EXIF with the orientation alone. */
export function tiffOf(orientation: number): Uint8Array {
  const tiff = new Uint8Array(26)
  const view = viewOf(tiff)
  tiff.set(Buffer.from('MM\0*'))
  view.setUint32(4, 8)
  view.setUint16(8, 1)
  view.setUint16(10, ORIENTATION)
  view.setUint16(12, SHORT)
  view.setUint32(14, 1)
  view.setUint16(18, orientation)
  return tiff
}
