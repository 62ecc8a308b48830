import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tlsFolder } from '../../lan/authority.ts'
import { OWNER_NOTE, readOwnerNote } from '../../store/backup/database-owner.ts'
import { FILES_FOLDER } from '../../store/backup/files.ts'
import { takeTurn } from '../../store/backup/folder.ts'
import { isFolderOfDatabase, isOfBackups } from '../../store/backup/manifest.ts'
import { keyNameOf } from '../../store/sqlite.file.ts'
import { LOCK_FILE, takeLock } from '../../store/sqlite.ts'
import { readWipeNote, writeWipeNote } from '../identity/wipe-note.ts'

type Where = { dataDir: string; backupDir: string }

/**
 * Erases what this laptop holds, where its note orders that (sync/SPEC.md, «Wiping»). Call before anything is opened or made in the folder.
 * The keys of encrypted databases go first; then the secret of the node's keys, without which nobody can speak as this laptop; then marks,
 * files, backups and certificates. If it is cut off, the next start goes on. Settings stay, and what Markbook did not make. Throws while a
 * server runs on the folder.
 */
export async function finishErasing({ dataDir, backupDir }: Where, forgetKey: (name: string) => Promise<unknown>): Promise<void> {
  const note = readWipeNote(dataDir)
  if (!note || note.isErased) return
  const lock = takeLock(join(dataDir, LOCK_FILE))
  if (!lock) throw new Error(`Another Markbook server is running on ${dataDir}, which is to be erased. Stop that one first.`)
  // A backup may be under way.
  const releaseTurn = existsSync(backupDir) ? await takeTurn(backupDir) : () => {}
  try {
    for (const key of keysIn(dataDir)) await forgetKey(key)
    for (const path of [...ownOf(dataDir), ...backupsIn(dataDir, backupDir), join(dataDir, OWNER_NOTE)])
      rmSync(path, { recursive: true, force: true })
  } finally {
    releaseTurn()
    lock.close()
  }
  writeWipeNote(dataDir, { ...note, isErased: true })
}

/** File names of a database, in use or put aside, with what SQLite lays beside it; and of a secret, also half written. */
const OWN_FILE =
  /^(?:markbook(?:\.restoring|\.converting)?\.sqlite|(?:damaged|locked)-[-0-9T]+\.(?:sqlite|session-secret)|session-secret(?:\.|$))/

/** The keys of the database in use and of those that were put aside. */
const keysIn = (dataDir: string): Set<string> =>
  new Set(
    readdirSync(dataDir)
      .filter((name) => OWN_FILE.test(name) && name.endsWith('.sqlite'))
      .flatMap((name) => keyNameOf(join(dataDir, name)) ?? []),
  )

function ownOf(dataDir: string): string[] {
  const others = [...readdirSync(dataDir).filter((name) => OWN_FILE.test(name)), FILES_FOLDER, 'running.json']
  return [...others.map((name) => join(dataDir, name)), tlsFolder(dataDir)]
}

/** The folder of this laptop's own backups; where no note names it, those of every database. Also backups of the earlier layout. */
function backupsIn(dataDir: string, folder: string): string[] {
  if (!existsSync(folder)) return []
  const own = readOwnerNote(dataDir)
  const isOwn = (name: string) => (own ? name === own.id : isFolderOfDatabase(name))
  return readdirSync(folder)
    .filter((name) => isOfBackups(name) || isOwn(name))
    .map((name) => join(folder, name))
}
