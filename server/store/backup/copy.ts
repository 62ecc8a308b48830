import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@markbook/shared/clock'
import { orNull } from '../../or-null.ts'
import { chunksOf, collect, damageIn, removeLeftContent, storeContent } from './content.ts'
import type { DatabaseOwner } from './database-owner.ts'
import type { Progress } from './engine.ts'
import { copyFiles, damagedFiles } from './files.ts'
import { finishFolder, needRoom, startFolder, sweepUnfinished, takeTurn, troubleOf } from './folder.ts'
import { removeOld } from './keep.ts'
import { type Backup, BackupError, backupsIn, digestOf, folderOfDatabase, movedTo, openBackup, writeManifest } from './manifest.ts'
import { openOwnFolder } from './own.ts'
import { removePlain } from './plain.ts'

type CopyLocation = { backupDir: string; copyDir: string | null; clock: Clock }

/** Remembers a second folder that was on a disk of its own, to tell an empty place where that disk is not from the disk. */
export const REMEMBERED = 'copies-on-another-disk'

/** Copies a backup to the second folder, verifies it there and thins the copies. Answers warnings, never throws: a disk may be away. */
export async function copyToSecondFolder(
  place: CopyLocation,
  { backup, whose, thin, progress }: { backup: Backup; whose: DatabaseOwner; thin: false | { good: string | null }; progress: Progress },
): Promise<string[]> {
  const { copyDir } = place
  if (!copyDir) return []
  try {
    const trouble = secondFolderTrouble(place.backupDir, copyDir)
    if (trouble.away) return [trouble.away]
    progress('Copying to the second folder')
    const own = folderOfDatabase(copyDir, whose.id)
    const done = await turnIn(own)
    try {
      await openOwnFolder(copyDir, whose)
      sweepUnfinished(own)
      if (!thin && done) await removeLeftContent(own)
      if (thin) await removeOld(own, place.clock.now(), thin.good)
      if (thin && done) await collect(own)
      const { damaged } = await copyBackup(backup, own)
      if (thin && done) await removePlain(own, backup)
      if (damaged) trouble.weak = `${trouble.weak ? `${trouble.weak} ` : ''}${damageIn(own)}`
      if (thin) await removeOld(own, place.clock.now(), thin.good)
      if (thin && done) await collect(own)
    } catch (error) {
      orNull(() => sweepUnfinished(own))
      throw error
    } finally {
      done?.()
    }
    return trouble.weak ? [trouble.weak] : []
  } catch (error) {
    const trouble = troubleOf(error)
    return [
      trouble
        ? `The backup could not be copied: ${copyDir} ${trouble}.`
        : `The backup could not be copied to ${copyDir}: ${(error as Error).message}`,
    ]
  }
}

/**
 * A copy of this server elsewhere may have the same second folder. On a share that knows no locks there is no turn to take: null. Nothing
 * is removed from the store there, for it might be what somebody else just wrote.
 */
const turnIn = (folder: string): Promise<(() => void) | null> =>
  takeTurn(folder).catch((error: unknown) => {
    if (error instanceof BackupError) throw error
    return null
  })

/** Whether the second folder is there, and on a disk of its own. */
function secondFolderTrouble(backupDir: string, copyDir: string): { away?: string; weak?: string } {
  const there = statSync(copyDir, { throwIfNoEntry: false })
  if (!there?.isDirectory()) return { away: `The second folder for backups, ${copyDir}, is not there. Is the disk plugged in?` }
  const note = join(backupDir, REMEMBERED)
  if (there.dev !== statSync(backupDir).dev) {
    writeFileSync(note, copyDir, { mode: 0o600 })
    return {}
  }
  const wasElsewhere = statSync(note, { throwIfNoEntry: false }) && readFileSync(note, 'utf8') === copyDir
  return wasElsewhere
    ? { away: `The disk of the second folder for backups, ${copyDir}, is away. Is it plugged in?` }
    : { weak: `The second folder for backups, ${copyDir}, is on the same disk as the first: it does not help when that disk dies.` }
}

async function copyBackup(backup: Backup, folder: string): Promise<{ damaged: number }> {
  const { manifest, name } = backup
  const chunks = chunksOf(backup)
  if (!chunks) await needRoom(folder, manifest.size)
  const newest = backupsIn(folder).at(-1)
  const part = startFolder(folder, name)
  copyFiles(backup, part, newest ? orNull(() => openBackup(newest.path)) : null)
  const stored = chunks && (await storeContent(folder, chunks))
  if (stored) {
    if (stored.fileDigest.digest !== manifest.digest) throw notKept()
    writeManifest(part, movedTo(manifest, stored.content))
  } else {
    copyFileSync(join(backup.path, manifest.file), join(part, manifest.file))
    writeManifest(part, manifest)
    const { digest } = await digestOf(join(part, manifest.file))
    if (digest !== manifest.digest) throw notKept()
  }
  if ((await damagedFiles({ ...backup, path: part })).length > 0) throw notKept()
  await finishFolder(part, name)
  return { damaged: stored?.damaged ?? 0 }
}

const notKept = () => new Error('the disk did not keep what was written')
