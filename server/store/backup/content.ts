import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { syncPath } from '../../atomic-write.ts'
import { codeOf } from '../../error-code.ts'
import { addContent } from './content/add.ts'
import { collectContent, type Kept, removeUnnamed } from './content/collect.ts'
import { onThisDisk } from './content/disk.ts'
import { Packs } from './content/packs.ts'
import type { Content } from './content/places.ts'
import { ContentError, readContent, verifyContent } from './content/read.ts'
import { setAside } from './content/set-aside.ts'
import type { Chunks, DatabaseCopy } from './engine.ts'
import {
  type Backup,
  BackupError,
  backupsIn,
  contentIn,
  type FileDigest,
  MANIFEST_FILE,
  movedTo,
  openBackup,
  replaceManifest,
} from './manifest.ts'

/** The store of the backups in a folder lies beside them. */
const CONTENT_FOLDER = 'content'
const storeOf = (folder: string) => onThisDisk(join(folder, CONTENT_FOLDER))

export type Stored = { content: Content; fileDigest: FileDigest; damaged: number }

/**
 * Stores a database in a folder of backups and reads it back from there. What turns out to be damaged of what lies there already is set
 * aside and stored anew: then `damaged` counts the packs, and `chunks` was asked for once more.
 */
export async function storeContent(folder: string, chunks: Chunks): Promise<Stored> {
  const where = storeOf(folder)
  let damaged: string[] = []
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const packs = await Packs.open(where)
    const measured = measuring(chunks())
    const content = await addContent(packs, measured.chunks)
    const fileDigest = measured.fileDigest()
    const read = await verifyContent(packs, content)
    if (read.damaged.length === 0 && read.digest === fileDigest.digest) return { content, fileDigest, damaged: damaged.length }
    damaged = read.damaged
    await setAside(where, damaged)
  }
  throw new BackupError('The disk did not keep what was written.')
}

/** The same chunks, and what they were all together when the last has passed. */
function measuring(chunks: AsyncIterable<Buffer>): { chunks: AsyncIterable<Buffer>; fileDigest(): FileDigest } {
  const hash = createHash('sha256')
  let size = 0
  async function* passing() {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  return { chunks: passing(), fileDigest: () => ({ size, digest: hash.digest('hex') }) }
}

export const damageIn = (folder: string) =>
  `Parts of older backups in ${folder} are damaged: the disk changed what was written. What this backup needs was stored anew. Have the disk looked at.`

/** What a folder's store holds. Throws `ContentError`. */
export async function* storedChunks(folder: string, content: Content): AsyncGenerator<Buffer> {
  yield* readContent(await Packs.open(storeOf(folder)), content)
}

/** The database of a backup that is stored by content, read from there. Throws `BackupError` where its store is not with it. */
async function* databaseChunks(backup: Backup, content: Content): AsyncGenerator<Buffer> {
  const where = storeOf(dirname(backup.path))
  if (!existsSync(where.folder))
    throw new BackupError(
      `The backup ${backup.path} is not complete by itself: its database is in the folder ${CONTENT_FOLDER} beside it, which is not there. Copy the whole folder of backups; markbook backup --to makes one that is complete. Nothing was changed.`,
    )
  try {
    yield* storedChunks(dirname(backup.path), content)
  } catch (error) {
    if (!(error instanceof ContentError)) throw error
    throw new BackupError(`The backup ${backup.path} is damaged: ${error.message}. Nothing was changed.`)
  }
}

/** The chunks of a backup's database; null where it lies in its folder as a file. */
export function chunksOf(backup: Backup): Chunks | null {
  const content = contentIn(backup)
  return content && (() => databaseChunks(backup, content))
}

/** Gives what is in a store as a file at `scratch`, which is removed afterwards. */
export async function asFile<T>(chunks: Chunks, scratch: string, work: (copy: DatabaseCopy) => Promise<T>): Promise<T> {
  try {
    await pipeline(Readable.from(chunks()), createWriteStream(scratch, { mode: 0o600 }))
    await syncPath(scratch)
    return await work({ path: scratch, isScratch: true })
  } finally {
    await rm(scratch, { force: true })
  }
}

/** Everything in a folder of backups that needs its store; null where that cannot be known. */
function keptIn(folder: string): Kept[] | null {
  const kept: Kept[] = []
  for (const { path } of backupsIn(folder)) {
    const one = keptOf(path)
    if (one === 'unknown') return null
    if (one) kept.push(one)
  }
  return kept
}

function keptOf(path: string): Kept | null | 'unknown' {
  let text: string
  try {
    text = readFileSync(join(path, MANIFEST_FILE), 'utf8')
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? null : 'unknown'
  }
  try {
    const backup = openBackup(path)
    const content = contentIn(backup)
    return content && { content, replace: async (next: Content) => replaceManifest(path, movedTo(backup.manifest, next)) }
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    // A damaged manifest, or one of a newer program: every pack that it seems to name stays.
    return { content: { packs: text.match(/\b[0-9a-f]{64}\b/g) ?? [], runs: [] }, replace: async () => {} }
  }
}

/** Removes what an interrupted backup left in the store of a folder. Only for whoever has the turn. */
export async function removeLeftContent(folder: string): Promise<void> {
  const kept = keptIn(folder)
  if (kept && existsSync(storeOf(folder).folder))
    await removeUnnamed(
      storeOf(folder),
      kept.map(({ content }) => content),
    )
}

/** Removes what no backup in a folder needs any more. Only for whoever has the turn. */
export async function collect(folder: string): Promise<void> {
  // A backup that was removed must not come back after a power cut, without its packs.
  await syncPath(folder)
  const kept = keptIn(folder)
  if (kept && existsSync(storeOf(folder).folder)) await collectContent(storeOf(folder), kept)
}
