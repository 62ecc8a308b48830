// The icon file of Windows, with pictures in several sizes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../install.mjs'

export const sizes = [16, 24, 32, 48, 64, 128, 256]
export const pictureOf = (size) => join(root, 'desktop', 'shell', 'icon', `markbook-${size}.png`)

const HEAD = 6
const ENTRY = 16

/** The bytes of an .ico with these pictures, each `{size, png}`; `size` in pixels. */
export function iconOf(pictures) {
  const head = Buffer.alloc(HEAD + ENTRY * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let at = head.length
  for (const [place, { size, png }] of pictures.entries()) {
    const entry = HEAD + ENTRY * place
    // In this format 0 means 256.
    head.writeUInt8(size % 256, entry)
    head.writeUInt8(size % 256, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(png.length, entry + 8)
    head.writeUInt32LE(at, entry + 12)
    at += png.length
  }
  return Buffer.concat([head, ...pictures.map(({ png }) => png)])
}

export const ourIcon = () => iconOf(sizes.map((size) => ({ size, png: readFileSync(pictureOf(size)) })))
