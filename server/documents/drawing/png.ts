import { inflateSync } from 'node:zlib'

/** Rows of 8-bit red, green, blue; `alpha` is null where everything is opaque. */
export type Pixels = { width: number; height: number; rgb: Uint8Array; alpha: Uint8Array | null }

type Header = { width: number; height: number; depth: number; colour: number; interlaced: boolean }
type Chunks = { header: Header; palette: Uint8Array; transparency: Uint8Array; packed: Buffer }

/** Pixels that are unpacked at most; a crest of this size weighs 64 MB while it is made smaller. */
const PIXELS_MAX = 16_000_000
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

/** Undoes the filter of each line in place; a line is a byte that names its filter and `stride` bytes. */
function unfilter(bytes: Buffer, from: number, stride: number, lines: number, pixel: number): void {
  for (let line = 0; line < lines; line += 1) {
    const filter = bytes[from + line * (stride + 1)] as number
    const start = from + line * (stride + 1) + 1
    for (let at = start; at < start + stride; at += 1) {
      const left = at - start >= pixel ? (bytes[at - pixel] as number) : 0
      const up = line === 0 ? 0 : (bytes[at - stride - 1] as number)
      const corner = line === 0 || at - start < pixel ? 0 : (bytes[at - stride - 1 - pixel] as number)
      let guess = 0
      if (filter === 1) guess = left
      else if (filter === 2) guess = up
      else if (filter === 3) guess = (left + up) >> 1
      else if (filter === 4) guess = paeth(left, up, corner)
      bytes[at] = ((bytes[at] as number) + guess) & 0xff
    }
  }
}

/** One of the seven passes of an interlaced picture, or the whole of another: where it begins and in what steps. */
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

/** The samples of a pixel at `index` of a line, in 8 bits, or as they are for a palette. */
function sampler({ depth, colour }: Header): (line: Buffer, index: number, channel: number) => number {
  const channels = CHANNELS[colour] as number
  if (depth === 16) return (line, index, channel) => line[(index * channels + channel) * 2] as number
  if (depth === 8) return (line, index, channel) => line[index * channels + channel] as number
  const most = (1 << depth) - 1
  const scale = colour === 3 ? 1 : 255 / most
  return (line, index) => (((line[(index * depth) >> 3] as number) >> (8 - depth - ((index * depth) & 7))) & most) * scale
}

type Paint = (line: Buffer, index: number, into: Uint8Array, at: number) => void

/** Writes one pixel as red, green, blue and how opaque it is. */
function painter({ header, palette, transparency }: Chunks): Paint {
  const sample = sampler(header)
  const [grey, hasAlpha] = [header.colour === 0 || header.colour === 4, header.colour === 4 || header.colour === 6]
  if (header.colour === 3) {
    return (line, index, into, at) => {
      const entry = sample(line, index, 0)
      for (let channel = 0; channel < 3; channel += 1) into[at + channel] = palette[entry * 3 + channel] ?? 0
      into[at + 3] = transparency[entry] ?? 255
    }
  }
  const clear = transparency.length > 0 && header.depth === 8 ? [1, 3, 5].map((at) => transparency[at]) : null
  return (line, index, into, at) => {
    for (let channel = 0; channel < 3; channel += 1) into[at + channel] = sample(line, index, grey ? 0 : channel)
    const isClear = clear !== null && [0, 1, 2].every((channel) => into[at + channel] === (clear[channel] ?? clear[0]))
    into[at + 3] = hasAlpha ? sample(line, index, grey ? 1 : 3) : isClear ? 0 : 255
  }
}

function unpack(chunks: Chunks): Uint8Array {
  const { width, height, depth, colour, interlaced } = chunks.header
  const bits = depth * (CHANNELS[colour] as number)
  const passes = (interlaced ? ADAM7 : WHOLE)
    .map((pass) => ({ ...pass, across: Math.ceil((width - pass.x) / pass.dx), down: Math.ceil((height - pass.y) / pass.dy) }))
    .filter(({ across, down }) => across > 0 && down > 0)
    .map((pass) => ({ ...pass, stride: Math.ceil((pass.across * bits) / 8) }))
  const size = passes.reduce((sum, { stride, down }) => sum + (stride + 1) * down, 0)
  const bytes = inflateSync(chunks.packed, { maxOutputLength: size })
  if (bytes.length < size) throw new RangeError('the picture is cut off')
  const pixels = new Uint8Array(width * height * 4)
  const paint = painter(chunks)
  let from = 0
  for (const { x, y, dx, dy, across, down, stride } of passes) {
    unfilter(bytes, from, stride, down, Math.max(1, bits >> 3))
    for (let row = 0; row < down; row += 1) {
      const line = bytes.subarray(from + row * (stride + 1) + 1, from + (row + 1) * (stride + 1))
      for (let column = 0; column < across; column += 1) paint(line, column, pixels, ((y + row * dy) * width + x + column * dx) * 4)
    }
    from += (stride + 1) * down
  }
  return pixels
}

/** Each new pixel is the mean of those that it stands for, weighed by how opaque they are. */
function shrink(pixels: Uint8Array, width: number, height: number, most: number): Pixels {
  const factor = Math.max(1, width / most, height / most)
  const [across, down] = [Math.max(1, Math.round(width / factor)), Math.max(1, Math.round(height / factor))]
  const [rgb, alpha] = [new Uint8Array(across * down * 3), new Uint8Array(across * down)]
  const edge = (index: number, count: number, whole: number) => Math.floor((index * whole) / count)
  for (let row = 0; row < down; row += 1) {
    for (let column = 0; column < across; column += 1) {
      const sums = [0, 0, 0, 0]
      const [top, left] = [edge(row, down, height), edge(column, across, width)]
      const [bottom, right] = [Math.max(top + 1, edge(row + 1, down, height)), Math.max(left + 1, edge(column + 1, across, width))]
      for (let y = top; y < bottom; y += 1)
        for (let x = left; x < right; x += 1) {
          const at = (y * width + x) * 4
          const opaque = pixels[at + 3] as number
          for (let channel = 0; channel < 3; channel += 1)
            sums[channel] = (sums[channel] as number) + (pixels[at + channel] as number) * opaque
          sums[3] = (sums[3] as number) + opaque
        }
      const at = row * across + column
      const weight = sums[3] as number
      for (let channel = 0; channel < 3; channel += 1)
        rgb[at * 3 + channel] = weight === 0 ? 255 : Math.round((sums[channel] as number) / weight)
      alpha[at] = Math.round(weight / ((bottom - top) * (right - left)))
    }
  }
  return { width: across, height: down, rgb, alpha: alpha.every((opaque) => opaque === 255) ? null : alpha }
}

/** The pixels of a PNG of any kind, made smaller until neither side has more than `most`; null for one that is broken or too large. */
export function readPng(bytes: Uint8Array, most: number): Pixels | null {
  try {
    const chunks = readChunks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    if (!chunks || CHANNELS[chunks.header.colour] === undefined || ![1, 2, 4, 8, 16].includes(chunks.header.depth)) return null
    const { width, height } = chunks.header
    if (width === 0 || height === 0 || width * height > PIXELS_MAX) return null
    return shrink(unpack(chunks), width, height, most)
  } catch {
    return null
  }
}
