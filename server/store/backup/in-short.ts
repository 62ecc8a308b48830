import { toInstant } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../../config.ts'
import { readOwnerNote } from './database-owner.ts'
import { newestOwn } from './own.ts'
import { lastRehearsal } from './rehearsal-record.ts'

type Settings = Pick<Config, 'dataDir' | 'backupDir' | 'backups'>

/**
 * The backups of the database of a server, in short: names of files in its folder and one small file. `newest_at` and `proved_at` are null
 * where there is none, or where this instance of several knows of none.
 */
export async function backupsInShort({ dataDir, backupDir, backups }: Settings, now: number) {
  const id = readOwnerNote(dataDir)?.id
  const newest = id ? await newestOwn(backupDir, id, now).catch(() => null) : null
  const last = id ? lastRehearsal(backupDir, id) : null
  return {
    scheduled: backups,
    newest_at: newest ? toInstant(newest.at) : null,
    proved_at: last?.sound?.at ?? null,
    trial_failed: last !== null && last.flaw !== null,
    overdue: backups && newest !== null && now - newest.at > limits.doctor.oldBackupMs,
  }
}
