import { crc32 } from 'node:zlib'
import { limits } from '@markbook/shared/limits'
import { asciiAt, viewOf } from './bytes.ts'
import { orientationIn, tiffOf } from './orientation.ts'
import { type Dimensions, damaged, type StrippedImage } from './stripped.ts'

const SIGNATURE_BYTES = 8
/** Picture and colours. Animation is removed, which leaves the still picture that every PNG has. */
const NEEDED = ['IHDR', 'PLTE', 'IDAT', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'sBIT', 'pHYs', 'bKGD']

const chunk = (type: string, content: Uint8Array): Uint8Array => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  crc.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, crc])
}

/** Removes from a PNG everything that is not picture, losslessly, and what follows its end. Throws where it is truncated or no PNG. */
export function stripPng(bytes: Uint8Array): StrippedImage {
  const view = viewOf(bytes)
  const kept: Uint8Array[] = []
  const sides: Dimensions[] = []
  let orientation = 1
  for (let at = SIGNATURE_BYTES, count = 0; ; count += 1) {
    if (count > limits.image.segments) throw damaged()
    const length = view.getUint32(at)
    const type = asciiAt(bytes, at + 4, 4)
    const end = at + 12 + length
    if (end > bytes.length || (at === SIGNATURE_BYTES) !== (type === 'IHDR')) throw damaged()
    if (type === 'IHDR') sides.push({ width: view.getUint32(at + 8), height: view.getUint32(at + 12) })
    if (type === 'eXIf') orientation = orientationIn(bytes.subarray(at + 8, at + 8 + length))
    if (type === 'IEND') break
    if (NEEDED.includes(type)) kept.push(bytes.subarray(at, end))
    at = end
  }
  if (!kept.some((part) => asciiAt(part, 4, 4) === 'IDAT')) throw damaged()
  const [header = new Uint8Array(), ...rest] = kept
  const turned = orientation === 1 ? [] : [chunk('eXIf', tiffOf(orientation))]
  return {
    bytes: Buffer.concat([bytes.subarray(0, SIGNATURE_BYTES), header, ...turned, ...rest, chunk('IEND', new Uint8Array())]),
    sides,
  }
}
