import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { orNull } from '../../or-null.ts'

/** The parts of an export by their paths, with slashes. */
export type Parts = Map<string, Uint8Array>

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

/** A folder, or a zip where the name ends so; there whole or not at all. */
export function writeParts(to: string, parts: Parts): void {
  demandFree(to)
  const part = unfinished(to)
  rmSync(part, { recursive: true, force: true })
  if (isZip(to)) {
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(part, zipSync(Object.fromEntries(parts), { level: 6 }), { mode: 0o600 })
  } else {
    for (const [path, bytes] of parts) {
      const file = join(part, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, bytes, { mode: 0o600 })
    }
    if (existsSync(to)) rmSync(to, { recursive: true })
  }
  renameSync(part, to)
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
