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

/** The entries of a zip by name. `read` unpacks one of them, and answers null for a name that is not there. */
export type Zip = { names: readonly string[]; read(name: string): Promise<Uint8Array | null> }

const tooMuch = () =>
  importFailures.tooLarge({ message: 'This workbook is too large once it is unpacked. Keep only the sheet that is to be imported.' })
const damaged = () => importFailures.unreadable({ message: 'This workbook is damaged or incomplete. Save it again and send the new file.' })
const isProtected = () =>
  importFailures.unreadable({ message: 'This workbook is protected by a password. Remove it and send the file again.' })

// The server reads in a worker thread of its own, and the app a file at a time.
configure({ useWebWorkers: false })

/**
 * Opens a zip held in memory. The directory at its end counts; the sizes that it declares may not exceed limits.importUnpacked together.
 * An entry is unpacked when it is read, up to its declared size, and its check sum is compared.
 * Throws imports.unreadable (400) and imports.too_large (413).
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
  // What local headers say does not count, and names are never written to a disk.
  const reader = new ZipReader(new Uint8ArrayReader(bytes), { strictness: 'tolerant', filenameValidation: 'tolerant' })
  for await (const entry of reader.getEntriesGenerator()) {
    total += entry.uncompressedSize
    if (entries.size >= ENTRIES_MAX || total > limits.importUnpacked) throw tooMuch()
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
    // It was stopped at its declared size.
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
