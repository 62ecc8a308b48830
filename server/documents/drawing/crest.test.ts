import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { crestPicture } from './crest.ts'
import { readPng } from './png.ts'

const chunk = (type: string, body: Uint8Array): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body, Buffer.alloc(4)])
}
type Kind = { width: number; height: number; depth?: number; colour: number; interlace?: number; more?: Buffer[] }
const png = ({ width, height, depth = 8, colour, interlace = 0, more = [] }: Kind, lines: readonly (readonly number[])[]): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, interlace], 8)
  const data = deflateSync(Buffer.from(lines.flat()))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
const pixels = (file: Buffer, most = 100) => {
  const { rgb, alpha, ...size } = readPng(file, most) ?? { rgb: null, alpha: null }
  return { ...size, rgb: rgb && [...rgb], alpha: alpha && [...alpha] }
}

describe('PNG', () => {
  test('RGB with every filter', () => {
    const lines = [
      [0, 10, 20, 30, 40, 50, 60],
      [1, 10, 20, 30, 30, 30, 30],
      [2, 1, 1, 1, 1, 1, 1],
      [3, 5, 5, 5, 5, 5, 5],
      [4, 1, 2, 3, 4, 5, 6],
    ]
    const found = pixels(png({ width: 2, height: 5, colour: 2 }, lines))
    expect(found.rgb?.slice(0, 18)).toEqual([10, 20, 30, 40, 50, 60, 10, 20, 30, 40, 50, 60, 11, 21, 31, 41, 51, 61])
    expect(found.rgb?.slice(18)).toEqual([10, 15, 20, 30, 38, 45, 11, 17, 23, 34, 43, 51])
    expect(found.alpha).toBeNull()
  })

  test('grey with opacity, in 16 bits', () => {
    expect(pixels(png({ width: 1, height: 1, depth: 16, colour: 4 }, [[0, 200, 1, 128, 9]]))).toMatchObject({
      rgb: [200, 200, 200],
      alpha: [128],
    })
  })

  test('a palette of two bits with a transparent colour', () => {
    const more = [chunk('PLTE', Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9])), chunk('tRNS', Buffer.from([255, 0]))]
    const found = pixels(png({ width: 3, height: 1, depth: 2, colour: 3, more }, [[0, 0b00011000]]))
    expect(found.alpha).toEqual([255, 0, 255])
    expect(found.rgb?.slice(6)).toEqual([7, 8, 9])
  })

  test('interlaced', () => {
    const passes = [
      [0, 1],
      [0, 2],
      [0, 3],
      [0, 4, 5],
    ]
    expect(
      pixels(
        png({ width: 3, height: 2, colour: 0, interlace: 1 }, [
          [0, 1],
          [0, 3],
          [0, 2],
          [0, 4, 5, 6],
        ]),
      ).rgb,
    ).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6])
    expect(readPng(png({ width: 3, height: 2, colour: 0, interlace: 1 }, passes), 9)).toBeNull()
  })

  test('large ones are downscaled in proportion', () => {
    const lines = Array.from({ length: 100 }, () => [0, ...Array.from({ length: 50 }, (_, at) => (at < 25 ? 0 : 200))])
    expect(pixels(png({ width: 50, height: 100, colour: 0 }, lines), 4)).toMatchObject({
      width: 2,
      height: 4,
      rgb: expect.arrayContaining([0, 200]),
    })
  })

  test('a damaged or truncated one, or one with too many pixels, is not printed', () => {
    const whole = png({ width: 2, height: 2, colour: 0 }, [
      [0, 1, 2],
      [0, 3, 4],
    ])
    expect(readPng(whole, 10)).not.toBeNull()
    for (const file of [
      whole.subarray(0, 20),
      png({ width: 2, height: 200, colour: 0 }, [[0, 1, 2]]),
      png({ width: 2, height: 2, colour: 7 }, [[0]]),
    ])
      expect(readPng(file, 10)).toBeNull()
    expect(readPng(png({ width: 30_000, height: 30_000, colour: 2 }, [[0]]), 10)).toBeNull()
    const bomb = png({ width: 2, height: 2, colour: 0 }, [[0, 1, 2], [0, 3, 4], Array.from({ length: 1_000_000 }, () => 0)])
    expect(readPng(bomb, 10)).toBeNull()
  })
})

describe('a crest', () => {
  const jpeg = (colours: number) => Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 30, 0, 40, colours, 0, 0, 0])

  test('a JPEG is embedded unchanged, with the size in its frame', () => {
    expect(crestPicture({ contentType: 'image/jpeg', bytes: jpeg(3) })).toMatchObject({ width: 40, height: 30 })
    expect(crestPicture({ contentType: 'image/jpeg', bytes: jpeg(2) })).toBeNull()
    expect(crestPicture({ contentType: 'image/jpeg', bytes: jpeg(3).subarray(0, 8) })).toBeNull()
  })

  test('no crest, a WebP, and a file that is no picture are not printed', () => {
    expect(crestPicture(null)).toBeNull()
    expect(crestPicture({ contentType: 'image/webp', bytes: Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1') })).toBeNull()
    expect(crestPicture({ contentType: 'image/png', bytes: Buffer.from('<svg/>') })).toBeNull()
  })
})
