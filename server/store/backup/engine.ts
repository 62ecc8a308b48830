import type { IdSource } from '@markbook/shared/ids'
import type { DatabaseOwner } from './database-owner.ts'
import type { Counts, Manifest, ManifestContents } from './manifest.ts'

/** What a copy held at its one instant. */
export type Snapshot = Pick<ManifestContents, 'node_id' | 'database_id' | 'school' | 'migrations' | 'counts'>
/** Tells a person how far it is; called often. `done` is between 0 and 1. */
export type Progress = (what: string, done?: number) => void
export type RestoreOptions = { newId: IdSource; takenAt: string; now: number; progress: Progress }
/** A copy of a database, from its first byte, as often as it is asked for. */
export type Chunks = () => AsyncIterable<Buffer>
/** A copy that lies as a file, or is read from a store. `isScratch`: the file is nobody's, and may be moved away. */
export type DatabaseCopy = { path: string; isScratch: boolean } | { chunks: Chunks }

export const NOT_ITS_ROWS = 'The copy does not hold the rows that the database holds.'

/** For an engine that reads no chunks. */
export function fileOf(copy: DatabaseCopy): string {
  if ('path' in copy) return copy.path
  throw new Error('a copy in chunks, where a file was needed')
}

/** One kind of database as backups see it. */
export type Engine = {
  readonly name: Manifest['database']
  /** What its copy is called in a backup. */
  readonly file: Manifest['file']
  /** About how large a copy will be, in bytes. */
  size(): Promise<number>
  /** False where there is no database yet, or an empty one. */
  exists(): Promise<boolean>
  /** Whose the database is. Throws where there is none that can be read. */
  whose(): Promise<DatabaseOwner>
  /** Writes a consistent copy while others write. `readable`: not encrypted, also where the database is. */
  copyTo(path: string, progress: Progress, readable: boolean): Promise<Snapshot>
  /** Whether copies are read as chunks; else one that is in a store is written to a file first. */
  readonly streams: boolean
  /**
   * Gives a consistent copy in chunks such that what did not change since the last time is the same chunks. A file at `scratch` may be part
   * of that, and is removed.
   */
  inChunks<T>(scratch: string, progress: Progress, work: (chunks: Chunks, snapshot: Snapshot) => Promise<T>): Promise<T>
  /** Reads a copy whole and counts its rows. Throws `BackupError` where it is not sound. */
  inspect(copy: DatabaseCopy): Promise<Counts>
  /** The rows of the database as it is; null where there is none, or none that can be read. */
  countsNow(): Promise<Counts | null>
  /** Keeps servers out of the database until the answer is called. Throws `BackupError` where one is in. */
  hold(): Promise<() => Promise<void>>
  /** Keeps the files of a database that no backup can be made of. Answers where, or null where that is not to be done. */
  setAside(folder: string): Promise<string | null>
  /** Puts a copy in the place of the database, brought to this program's version and with a new incarnation. Whole or not at all. */
  putBack(copy: DatabaseCopy, options: RestoreOptions): Promise<{ nodeId: string; before: string | null }>
  /** Puts a copy back in a folder of its own, which changes nothing else, and counts its rows there as far as that is cheap. */
  rehearse(copy: DatabaseCopy, folder: string, options: RestoreOptions): Promise<Counts | null>
}
