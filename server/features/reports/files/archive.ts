import { Readable } from 'node:stream'
import { Zip, ZipPassThrough } from 'fflate'
import type { ObjectStorage } from '../../../files/storage.ts'
import { distinct } from './names.ts'
import { BUCKET } from './paths.ts'

/** A file of a zip; `open` returns null where it does not exist. */
export type Zipped = { name: string; open: () => Promise<Readable | null> }
/** A file of an archive; `path`: where it is stored, null where it does not exist. */
export type Archived = { name: string; path: string | null }

const MISSING = 'not in this archive.txt'

/** A zip of stored files; see `zipOf`. */
export const archiveOf = (files: ObjectStorage, list: readonly Archived[], madeAt: number): Readable =>
  zipOf(
    list.map(({ name, path }) => ({ name, open: async () => (path === null ? null : ((await files.open(BUCKET, path))?.body ?? null)) })),
    madeAt,
  )

/**
 * A zip that is made while it is read, a chunk at a time, so its size does not matter. PDFs are already compressed, so entries are only
 * stored. Missing files are listed in a text file. `madeAt` in ms since 1970.
 */
export const zipOf = (list: readonly Zipped[], madeAt: number): Readable => Readable.from(piecesOf(list, madeAt), { objectMode: false })

/** A zip has local times without a zone. They are shifted so that they show UTC, whatever the machine's zone. */
const inUtc = (ms: number) => ms + new Date(ms).getTimezoneOffset() * 60_000

async function* piecesOf(list: readonly Zipped[], madeAt: number): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error) throw error
    ready.push(piece)
  })
  const taken = () => ready.splice(0)
  const entry = (name: string) => {
    const added = new ZipPassThrough(name)
    added.mtime = inUtc(madeAt)
    zip.add(added)
    return added
  }
  const missing: string[] = []
  const names = distinct(list.map(({ name }) => name))
  for (const [at, { open }] of list.entries()) {
    const name = names[at] as string
    const body = await open()
    if (!body) {
      missing.push(name)
      continue
    }
    const added = entry(name)
    for await (const piece of body) {
      added.push(piece as Uint8Array)
      yield* taken()
    }
    added.push(new Uint8Array(), true)
    yield* taken()
  }
  if (missing.length > 0) entry(MISSING).push(Buffer.from(`There is no PDF yet for:\r\n\r\n${missing.join('\r\n')}\r\n`), true)
  zip.end()
  yield* taken()
}
