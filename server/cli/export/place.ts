import { createReadStream, createWriteStream, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { unzipSync, Zip, ZipDeflate } from 'fflate'
import { orNull } from '../../or-null.ts'

const isZip = (path: string) => path.toLowerCase().endsWith('.zip')
const unfinished = (path: string) => `${path}.unfinished`

/** Refuses before the work begins what would be refused after it. */
export function demandFree(to: string): void {
  const there = statSync(to, { throwIfNoEntry: false })
  if (there && (!there.isDirectory() || readdirSync(to).length > 0))
    throw new Error(`${to} is there already, and was not touched. Name a new folder or zip.`)
}

/** The same for one file: nothing is there, and the folder that it goes into is. */
export function demandFreeFile(to: string): void {
  if (statSync(to, { throwIfNoEntry: false })) throw new Error(`${to} is there already, and was not touched. Name a new file.`)
  const folder = dirname(to)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`There is no folder ${folder}. Is the path right, and the disk or stick there?`)
}

/** Has an export written, into a folder, or a zip where the name ends so; there whole or not at all. */
export async function writeExport<T>(to: string, write: (folder: string) => Promise<T>): Promise<T> {
  demandFree(to)
  const part = unfinished(to)
  const folder = isZip(to) ? `${part}.parts` : part
  const clear = () => {
    for (const path of [part, folder]) rmSync(path, { recursive: true, force: true })
  }
  clear()
  try {
    const result = await write(folder)
    if (isZip(to)) await pipeline(Readable.from(zipped(folder), { objectMode: false }), createWriteStream(part, { mode: 0o600 }))
    else if (existsSync(to)) rmSync(to, { recursive: true })
    renameSync(part, to)
    return result
  } finally {
    clear()
  }
}

/** A zip cannot say larger sizes. */
const ZIP_MOST = 4_000_000_000

/** The files of a folder as one zip, piece by piece. */
async function* zipped(folder: string): AsyncGenerator<Uint8Array> {
  const paths = filesBelow(folder).sort()
  const size = paths.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
  if (size > ZIP_MOST) throw new Error('This export is too large for a zip. Name a folder.')
  const ready: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error) throw error
    ready.push(piece)
  })
  for (const path of paths) {
    const added = new ZipDeflate(path, { level: 6 })
    zip.add(added)
    for await (const piece of createReadStream(join(folder, path))) {
      added.push(piece as Uint8Array)
      yield* ready.splice(0)
    }
    added.push(new Uint8Array(), true)
    yield* ready.splice(0)
  }
  zip.end()
  yield* ready.splice(0)
}

/** An export as it lies there: the paths of all files in it, with slashes, and each of them; null for one that is not there. */
export type OpenedParts = { paths: readonly string[]; read(path: string): Uint8Array | null }

export function openParts(from: string): OpenedParts {
  const there = statSync(from, { throwIfNoEntry: false })
  if (!there) throw new Error(`There is no export at ${from}.`)
  if (there.isDirectory()) {
    const read = (path: string) => (existsSync(join(from, path)) ? readFileSync(join(from, path)) : null)
    return { paths: filesBelow(from), read }
  }
  const entries = orNull(() => unzipSync(readFileSync(from)))
  if (!entries) throw new Error(`${from} is neither a folder nor a zip that can be read.`)
  return { paths: Object.keys(entries).filter((path) => !path.endsWith('/')), read: (path) => entries[path] ?? null }
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
