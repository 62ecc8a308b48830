import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { leastTime } from '../../testing/least-time.ts'
import { exif, jpeg, jpegSegment, jpegWith, png, pngChunk, pngOf, webp, webpChunk, webpWith } from '../../testing/pictures.ts'
import { orientationIn } from './orientation.ts'
import { checkPicture } from './picture.ts'

const text = (said: string) => Buffer.from(said, 'latin1')
const PLACE = '53.3498N 6.2603W'
const cleaned = async (bytes: Uint8Array, type: string) => Buffer.from((await checkPicture(bytes, type)).bytes)
const refusal = (bytes: Uint8Array, type = 'image/png') => checkPicture(bytes, type).catch((error: unknown) => error)
const tooMany = { status: 413, code: 'images.too_many_pixels' }
const wrongType = { status: 415, code: 'images.wrong_type' }

describe('what is a picture', () => {
  test.each([
    ['image/png', png()],
    ['image/jpeg', jpeg],
    ['image/webp', webp],
    ['image/webp', webpWith(0)],
  ])('%s stays byte for byte where there is nothing to take out', async (type, bytes) => {
    expect((await cleaned(bytes, type)).equals(bytes)).toBe(true)
  })

  test.each([
    ['an SVG', text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['a page', text('<!doctype html><script>alert(1)</script>')],
    ['a GIF', text('GIF89a\x01\0\x01\0\0\0\0;')],
    ['a PDF', text('%PDF-1.7\n%%EOF')],
    ['a JPEG', jpeg],
    ['nothing', Buffer.alloc(0)],
    ['a mark and no more', png().subarray(0, 8)],
    ['noise', Buffer.alloc(5_000, 7)],
  ])('%s called .png is 415', async (_what, bytes) => {
    expect(await refusal(bytes)).toMatchObject(wrongType)
  })

  test.each(['image/svg+xml', 'image/gif', 'text/html', 'application/octet-stream', '', 'image/PNG'])('%s is refused', async (type) => {
    expect(await refusal(png(), type)).toMatchObject(wrongType)
  })

  test.each([
    ['image/png', png()],
    ['image/jpeg', jpeg],
    ['image/webp', webp],
    ['image/webp', webpWith(0)],
  ])('a %s that was cut off anywhere is 415, and nothing else happens', async (type, bytes) => {
    for (let length = 0; length < bytes.length; length += 1) expect(await refusal(bytes.subarray(0, length), type)).toMatchObject(wrongType)
  })

  test('inner lengths that are invalid or beyond the end are 415', async () => {
    for (const [bytes, type, at] of [
      [png(), 'image/png', 33],
      [jpeg, 'image/jpeg', 4],
      [webp, 'image/webp', 16],
    ] as const) {
      for (const value of [0x00, 0x7f, 0xff]) {
        const broken = Buffer.from(bytes)
        broken.fill(value, at, at + (type === 'image/jpeg' ? 2 : 4))
        expect(await refusal(broken, type)).toMatchObject({ status: 415 })
      }
    }
  })

  test('5 MB is accepted, one byte more is 413', async () => {
    expect((await checkPicture(pngOf(5_242_880), 'image/png')).type).toBe('image/png')
    expect(await refusal(pngOf(5_242_881))).toMatchObject({ status: 413, code: 'images.too_large' })
  })
})

describe('too many pixels', () => {
  test('a PNG of 30,000 × 30,000 in 600 KB is refused by its header, without time and memory', async () => {
    const bomb = png({ width: 30_000, height: 30_000, padding: 600_000 })
    const before = process.memoryUsage().rss
    expect(await leastTime(500, async () => expect(await refusal(bomb)).toMatchObject(tooMany))).toBeLessThanOrEqual(500)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576)
  })

  test('a JPEG or WebP is refused alike, and one with a second, larger frame', async () => {
    const wide = Buffer.from(jpeg)
    wide.writeUInt16BE(65_500, wide.indexOf(Buffer.from([0xff, 0xc0])) + 7)
    expect(await refusal(wide, 'image/jpeg')).toMatchObject(tooMany)
    const frame = Buffer.from([8, 0xff, 0xdc, 0xff, 0xdc, 1, 1, 0x11, 0])
    expect(await refusal(jpegWith(jpegSegment(0xc1, frame)), 'image/jpeg')).toMatchObject(tooMany)
    const large = webpWith(0)
    large.writeUIntLE(13_000, 24, 3)
    expect(await refusal(large, 'image/webp')).toMatchObject(tooMany)
  })

  test('sides within their limit may have a product above it', async () => {
    expect(await refusal(png({ width: 12_000, height: 5_000, padding: 20 }))).toMatchObject(tooMany)
    expect((await checkPicture(png({ width: 10_000, height: 5_000, padding: 20 }), 'image/png')).type).toBe('image/png')
  })
})

describe('pictures built to keep the server busy', () => {
  const quickly = async (bytes: Uint8Array, type: string) => {
    let answer: unknown
    const checking = async () => {
      answer = await refusal(bytes, type)
    }
    expect(await leastTime(1_000, checking)).toBeLessThanOrEqual(1_000)
    return answer
  }
  const million = (piece: Uint8Array) => Buffer.alloc(Math.floor(5_000_000 / piece.length) * piece.length, piece)

  test('more segments than allowed are 415', async () => {
    const empty = pngChunk('IDAT', new Uint8Array())
    expect(await quickly(Buffer.concat([png().subarray(0, 33), million(empty), png().subarray(33)]), 'image/png')).toMatchObject(wrongType)
    expect(await quickly(jpegWith(million(jpegSegment(0xfe, new Uint8Array()))), 'image/jpeg')).toMatchObject(wrongType)
    expect(await quickly(webpWith(0, million(webpChunk('JUNK', new Uint8Array()))), 'image/webp')).toMatchObject(wrongType)
  })

  test('picture data of stuffed markers only are read once', async () => {
    const stuffed = Buffer.concat([jpeg.subarray(0, -2), million(Buffer.from([0xff, 0])), jpeg.subarray(-2)])
    expect(await quickly(stuffed, 'image/jpeg')).toMatchObject({ type: 'image/jpeg' })
  })
})

describe('what is removed', () => {
  const secret = text('secret place')

  test('JPEG: location, previews, comments and data after the end are removed; colours and orientation stay', async () => {
    const colours = jpegSegment(0xe2, text('ICC_PROFILE\0\x01\x01colours'))
    const bytes = Buffer.concat([
      jpegWith(
        jpegSegment(0xe1, Buffer.concat([text('Exif\0\0'), exif(6)])),
        jpegSegment(0xe1, text('http://ns.adobe.com/xap/1.0/\0secret place')),
        jpegSegment(0xed, secret),
        jpegSegment(0xe2, text('MPF\0secret place')),
        jpegSegment(0xfe, secret),
        colours,
      ),
      text('<script>secret place</script>'),
    ])
    const clean = await cleaned(bytes, 'image/jpeg')
    expect(clean.includes(PLACE)).toBe(false)
    expect(clean.includes(secret)).toBe(false)
    expect(clean.includes(colours)).toBe(true)
    expect(orientationIn(clean.subarray(clean.indexOf('Exif') + 6))).toBe(6)
    expect(clean.subarray(-2)).toEqual(Buffer.from([0xff, 0xd9]))
    expect((await cleaned(clean, 'image/jpeg')).equals(clean)).toBe(true)
  })

  test('a picture without rotation gets no orientation', async () => {
    const clean = await cleaned(jpegWith(jpegSegment(0xe1, Buffer.concat([text('Exif\0\0'), exif(1)]))), 'image/jpeg')
    expect(clean.equals(jpeg)).toBe(true)
  })

  test('PNG: location, text, times and animation are removed; colours and orientation stay', async () => {
    const hidden: [string, Uint8Array][] = [
      ['eXIf', exif(8)],
      ['tEXt', text('Comment\0secret place')],
      ['zTXt', Buffer.concat([text('Comment\0\0'), deflateSync(secret)])],
      ['iTXt', text('XML:com.adobe.xmp\0\0\0\0\0secret place')],
      ['tIME', Buffer.alloc(7)],
      ['acTL', Buffer.alloc(8)],
      ['prVt', secret],
    ]
    const gamma = pngChunk('gAMA', Buffer.from([0, 0, 0xb1, 0x8f]))
    const bytes = Buffer.concat([png({ extra: [...hidden, ['gAMA', gamma.subarray(8, 12)]] }), text('<html>secret place</html>')])
    const clean = await cleaned(bytes, 'image/png')
    expect(clean.includes(PLACE)).toBe(false)
    expect(clean.includes(secret)).toBe(false)
    for (const type of ['tEXt', 'zTXt', 'iTXt', 'tIME', 'acTL', 'prVt']) expect(clean.includes(type)).toBe(false)
    expect(clean.includes(gamma)).toBe(true)
    expect(orientationIn(clean.subarray(clean.indexOf('eXIf') + 4))).toBe(8)
    expect((await cleaned(clean, 'image/png')).equals(clean)).toBe(true)
  })

  test('WebP: location and comments are removed, with their flags; orientation stays', async () => {
    const bytes = Buffer.concat([
      webpWith(0x0c, webpChunk('EXIF', exif(3)), webpChunk('XMP ', secret), webpChunk('JUNK', secret)),
      text('secret place'),
    ])
    const clean = await cleaned(bytes, 'image/webp')
    expect(clean.includes(PLACE)).toBe(false)
    expect(clean.includes(secret)).toBe(false)
    expect(clean.readUInt32LE(4)).toBe(clean.length - 8)
    expect(clean[20]).toBe(0x08)
    expect(orientationIn(clean.subarray(clean.indexOf('EXIF') + 8))).toBe(3)
    const unturned = await cleaned(webpWith(0x0c, webpChunk('EXIF', exif(1)), webpChunk('XMP ', secret)), 'image/webp')
    expect(unturned.equals(webpWith(0))).toBe(true)
  })

  test('EXIF with cycles or invalid offsets has no orientation', () => {
    for (let length = 0; length < 50; length += 1) expect(orientationIn(exif(6).subarray(0, length))).toBeLessThanOrEqual(6)
    const nowhere = exif(6)
    nowhere.writeUInt32LE(0xffffffff, 4)
    expect(orientationIn(nowhere)).toBe(1)
    expect(orientationIn(exif(99))).toBe(1)
  })
})
