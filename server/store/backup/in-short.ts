import { toInstant } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../../config.ts'
import { readOwnerNote } from './database-owner.ts'
import { newestOwn } from './own.ts'
import { lastRehearsal } from './rehearsal-record.ts'

type Settings = Pick<Config, 'dataDir' | 'backupDir' | 'backups'>

/**
 * The backups of the database of a server, in short: names of files in its folder and one small file. `newest_at` and `proved_at` are null
 * where there is none that holds the school, which was founded at `since`, or where this instance of several knows of none.
 */
export async function backupsInShort({ dataDir, backupDir, backups }: Settings, now: number, since: string) {
  const id = readOwnerNote(dataDir)?.id
  const made = id ? await newestOwn(backupDir, id, now).catch(() => null) : null
  const newest = made && made.at >= Date.parse(since) ? made : null
  const last = id ? lastRehearsal(backupDir, id) : null
  const proved = last?.sound?.at ?? null
  return {
    scheduled: backups,
    newest_at: newest ? toInstant(newest.at) : null,
    proved_at: proved !== null && Date.parse(proved) >= Date.parse(since) ? proved : null,
    trial_failed: last !== null && last.flaw !== null,
    overdue: backups && made !== null && now - Math.max(made.at, Date.parse(since)) > limits.doctor.oldBackupMs,
  }
}
