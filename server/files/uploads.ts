import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { limits } from '@markbook/shared/limits'
import type { DataStore } from '@tus/server'
import { codeOf } from './disk.folder.ts'
import { freeBytes, needRoom } from './disk.room.ts'
import { once } from './once.ts'

/** Where the pieces of resumable uploads are until they are whole. What it needs is loaded by the first upload. */
export type Uploads = {
  store(): Promise<DataStore>
  /** What has come so far. */
  read(id: string): Promise<Readable>
  /** What is not there is removed already. */
  remove(id: string): Promise<void>
  /** Throws `Failure` 507 `storage_full` where so many bytes are too many. */
  needRoom(bytes: number): Promise<void>
  /** Removes uploads, finished or not, that nobody has touched since `before` (ms since 1970). */
  sweep(before: number): Promise<void>
}

type FolderStore = DataStore & { read(id: string): Readable }

/** Below the folder of the files, on the same disk; never part of a backup. */
const UPLOADS_FOLDER = '.uploads'

export function diskUploads({ folder, floor = limits.storage.floor }: { folder: string; floor?: number | undefined }): Uploads {
  const directory = join(folder, UPLOADS_FOLDER)
  const store = once(async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const { FileStore } = await import('@tus/file-store')
    // The store makes the folder too, but in a way that ends the program where it cannot.
    class MadeStore extends (FileStore as unknown as new (options: { directory: string }) => FolderStore) {
      checkOrCreateDirectory() {}
    }
    return new MadeStore({ directory })
  })
  return {
    store,
    read: async (id) => (await store()).read(id),
    remove: async (id) => {
      for (const name of [id, `${id}.json`]) await rm(join(directory, name), { force: true })
    },
    needRoom: (bytes) => needRoom({ floor, free: () => freeBytes(folder) }, bytes),
    sweep: (before) => removeOlder(directory, before),
  }
}

async function removeOlder(directory: string, before: number): Promise<void> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
    return []
  })
  for (const name of names) {
    const path = join(directory, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: before }))
    if (mtimeMs < before) await rm(path, { force: true })
  }
}
