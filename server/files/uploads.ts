import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { limits } from '@markbook/shared/limits'
import type { DataStore } from '@tus/server'
import { freeBytes, removeOlder, requireSpace } from './disk.folder.ts'
import { lazily } from './lazily.ts'

/** Stores the pieces of resumable uploads until they are complete. The first upload loads the library. */
export type Uploads = {
  store(): Promise<DataStore>
  /** The bytes received so far. */
  read(id: string): Promise<Readable>
  /** Does nothing where there is no upload. */
  remove(id: string): Promise<void>
  /** Throws `Failure` 507 `storage_full` where the disk lacks this many bytes. */
  requireSpace(bytes: number): Promise<void>
  /** Deletes uploads, finished or not, that have not changed since `before` (ms since 1970). */
  sweep(before: number): Promise<void>
}

/** In the folder of the files, on the same disk; never part of a backup. */
const UPLOADS_FOLDER = '.uploads'

export function diskUploads({ folder, floor = limits.storage.minFreeBytes }: { folder: string; floor?: number | undefined }): Uploads {
  const directory = join(folder, UPLOADS_FOLDER)
  const store = lazily(async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const { FileStore } = await import('@tus/file-store')
    // The library's own check of the folder exits the program where it fails.
    class MadeStore extends (FileStore as unknown as new (options: { directory: string }) => DataStore & { read(id: string): Readable }) {
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
    requireSpace: (bytes) => requireSpace({ floor, free: () => freeBytes(folder) }, bytes),
    sweep: (before) => removeOlder(directory, before),
  }
}
