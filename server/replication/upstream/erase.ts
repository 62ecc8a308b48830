import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tlsFolder } from '../../lan/authority.ts'
import { FILES_FOLDER } from '../../store/backup/files.ts'
import { takeTurn } from '../../store/backup/folder.ts'
import { isFolderOfDatabase, isOfBackups } from '../../store/backup/manifest.ts'
import { readWhoseNote, WHOSE_NOTE } from '../../store/backup/whose.ts'
import { keyNameOf } from '../../store/sqlite.file.ts'
import { LOCK_FILE, takeLock } from '../../store/sqlite.ts'
import { readWipeNote, writeWipeNote } from '../identity/wipe-note.ts'

type Where = { dataDir: string; backupDir: string }

/**
 * Erases what this laptop holds, where its note says that this is to be done (sync/SPEC.md, «Wiping»): the keys of encrypted databases, then
 * the secret of its keys, for without it nobody is this laptop any more; then marks, files, backups, certificates. Before anything is opened or made in the folder. Where
 * it is cut off, the next start goes on. Settings stay, and what Markbook did not make.
 */
export async function finishErasing({ dataDir, backupDir }: Where, forgetKey: (name: string) => Promise<unknown>): Promise<void> {
  const note = readWipeNote(dataDir)
  if (!note || note.isErased) return
  const lock = takeLock(join(dataDir, LOCK_FILE))
  if (!lock) throw new Error(`Another Markbook server is running on ${dataDir}, which is to be erased. Stop that one first.`)
  // A backup may be under way.
  const dropUnknown = existsSync(backupDir) ? await takeTurn(backupDir) : () => {}
  try {
    for (const key of keysIn(dataDir)) await forgetKey(key)
    for (const path of [...ownOf(dataDir), ...backupsIn(dataDir, backupDir), join(dataDir, WHOSE_NOTE)])
      rmSync(path, { recursive: true, force: true })
  } finally {
    dropUnknown()
    lock.close()
  }
  writeWipeNote(dataDir, { ...note, isErased: true })
}

/** A database, the one that is used or another that was put aside, with what SQLite lays beside it; or a secret, also half written. */
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

/** The folder of this laptop's own backups, or, where none says which that is, of every database, and what lies in the old way. */
function backupsIn(dataDir: string, folder: string): string[] {
  if (!existsSync(folder)) return []
  const own = readWhoseNote(dataDir)
  const isOwn = (name: string) => (own ? name === own.id : isFolderOfDatabase(name))
  return readdirSync(folder)
    .filter((name) => isOfBackups(name) || isOwn(name))
    .map((name) => join(folder, name))
}
