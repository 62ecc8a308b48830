import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../make-folder.ts'
import { type DatabaseOwner, ownerText } from './database-owner.ts'
import { backupsIn, folderOfDatabase, type Listed, listBackups, type Manifest, openBackup } from './manifest.ts'
import { ownerInDump } from './postgres.tools.ts'
import { ownerInFile } from './sqlite.copy.ts'

/** Whose a backup is: as its manifest says, or, in the old format, its database. Null where neither can be read. */
export async function ownerOfBackup({ path }: Pick<Listed, 'path'>): Promise<DatabaseOwner | null> {
  try {
    const { manifest } = openBackup(path)
    return whoseInManifest(manifest) ?? (await readers[manifest.database](join(path, manifest.file)))
  } catch {
    return null
  }
}

const readers = { sqlite: async (path: string) => ownerInFile(path), postgres: ownerInDump } satisfies Record<Manifest['database'], unknown>

const whoseInManifest = (manifest: Manifest): DatabaseOwner | null =>
  manifest.format === 'markbook-backup/1' ? null : { id: manifest.database_id, school: manifest.school }

/** The backups of one database in a folder, oldest first: those in its own folder, and those that lie in the old way. */
async function ownBackups(folder: string, databaseId: string): Promise<Listed[]> {
  const own: Listed[] = []
  for (const backup of listBackups(folder)) if ((backup.databaseId ?? (await ownerOfBackup(backup))?.id) === databaseId) own.push(backup)
  return own
}

/**
 * The folder of a database's own backups, made where it is not there yet. What lies in the old way and is of this database moves into it;
 * what is of another, or of nobody who can be known, stays where it lies. Only for whoever has the turn.
 */
export async function openOwnFolder(folder: string, whose: DatabaseOwner): Promise<string> {
  const own = folderOfDatabase(folder, whose.id)
  makeFolder(own, 0o700)
  await writeFile(join(own, 'README.txt'), readMe(whose), { mode: 0o600 })
  for (const { name, path } of await ownBackups(folder, whose.id)) {
    const target = join(own, name)
    if (path !== target && !existsSync(target)) await rename(path, target)
  }
  return own
}

const readMe = (whose: DatabaseOwner) => `Backups of Markbook: ${ownerText(whose)}.

They hold names and marks of children: keep this disk locked away. Copy the whole folder, or nothing of it.
To put one back, on a machine with Markbook: markbook restore --list
`

/** The newest backup of a database in a folder; null where it has none there. */
export async function newestOwn(folder: string, databaseId: string, now: number): Promise<Listed | null> {
  return newestOf(backupsIn(folderOfDatabase(folder, databaseId)), now) ?? newestOf(await ownBackups(folder, databaseId), now)
}

/** Of backups, oldest first: one that a clock dated ahead is not the newest for as long as it is ahead, unless there is no other. */
export const newestOf = (backups: readonly Listed[], now: number): Listed | null =>
  backups.findLast(({ at }) => at <= now) ?? backups.at(-1) ?? null
