import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { addContent } from './content/add.ts'
import { collectContent, type Kept, removeUnnamed } from './content/collect.ts'
import { onThisDisk } from './content/disk.ts'
import { Packs } from './content/packs.ts'
import type { Content } from './content/places.ts'
import { ContentError, readContent, verifyContent } from './content/read.ts'
import { setAside } from './content/set-aside.ts'
import { syncPath } from './folder.ts'
import {
  type Backup,
  BackupError,
  backupsIn,
  contentIn,
  type Imprint,
  MANIFEST_FILE,
  movedTo,
  openBackup,
  replaceManifest,
} from './manifest.ts'

/** The store of the backups in a folder lies beside them. */
const CONTENT_FOLDER = 'content'
const storeOf = (folder: string) => onThisDisk(join(folder, CONTENT_FOLDER))

/**
 * Stores a database in a folder of backups and reads it back from there. What turns out to be damaged of what lies there already is set
 * aside and stored anew: then `damaged` counts the packs. `chunks` is asked for once more in that case.
 */
export async function storeContent(
  folder: string,
  chunks: () => AsyncIterable<Buffer>,
  { size, digest }: Imprint,
): Promise<{ content: Content; damaged: number }> {
  const where = storeOf(folder)
  let damaged: string[] = []
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const packs = await Packs.open(where)
    const content = await addContent(packs, chunks())
    const read = await verifyContent(packs, content)
    if (read.damaged.length === 0 && read.digest === digest && read.size === size) return { content, damaged: damaged.length }
    damaged = read.damaged
    await setAside(where, damaged)
  }
  throw new BackupError('The disk did not keep what was written.')
}

export const damageIn = (folder: string) =>
  `Parts of older backups in ${folder} are damaged: the disk changed what was written. What this backup needs was stored anew. Have the disk looked at.`

/** The database of a backup that is stored by content, read from there. Throws `BackupError` where its store is not with it. */
async function* databaseChunks(backup: Backup, content: Content): AsyncGenerator<Buffer> {
  const where = storeOf(dirname(backup.path))
  if (!existsSync(where.folder))
    throw new BackupError(
      `The backup ${backup.path} is not complete by itself: its database is in the folder ${CONTENT_FOLDER} beside it, which is not there. Copy the whole folder of backups; markbook backup --to makes one that is complete. Nothing was changed.`,
    )
  try {
    yield* readContent(await Packs.open(where), content)
  } catch (error) {
    if (!(error instanceof ContentError)) throw error
    throw new BackupError(`The backup ${backup.path} is damaged: ${error.message}. Nothing was changed.`)
  }
}

/** The chunks of a backup's database; null where it lies in its folder as a file. */
export function chunksOf(backup: Backup): (() => AsyncIterable<Buffer>) | null {
  const content = contentIn(backup)
  return content && (() => databaseChunks(backup, content))
}

/**
 * Gives a backup's database as a file: its own, or one at `scratch` that is written for this and removed afterwards. `isScratch` says that
 * it may be moved away.
 */
export async function withDatabaseFile<T>(
  backup: Backup,
  scratch: string,
  work: (path: string, isScratch: boolean) => Promise<T>,
): Promise<T> {
  const chunks = chunksOf(backup)
  if (!chunks) return work(join(backup.path, backup.manifest.file), false)
  try {
    await pipeline(Readable.from(chunks()), createWriteStream(scratch, { mode: 0o600 }))
    await syncPath(scratch)
    return await work(scratch, true)
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
    return (error as { code?: string }).code === 'ENOENT' ? null : 'unknown'
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
