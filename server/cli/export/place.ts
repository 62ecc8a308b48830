import { createReadStream, createWriteStream, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { unzipSync, Zip, ZipDeflate } from 'fflate'
import { isDiskFull } from '../../disk-state.ts'
import { orNull } from '../../or-null.ts'
import type { Progress } from '../../store/backup/engine.ts'
import { takeLock } from '../../store/sqlite.ts'
import { FINISHED } from './manifest.ts'

const isZip = (path: string) => path.toLowerCase().endsWith('.zip')
const unfinished = (path: string) => `${path}.unfinished`

/** Throws where the target is taken: before the work begins, not after it. */
export function demandFree(to: string): void {
  const there = statSync(to, { throwIfNoEntry: false })
  if (there && (!there.isDirectory() || readdirSync(to).length > 0))
    throw new Error(`${to} is there already, and was not touched. Name a new folder or zip.`)
}

/** The same for a file: throws where the path exists, or where its folder does not. */
export function demandFreeFile(to: string): void {
  if (statSync(to, { throwIfNoEntry: false })) throw new Error(`${to} is there already, and was not touched. Name a new file.`)
  const folder = dirname(to)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`There is no folder ${folder}. Is the path right, and the disk or stick there?`)
}

/**
 * Calls `write` with a temporary folder, and gives the result its name: a folder, or a zip where `to` ends in .zip. So `to` exists whole or
 * not at all. What a run wrote before it failed stays for the next run, unless the disk is full.
 */
export async function writeExport<T>(to: string, progress: Progress, write: (folder: string) => Promise<T>): Promise<T> {
  demandFree(to)
  const part = unfinished(to)
  const folder = isZip(to) ? `${part}.parts` : part
  const lock = takeLock(`${part}.lock`)
  if (!lock) throw new Error(`Another export is writing ${to}. Nothing was changed.`)
  const clear = () => {
    for (const path of [part, folder]) rmSync(path, { recursive: true, force: true })
  }
  try {
    const result = await write(folder)
    if (isZip(to)) await pipeline(Readable.from(zipped(folder, progress), { objectMode: false }), createWriteStream(part, { mode: 0o600 }))
    else rmSync(join(folder, FINISHED), { force: true })
    if (existsSync(to)) rmSync(to, { recursive: true })
    renameSync(part, to)
    clear()
    return result
  } catch (error) {
    if (isDiskFull(error)) clear()
    if (!existsSync(folder)) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`${why}\nWhat was written so far lies in ${folder}. The same command goes on from there; otherwise remove it.`)
  } finally {
    lock.close()
    // A killed process leaves the journal of SQLite behind.
    for (const end of ['lock', 'lock-journal']) rmSync(`${part}.${end}`, { force: true })
  }
}

/** The largest size that a zip of this format can have. */
const ZIP_MOST = 4_000_000_000

/** The files of a folder as one zip, in pieces. */
async function* zipped(folder: string, progress: Progress): AsyncGenerator<Uint8Array> {
  const paths = filesBelow(folder)
    .filter((path) => path !== FINISHED)
    .sort()
  const size = paths.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
  if (size > ZIP_MOST) throw new Error('This export is too large for a zip. Name a folder.')
  const ready: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error) throw error
    ready.push(piece)
  })
  let done = 0
  for (const path of paths) {
    const added = new ZipDeflate(path, { level: 6 })
    zip.add(added)
    for await (const piece of createReadStream(join(folder, path))) {
      added.push(piece as Uint8Array)
      yield* ready.splice(0)
      done += piece.length
      progress('Making the zip', done / size)
    }
    added.push(new Uint8Array(), true)
    yield* ready.splice(0)
  }
  zip.end()
  yield* ready.splice(0)
}

/** The content of an export: the paths of all files in it, with slashes. `read` returns null for a path that does not exist. */
export type OpenedParts = { paths: readonly string[]; read(path: string): Uint8Array | null }

/** Opens an export, a folder or a zip. Throws where there is none, or where it cannot be read. */
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

/** The paths of all files below a folder, with slashes. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
