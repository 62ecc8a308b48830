import {
  configure,
  type Entry,
  ERR_INVALID_UNCOMPRESSED_SIZE,
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core.js'
import { importFailures } from '../contract/imports.ts'
import { Failure } from '../failures.ts'
import { limits } from '../limits.ts'

/** An ordinary workbook has a dozen parts; one with many pictures a few hundred. */
const ENTRIES_MAX = 1_000

/** The entries of a zip by name. `read` unpacks one of them, or returns null for an unknown name. */
export type Zip = { names: readonly string[]; read(name: string): Promise<Uint8Array | null> }

const tooMuch = () =>
  importFailures.tooLarge({ message: 'This workbook is too large once it is unpacked. Keep only the sheet that is to be imported.' })
const damaged = () => importFailures.unreadable({ message: 'This workbook is damaged or incomplete. Save it again and send the new file.' })
const isProtected = () =>
  importFailures.unreadable({ message: 'This workbook is protected by a password. Remove it and send the file again.' })

// The server already reads in a worker thread, and the app reads one file at a time.
configure({ useWebWorkers: false })

/**
 * Opens a zip held in memory. Only its central directory is trusted; the declared sizes may not exceed limits.importUnpackedBytes in all.
 * An entry is unpacked when it is read, up to its declared size, and its checksum is verified. Throws imports.unreadable (400) and
 * imports.too_large (413).
 */
export async function openZip(bytes: Uint8Array): Promise<Zip> {
  const entries = await orDamaged(() => entriesOf(bytes))
  return {
    names: [...entries.keys()],
    read: async (name) => {
      const entry = entries.get(name)
      return entry ? orDamaged(() => contentOf(entry)) : null
    },
  }
}

async function entriesOf(bytes: Uint8Array): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  let total = 0
  // Local headers are ignored, and names are never used as paths on a disk.
  const reader = new ZipReader(new Uint8ArrayReader(bytes), { strictness: 'tolerant', filenameValidation: 'tolerant' })
  for await (const entry of reader.getEntriesGenerator()) {
    total += entry.uncompressedSize
    if (entries.size >= ENTRIES_MAX || total > limits.importUnpackedBytes) throw tooMuch()
    if (entry.encrypted) throw isProtected()
    const name = entry.filename.replaceAll('\\', '/').replace(/^\//, '')
    if (entries.has(name)) throw damaged()
    entries.set(name, entry)
  }
  return entries
}

async function contentOf(entry: Entry): Promise<Uint8Array> {
  if (entry.directory) return new Uint8Array()
  try {
    return await entry.getData(new Uint8ArrayWriter(), { checkSignature: true })
  } catch (error) {
    // The library stopped at the declared size.
    throw (error as Error).message === ERR_INVALID_UNCOMPRESSED_SIZE ? tooMuch() : error
  }
}

async function orDamaged<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof Failure ? error : damaged()
  }
}
