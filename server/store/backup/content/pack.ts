import { createHash } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { orNull } from '../../../or-null.ts'

/** By measurement (docs/decisions/0059-backups-by-content.md): smaller and quicker than deflate, and Node 20 has no zstd. */
const BROTLI = { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 }

/**
 * A pack is a file of chunks that never changes:
 *
 *     head     8 bytes, MAGIC
 *     blocks   each so many chunks one after the other, compressed by Brotli
 *     index    u32 blocks; of each block u32 stored bytes, u32 chunks; of each of those u32 bytes, 32 bytes SHA-256
 *     foot     u32 bytes of the index, 32 bytes SHA-256 of the index
 *
 * Numbers are little-endian. Its name is the digest of its index: who names a pack names the content of every chunk in it.
 */
const MAGIC = Buffer.from('MBPACK1\n')
const FOOT = 36
const DIGEST = 32
/** Bytes before compression. A page of SQLite is at most as large as a chunk; a block is written when it has so many, and ends with a chunk. */
const MAX_CHUNK = 65_536
const BLOCK = 262_144
const MAX_BLOCK = BLOCK + MAX_CHUNK
/** Bytes at which a block, before compression, and a pack are full. What is left of a pack is written anew when some of it is needed no more. */
export type Sizes = { blockBytes: number; packBytes: number }
export const usualSizes: Sizes = { blockBytes: BLOCK, packBytes: 67_108_864 }

export class DamagedPackError extends Error {}

/** Where the blocks and chunks of a pack are. `digests` holds 32 bytes for each chunk. */
export type PackIndex = {
  blocks: readonly { at: number; stored: number; first: number; count: number }[]
  digests: Buffer
  /** Bytes of each chunk. */
  lengths: Uint32Array
  /** Bytes of the whole pack. */
  size: number
}

export const digestOfChunk = (chunk: Uint8Array): Buffer => createHash('sha256').update(chunk).digest()
export const digestAt = ({ digests }: PackIndex, chunk: number): Buffer => digests.subarray(chunk * DIGEST, (chunk + 1) * DIGEST)

/** What is put into a pack: chunks gather to a block, blocks to a pack. Answers bytes for the disk. */
export function packBuilder({ blockBytes, packBytes }: Sizes) {
  const blocks: { stored: number; chunks: { length: number; digest: Buffer }[] }[] = []
  let open: { bytes: Buffer[]; size: number; chunks: { length: number; digest: Buffer }[] } = { bytes: [], size: 0, chunks: [] }
  let size = MAGIC.length
  let count = 0

  const endBlock = (): Buffer => {
    if (open.size === 0) return Buffer.alloc(0)
    const bytes = brotliCompressSync(Buffer.concat(open.bytes), { params: BROTLI })
    blocks.push({ stored: bytes.length, chunks: open.chunks })
    size += bytes.length
    open = { bytes: [], size: 0, chunks: [] }
    return bytes
  }
  return {
    head: MAGIC,
    get count() {
      return count
    },
    isFull: () => size >= packBytes,
    /** Answers the number of the chunk in this pack, and the bytes of a block where one is full. */
    add(chunk: Buffer, digest: Buffer): Buffer {
      if (chunk.length === 0 || chunk.length > MAX_CHUNK) throw new RangeError(`a chunk of ${chunk.length} bytes`)
      open.bytes.push(chunk)
      open.chunks.push({ length: chunk.length, digest })
      open.size += chunk.length
      count += 1
      return open.size >= blockBytes ? endBlock() : Buffer.alloc(0)
    },
    /** The rest of the pack, and its name. */
    end(): { bytes: Buffer; name: string } {
      const last = endBlock()
      const index = encodeIndex(blocks)
      const digest = digestOfChunk(index)
      return { bytes: Buffer.concat([last, index, u32(index.length), digest]), name: digest.toString('hex') }
    },
  }
}
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const encodeIndex = (blocks: readonly { stored: number; chunks: readonly { length: number; digest: Buffer }[] }[]) =>
  Buffer.concat([
    u32(blocks.length),
    ...blocks.flatMap(({ stored, chunks }) => [
      u32(stored),
      u32(chunks.length),
      ...chunks.flatMap(({ length, digest }) => [u32(length), digest]),
    ]),
  ])

/** Reads bytes of a pack: fewer where it ends. */
export type ReadAt = (at: number, length: number) => Promise<Buffer>

/** The index of a pack of that name and size. Throws `DamagedPackError` where it is not the one that was written. */
export async function readIndex(name: string, size: number, read: ReadAt): Promise<PackIndex> {
  const damaged = () => new DamagedPackError(`the pack ${name} is damaged`)
  if (size < MAGIC.length + FOOT) throw damaged()
  const [head, foot] = [await read(0, MAGIC.length), await read(size - FOOT, FOOT)]
  if (!head.equals(MAGIC) || foot.length < FOOT || foot.toString('hex', 4) !== name) throw damaged()
  const length = foot.readUInt32LE(0)
  const start = size - FOOT - length
  if (start < MAGIC.length) throw damaged()
  const bytes = await read(start, length)
  if (bytes.length < length || !digestOfChunk(bytes).equals(foot.subarray(4))) throw damaged()
  const index = decodeIndex(bytes, size)
  if (!index || index.end !== start) throw damaged()
  return index
}

/** Null for what no pack of ours says: a digest proves who wrote it last, not that it makes sense. */
function decodeIndex(bytes: Buffer, size: number): (PackIndex & { end: number }) | null {
  const blocks: PackIndex['blocks'][number][] = []
  const digests: Buffer[] = []
  const lengths: number[] = []
  let at = 4
  let place = MAGIC.length
  if (bytes.length < 4) return null
  for (let left = bytes.readUInt32LE(0); left > 0; left -= 1) {
    if (at + 8 > bytes.length) return null
    const [stored, count] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
    at += 8
    if (count === 0 || at + count * (DIGEST + 4) > bytes.length) return null
    blocks.push({ at: place, stored, first: lengths.length, count })
    let raw = 0
    for (let chunk = 0; chunk < count; chunk += 1, at += DIGEST + 4) {
      const length = bytes.readUInt32LE(at)
      raw += length
      if (length === 0 || length > MAX_CHUNK || raw > MAX_BLOCK) return null
      lengths.push(length)
      digests.push(bytes.subarray(at + 4, at + 4 + DIGEST))
    }
    place += stored
  }
  if (at !== bytes.length) return null
  return { blocks, digests: Buffer.concat(digests), lengths: Uint32Array.from(lengths), size, end: place }
}

/** The block in which a chunk is. */
export function blockOf({ blocks }: PackIndex, chunk: number): number {
  let [low, high] = [0, blocks.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((blocks[middle]?.first ?? 0) <= chunk) low = middle
    else high = middle - 1
  }
  return low
}

/** The bytes of a block before compression; none where it cannot be unpacked. They are proved chunk by chunk (`chunkIn`). */
export async function readBlock({ blocks }: PackIndex, block: number, read: ReadAt): Promise<Buffer> {
  const found = blocks[block]
  if (!found) return Buffer.alloc(0)
  const stored = await read(found.at, found.stored)
  return orNull(() => brotliDecompressSync(stored, { maxOutputLength: MAX_BLOCK })) ?? Buffer.alloc(0)
}

/** A chunk of a block that was read; null where it is not what was written. */
export function chunkIn(index: PackIndex, block: number, raw: Buffer, chunk: number): Buffer | null {
  const first = index.blocks[block]?.first ?? 0
  let at = 0
  for (let before = first; before < chunk; before += 1) at += index.lengths[before] ?? 0
  const length = index.lengths[chunk]
  const bytes = raw.subarray(at, at + (length ?? 0))
  return length !== undefined && bytes.length === length && digestOfChunk(bytes).equals(digestAt(index, chunk)) ? bytes : null
}
