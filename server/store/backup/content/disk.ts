import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { syncPath } from '../../../atomic-write.ts'
import { codeOf } from '../../../error-code.ts'
import { makeFolder } from '../../../make-folder.ts'
import { needRoom } from '../folder.ts'
import { type Sizes, usualSizes } from './pack.ts'

/** A file being written; nobody reads it before it is closed. */
export type NewFile = { append(bytes: Uint8Array): Promise<void>; close(): Promise<void> }

/**
 * What the content store asks of a disk, step by step: a power cut may come between any two. What is written is certain after `close`,
 * and a name that came, changed or went is certain after `syncFolder`.
 */
export type Disk = {
  /** The names in a folder; none where it is missing. */
  names(folder: string): Promise<string[]>
  makeFolder(folder: string): Promise<void>
  /** Bytes of a file; null where there is none. */
  size(path: string): Promise<number | null>
  /** Exactly so many bytes; fewer where the file ends. */
  read(path: string, at: number, length: number): Promise<Buffer>
  create(path: string): Promise<NewFile>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  syncFolder(folder: string): Promise<void>
  /** Throws `BackupError` where so many bytes more would leave less than backups have to leave free. */
  needRoom(folder: string, bytes: number): Promise<void>
}

/** The disk of this machine. A backup has a process of its own, in which nobody waits: what is quick is done at once. */
const realDisk: Disk = {
  names: (folder) => readdir(folder).catch((error) => (codeOf(error) === 'ENOENT' ? [] : Promise.reject(error))),
  makeFolder: async (folder) => makeFolder(folder, 0o700),
  size: (path) =>
    stat(path).then(
      ({ size }) => size,
      (error) => (codeOf(error) === 'ENOENT' ? null : Promise.reject(error)),
    ),
  read: async (path, at, length) => {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.allocUnsafe(length)
      let read = 0
      for (let more = 1; more > 0 && read < length; read += more) more = readSync(file, bytes, read, length - read, at + read)
      return bytes.subarray(0, read)
    } finally {
      closeSync(file)
    }
  },
  create: async (path) => {
    const file = await open(path, 'w', 0o600)
    return {
      append: async (bytes) => {
        for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at)
      },
      close: () => file.sync().finally(() => file.close()),
    }
  },
  rename,
  remove: unlink,
  syncFolder: syncPath,
  needRoom,
}

/** Where content lies. */
export type ContentFolder = { folder: string; disk: Disk; sizes: Sizes }

export const onThisDisk = (folder: string): ContentFolder => ({ folder, disk: realDisk, sizes: usualSizes })
