import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { toInstant } from '@markbook/shared/clock'
import { writeAtomically } from '../../atomic-write.ts'
import { refuseForeign, withCheckedDatabase } from './check.ts'
import { damagedFiles } from './files.ts'
import { needRoom, startFolder, sweepUnfinished, takeTurn } from './folder.ts'
import { type Backup, BackupError, backupsIn, folderOfDatabase, openBackup } from './manifest.ts'
import { newestOf } from './own.ts'
import { isDue, RECORD, type Rehearsal, rehearsalIn } from './rehearsal-record.ts'
import { type BackupLocation, engineOf } from './take.ts'

const SCRATCH = 'rehearsal'

/**
 * Puts the newest backup back in a scratch folder beside it, checks it there as a restore would, and remembers what came of it. The server
 * goes on working; other backups wait. Of several programs that share the folder one does it: `ifDue` answers null where that is not long
 * ago. Throws `BackupError` where there is no backup.
 */
export async function rehearse(place: BackupLocation, { ifDue = false } = {}): Promise<{ rehearsal: Rehearsal; path: string } | null> {
  const done = await takeTurn(place.backupDir)
  try {
    const { id } = await engineOf(place).whose()
    const own = folderOfDatabase(place.backupDir, id)
    const now = place.clock.now()
    const before = rehearsalIn(own)
    if (ifDue && !isDue(before, now, true)) return null
    const newest = newestOf(backupsIn(own), now)
    if (!newest) throw new BackupError('There is no backup yet that could be rehearsed.')
    const flaw = await flawOf(place, own, newest.path)
    const tried = { at: toInstant(now), backup: newest.name }
    const rehearsal = { ...tried, flaw, sound: flaw === null ? tried : (before?.sound ?? null) }
    writeAtomically(join(own, RECORD), `${JSON.stringify(rehearsal)}\n`)
    return { rehearsal, path: newest.path }
  } finally {
    done()
  }
}

/** Why a backup would not come back; null where it does. */
async function flawOf(place: BackupLocation, own: string, path: string): Promise<string | null> {
  sweepUnfinished(own)
  const scratch = startFolder(own, SCRATCH)
  try {
    await tryOut(place, openBackup(path), scratch)
    return null
  } catch (error) {
    return (error as Error).message.replace(/\s*Nothing was changed\.$/, '')
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function tryOut(place: BackupLocation, backup: Backup, scratch: string): Promise<void> {
  const engine = engineOf(place)
  const { manifest, path } = backup
  refuseForeign(backup, engine)
  if (!engine.streams) await needRoom(scratch, manifest.size)
  const { clock, newId } = place
  const options = { newId, now: clock.now(), takenAt: toInstant(Date.parse(manifest.created_at)), progress: () => {} }
  const counts = await withCheckedDatabase(backup, engine, join(scratch, 'copy'), (copy) => engine.rehearse(copy, scratch, options))
  const marks = 'grade'
  if (counts && counts[marks] !== manifest.counts[marks]) throw new BackupError(`The restored database of ${path} does not hold its marks.`)
  const [damaged, ...more] = await damagedFiles(backup)
  if (damaged) throw new BackupError(`${more.length + 1} of the files of ${path} are damaged (${damaged.path}).`)
}
