import { createInflateRaw } from 'node:zlib'
import { importFailures } from '@markbook/shared/contract/imports'
import { limits } from '@markbook/shared/limits'

/** An ordinary workbook has a dozen parts; one with many pictures a few hundred. */
const ENTRIES_MAX = 1_000

type Entry = { name: string; method: number; crc: number; packed: number; unpacked: number; offset: number; at: number }

/** The entries of a zip by name, read one at a time. `read` answers null for a name that is not there. */
export type Zip = { names: readonly string[]; read(name: string): Promise<Buffer | null> }

const tooMuch = () =>
  importFailures.tooLarge({ message: 'This workbook is too large once it is unpacked. Keep only the sheet that is to be imported.' })
const damaged = () => importFailures.unreadable({ message: 'This workbook is damaged or incomplete. Save it again and send the new file.' })

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** CRC-32 as zip has it; zlib's own came after the oldest Node that we run on. */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] as number)
  return (crc ^ 0xffffffff) >>> 0
}

function findEnd(file: Buffer): number {
  const earliest = Math.max(0, file.length - 22 - 0xffff)
  for (let at = file.length - 22; at >= earliest; at -= 1) if (file.readUInt32LE(at) === 0x06054b50) return at
  throw damaged()
}

function readEntry(file: Buffer, at: number): { entry: Entry; next: number } {
  if (file.readUInt32LE(at) !== 0x02014b50) throw damaged()
  if (file.readUInt16LE(at + 8) & 1)
    throw importFailures.unreadable({ message: 'This workbook is protected by a password. Remove it and send the file again.' })
  const nameEnd = at + 46 + file.readUInt16LE(at + 28)
  const entry = {
    name: file
      .toString('utf8', at + 46, nameEnd)
      .replaceAll('\\', '/')
      .replace(/^\//, ''),
    method: file.readUInt16LE(at + 10),
    crc: file.readUInt32LE(at + 16),
    packed: file.readUInt32LE(at + 20),
    unpacked: file.readUInt32LE(at + 24),
    offset: file.readUInt32LE(at + 42),
    at,
  }
  return { entry, next: nameEnd + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32) }
}

/** Reads the directory at the end of a zip. Throws imports.unreadable when it is not whole. */
export function readDirectory(file: Buffer): Entry[] {
  try {
    const end = findEnd(file)
    const count = file.readUInt16LE(end + 10)
    if (count > ENTRIES_MAX) throw tooMuch()
    const entries: Entry[] = []
    let at = file.readUInt32LE(end + 16)
    for (let index = 0; index < count; index += 1) {
      const { entry, next } = readEntry(file, at)
      entries.push(entry)
      at = next
    }
    return entries
  } catch (error) {
    throw error instanceof RangeError ? damaged() : error
  }
}

function packedBytes(file: Buffer, entry: Entry): Buffer {
  if (entry.offset + 30 > file.length || file.readUInt32LE(entry.offset) !== 0x04034b50) throw damaged()
  const start = entry.offset + 30 + file.readUInt16LE(entry.offset + 26) + file.readUInt16LE(entry.offset + 28)
  if (start + entry.packed > file.length) throw damaged()
  return file.subarray(start, start + entry.packed)
}

/** Never holds more than the entry declared: what is longer than it says was made to harm. */
async function inflate(packed: Buffer, declared: number): Promise<Buffer> {
  const inflater = createInflateRaw()
  inflater.end(packed)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of inflater as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > declared) break
      chunks.push(chunk)
    }
  } catch {
    throw damaged()
  }
  if (size > declared) throw tooMuch()
  return Buffer.concat(chunks)
}

/**
 * Opens a zip held in memory. Only the directory at its end counts, the declared sizes may not exceed limits.importUnpacked together,
 * and an entry is unpacked only when it is asked for, up to its declared size and no byte more.
 * Throws imports.unreadable (400) and imports.too_large (413).
 */
export function openZip(bytes: Uint8Array): Zip {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = new Map<string, Entry>()
  let total = 0
  for (const entry of readDirectory(file)) {
    total += entry.unpacked
    if (total > limits.importUnpacked) throw tooMuch()
    if (entries.has(entry.name)) throw damaged()
    entries.set(entry.name, entry)
  }
  const read = async (name: string) => {
    const entry = entries.get(name)
    if (!entry) return null
    const packed = packedBytes(file, entry)
    if (entry.method !== 0 && entry.method !== 8) throw damaged()
    const content = entry.method === 0 ? packed : await inflate(packed, entry.unpacked)
    if (content.length !== entry.unpacked || crcOf(content) !== entry.crc) throw damaged()
    return content
  }
  return { names: [...entries.keys()], read }
}

/** Sets the time of every entry to the first that zip knows (1 January 1980), in place, so that equal content gives equal bytes. */
export function withoutTimes(file: Buffer): Buffer {
  for (const { at, offset } of readDirectory(file)) {
    file.writeUInt32LE(0x00210000, at + 12)
    file.writeUInt32LE(0x00210000, offset + 10)
  }
  return file
}
