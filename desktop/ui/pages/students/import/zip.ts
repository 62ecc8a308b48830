/** One file inside a zip, as it lies there. */
export type Entry = { name: string; method: number; crc: number; size: number; packed: Uint8Array<ArrayBuffer> }

const END = 0x06054b50
const LISTED = 0x02014b50
const LOCAL = 0x04034b50
const END_BYTES = 22
const LONGEST_COMMENT = 65_535
const [STORED, DEFLATED] = [0, 8]
const ENCRYPTED = 1
/** Names are in UTF-8. */
const UTF8 = 0x0800

/** The entries of a zip, or null for what is none, is locked, or is of a kind that no spreadsheet program writes. */
export function readZip(bytes: Uint8Array<ArrayBuffer>): Entry[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const end = endOf(view)
    const entries: Entry[] = []
    let at = view.getUint32(end + 16, true)
    for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
      if (view.getUint32(at, true) !== LISTED || view.getUint16(at + 8, true) & ENCRYPTED) return null
      const method = view.getUint16(at + 10, true)
      if (method !== STORED && method !== DEFLATED) return null
      const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [
        number,
        number,
        number,
      ]
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameBytes))
      const local = view.getUint32(at + 42, true)
      if (view.getUint32(local, true) !== LOCAL) return null
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
      const packed = bytes.subarray(start, start + view.getUint32(at + 20, true))
      entries.push({ name, method, crc: view.getUint32(at + 16, true), size: view.getUint32(at + 24, true), packed })
      at += 46 + nameBytes + extraBytes + commentBytes
    }
    return entries
  } catch (error) {
    // An offset that leads out of the file.
    if (error instanceof RangeError) return null
    throw error
  }
}

function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - LONGEST_COMMENT)
  for (let at = view.byteLength - END_BYTES; at >= first; at -= 1) if (view.getUint32(at, true) === END) return at
  throw new RangeError('no end of a zip')
}

/** What an entry holds. Rejects where it is damaged. */
export async function unpack({ method, packed }: Entry): Promise<Uint8Array<ArrayBuffer>> {
  if (method === STORED) return packed
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** An entry that is not compressed: for a file that goes no further than the school's own server. */
export const stored = (name: string, bytes: Uint8Array<ArrayBuffer>): Entry => ({
  name,
  method: STORED,
  crc: crc32(bytes),
  size: bytes.length,
  packed: bytes,
})

export function writeZip(entries: readonly Entry[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const list: Uint8Array<ArrayBuffer>[] = []
  let at = 0
  const put = (to: Uint8Array<ArrayBuffer>[], ...bytes: Uint8Array<ArrayBuffer>[]) => {
    to.push(...bytes)
    return bytes.reduce((sum, { length }) => sum + length, 0)
  }
  for (const entry of entries) {
    const name = new TextEncoder().encode(entry.name)
    const common = [20, UTF8, entry.method, 0, 33].map((value) => [2, value] as const)
    const sizes = [entry.crc, entry.packed.length, entry.size].map((value) => [4, value] as const)
    const start = at
    at += put(parts, record([4, LOCAL], ...common, ...sizes, [2, name.length], [2, 0]), name, entry.packed)
    const attributes = [0, 0, 0, 0].map((value) => [2, value] as const)
    put(list, record([4, LISTED], [2, 20], ...common, ...sizes, [2, name.length], ...attributes, [4, 0], [4, start]), name)
  }
  const listBytes = list.reduce((sum, { length }) => sum + length, 0)
  const count = [2, entries.length] as const
  return new Blob([...parts, ...list, record([4, END], [2, 0], [2, 0], count, count, [4, listBytes], [4, at], [2, 0])])
}

/** Numbers of 2 or 4 bytes, one after the other, the lowest byte first. */
function record(...fields: (readonly [bytes: number, value: number])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [bytes]) => sum + bytes, 0)))
  let at = 0
  for (const [bytes, value] of fields) {
    if (bytes === 4) view.setUint32(at, value, true)
    else view.setUint16(at, value, true)
    at += bytes
  }
  return new Uint8Array(view.buffer)
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] as number)
  return (crc ^ 0xffffffff) >>> 0
}
