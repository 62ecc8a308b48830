import type { Clock } from '@markbook/shared/clock'
import type { IdSource } from '@markbook/shared/ids'
import type { Counts, Manifest, ManifestContents } from './manifest.ts'
import type { Whose } from './whose.ts'

/** What a copy held at its one instant. */
export type Snapshot = Pick<ManifestContents, 'node_id' | 'database_id' | 'school' | 'migrations' | 'counts'>
/** Tells a person how far it is; called often. `done` is between 0 and 1. */
export type Progress = (what: string, done?: number) => void
/** `isScratch`: the copy is nobody's, and may be moved away. */
export type PutBack = { clock: Clock; newId: IdSource; takenAt: string; now: number; progress: Progress; isScratch: boolean }

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
  whose(): Promise<Whose>
  /** Writes a consistent copy while others write. */
  copyTo(path: string, progress: Progress): Promise<Snapshot>
  /** Reads a copy whole and counts its rows. Throws `BackupError` where it is not sound. */
  inspect(path: string): Promise<Counts>
  /** The rows of the database as it is; null where there is none, or none that can be read. */
  countsNow(): Promise<Counts | null>
  /** Keeps servers out of the database until the answer is called. Throws `BackupError` where one is in. */
  hold(): Promise<() => Promise<void>>
  /** Keeps the files of a database that no backup can be made of. Answers where, or null where that is not to be done. */
  setAside(folder: string): Promise<string | null>
  /** Puts a copy in the place of the database, brought to this program's version and with a new incarnation. Whole or not at all. */
  putBack(path: string, options: PutBack): Promise<{ nodeId: string; before: string | null }>
}
