import { limits } from '@markbook/shared/limits'
import { Unzlib } from 'fflate'
import { type Downscaler, downscaler, type Pixels } from './downscale.ts'

type Header = { width: number; height: number; depth: number; colour: number; interlaced: boolean }
type Chunks = { header: Header; palette: Uint8Array; transparency: Uint8Array; packed: Buffer }

/** The most pixels that are decompressed: the limit of a crest (limits.image.printedPixels). */
const PIXELS_MAX = limits.image.printedPixels
/** Compressed bytes that are decompressed at once; the output is at most a thousand times as large. */
const SLICE = 1_024
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

function readChunks(file: Buffer): Chunks | null {
  let header: Header | null = null
  const found = { palette: new Uint8Array(), transparency: new Uint8Array() }
  const data: Buffer[] = []
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const body = file.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') {
      const [depth = 0, colour = 0, , , interlace = 0] = body.subarray(8)
      header = { width: body.readUInt32BE(0), height: body.readUInt32BE(4), depth, colour, interlaced: interlace === 1 }
    } else if (type === 'PLTE') found.palette = new Uint8Array(body)
    else if (type === 'tRNS') found.transparency = new Uint8Array(body)
    else if (type === 'IDAT') data.push(body)
    at += 12 + length
  }
  return header ? { header, ...found, packed: Buffer.concat(data) } : null
}

const paeth = (left: number, up: number, corner: number): number => {
  const guess = left + up - corner
  const a = Math.abs(guess - left)
  const b = Math.abs(guess - up)
  const c = Math.abs(guess - corner)
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

/** Reverses the filter of a line in place. A line is a filter byte and the line's bytes; the line above the first is all zeros. */
function unfilter(line: Buffer, above: Buffer, pixel: number): void {
  const filter = line[0] as number
  for (let at = 1; at < line.length; at += 1) {
    const left = at > pixel ? (line[at - pixel] as number) : 0
    const up = above[at] as number
    let guess = 0
    if (filter === 1) guess = left
    else if (filter === 2) guess = up
    else if (filter === 3) guess = (left + up) >> 1
    else if (filter === 4) guess = paeth(left, up, at > pixel ? (above[at - pixel] as number) : 0)
    line[at] = ((line[at] as number) + guess) & 0xff
  }
}

/** One of the seven passes of an interlaced picture, or all of another: its start and steps. */
type Pass = { x: number; y: number; dx: number; dy: number }
const WHOLE: Pass[] = [{ x: 0, y: 0, dx: 1, dy: 1 }]
const ADAM7: Pass[] = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
]

/** Returns the samples of the pixel at `index` of a line, in 8 bits; palette indices unchanged. */
function sampler({ depth, colour }: Header): (line: Buffer, index: number, channel: number) => number {
  const channels = CHANNELS[colour] as number
  if (depth === 16) return (line, index, channel) => line[(index * channels + channel) * 2] as number
  if (depth === 8) return (line, index, channel) => line[index * channels + channel] as number
  const most = (1 << depth) - 1
  const scale = colour === 3 ? 1 : 255 / most
  return (line, index) => (((line[(index * depth) >> 3] as number) >> (8 - depth - ((index * depth) & 7))) & most) * scale
}

type Paint = (line: Buffer, index: number, into: Uint8Array) => void

/** Writes one pixel as red, green, blue and opacity. */
function painter({ header, palette, transparency }: Chunks): Paint {
  const sample = sampler(header)
  const [grey, hasAlpha] = [header.colour === 0 || header.colour === 4, header.colour === 4 || header.colour === 6]
  if (header.colour === 3) {
    return (line, index, into) => {
      const entry = sample(line, index, 0)
      for (let channel = 0; channel < 3; channel += 1) into[channel] = palette[entry * 3 + channel] ?? 0
      into[3] = transparency[entry] ?? 255
    }
  }
  const clear = transparency.length > 0 && header.depth === 8 ? [1, 3, 5].map((at) => transparency[at]) : null
  return (line, index, into) => {
    for (let channel = 0; channel < 3; channel += 1) into[channel] = sample(line, index, grey ? 0 : channel)
    const isClear = clear !== null && [0, 1, 2].every((channel) => into[channel] === (clear[channel] ?? clear[0]))
    into[3] = hasAlpha ? sample(line, index, grey ? 1 : 3) : isClear ? 0 : 255
  }
}

type Run = Pass & { across: number; down: number; bytes: number }

/** The non-empty passes of a picture, with the number of lines and the bytes of each. */
const runsOf = ({ width, height, interlaced }: Header, bits: number): Run[] =>
  (interlaced ? ADAM7 : WHOLE)
    .map((pass) => ({ ...pass, across: Math.ceil((width - pass.x) / pass.dx), down: Math.ceil((height - pass.y) / pass.dy) }))
    .filter(({ across, down }) => across > 0 && down > 0)
    .map((pass) => ({ ...pass, bytes: 1 + Math.ceil((pass.across * bits) / 8) }))

/** Receives the decompressed bytes and paints every complete line; it stores two lines only. */
function lineTaker(chunks: Chunks, into: Downscaler): { isWhole(): boolean; take(bytes: Uint8Array): void } {
  const bits = chunks.header.depth * (CHANNELS[chunks.header.colour] as number)
  const runs = runsOf(chunks.header, bits)
  const pixel = Math.max(1, bits >> 3)
  const paint = painter(chunks)
  const dot = new Uint8Array(4)
  let [row, filled] = [0, 0]
  let line = Buffer.alloc(runs[0]?.bytes ?? 0)
  let above = Buffer.alloc(line.length)
  const endLine = () => {
    const { x, y, dx, dy, across, down } = runs[0] as Run
    unfilter(line, above, pixel)
    const samples = line.subarray(1)
    for (let column = 0; column < across; column += 1) {
      paint(samples, column, dot)
      into.add(x + column * dx, y + row * dy, dot)
    }
    ;[line, above] = [above, line]
    filled = 0
    row += 1
    if (row < down) return
    runs.shift()
    line = Buffer.alloc(runs[0]?.bytes ?? 0)
    above = Buffer.alloc(line.length)
    row = 0
  }
  return {
    isWhole: () => runs.length === 0,
    take: (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        if (runs.length === 0) throw new RangeError('the picture goes on behind its end')
        const some = bytes.subarray(at, at + line.length - filled)
        line.set(some, filled)
        filled += some.length
        at += some.length
        if (filled === line.length) endLine()
      }
    },
  }
}

function unpack(chunks: Chunks, into: Downscaler): void {
  const lines = lineTaker(chunks, into)
  const unzip = new Unzlib((bytes) => lines.take(bytes))
  for (let at = 0; at < chunks.packed.length; at += SLICE)
    unzip.push(chunks.packed.subarray(at, at + SLICE), at + SLICE >= chunks.packed.length)
  if (!lines.isWhole()) throw new RangeError('the picture is cut off')
}

/** Reads a PNG of any kind, downscaled until neither side has more than `most` pixels; null for a damaged or too large one. */
export function readPng(bytes: Uint8Array, most: number): Pixels | null {
  try {
    const chunks = readChunks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    if (!chunks || CHANNELS[chunks.header.colour] === undefined || ![1, 2, 4, 8, 16].includes(chunks.header.depth)) return null
    const { width, height } = chunks.header
    if (width === 0 || height === 0 || width * height > PIXELS_MAX) return null
    const shrunk = downscaler({ width, height }, most)
    unpack(chunks, shrunk)
    return shrunk.pixels()
  } catch {
    return null
  }
}
