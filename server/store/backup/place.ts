import { randomBytes } from 'node:crypto'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import type { Config } from '../../config.ts'
import { type DatabaseOwner, writeOwnerNote } from './database-owner.ts'
import { type BackupLocation, engineOf, takeBackup } from './take.ts'

type Settings = Pick<Config, 'dataDir' | 'databaseUrl' | 'backupDir' | 'backupCopyDir' | 'backups'>

/** What a configuration backs up, and where to. */
export const placeOf = ({ dataDir, databaseUrl, backupDir, backupCopyDir }: Settings): BackupLocation => ({
  dataDir,
  databaseUrl,
  backupDir,
  copyDir: backupCopyDir,
  clock: systemClock,
  newId: idSource(systemClock.now, (size) => randomBytes(size)),
})

/** Whose database a server serves. Said in its folder, for the day on which the database is gone or damaged. */
export async function rememberOwner(settings: Settings): Promise<DatabaseOwner> {
  const whose = await engineOf(settings).whose()
  writeOwnerNote(settings.dataDir, whose)
  return whose
}

/** The backup that a migration waits for; where it cannot be made, the database stays as it is. */
export async function backUpBeforeMigration(settings: Settings): Promise<void> {
  if (!settings.backups) return
  const { backup, warnings } = await takeBackup(placeOf(settings), { reason: 'migration' }).catch((error: Error & { code?: string }) => {
    if (error.code !== undefined) throw error
    throw new Error(
      `Markbook has not started: this version changes the database, and makes a backup first. ${error.message} The database is as it was. Once a backup can be made (on a full disk: make room, or set BACKUP_DIR to a larger one), start again.`,
    )
  })
  for (const warning of warnings) console.error(`Warning: ${warning}`)
  console.log(`The database gets a new version; it was backed up first, in ${backup.path}`)
}
