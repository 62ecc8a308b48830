import { existsSync, readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import { isReadOnly } from '../../disk-state.ts'
import { checkBackup } from '../../store/backup/check.ts'
import { REMEMBERED } from '../../store/backup/copy.ts'
import { backupsIn, folderOfDatabase, openBackup } from '../../store/backup/manifest.ts'
import { lastRehearsal } from '../../store/backup/rehearsal-record.ts'
import { newestHere } from '../../store/backup/restore.ts'
import { type BackupLocation, engineOf } from '../../store/backup/take.ts'
import { counted, lasting, moment } from '../words.ts'
import { type Finding, type FixName, findings, fine, notice, problem, type Trouble } from './finding.ts'

/**
 * The backups of this server's database. `school`: the name of the school that they are of, null where there is none yet. `at` in ms since
 * 1970; `isRead`: the backup was read whole; `flaw`: what is wrong with it, null where it is sound or was not read. `newestMark`: the time
 * of the last write, null where unknown. `failed`: how many scheduled backups failed since the server started, null where no server runs.
 */
export type Backups = {
  now: number
  school: string | null
  folder: string
  scheduled: boolean
  hasDatabase: boolean
  newest: { at: number; path: string; isRead: boolean; flaw: string | null } | null
  newestMark: number | null
  failed: number | null
  /** Trial restores: when the last one succeeded, what was wrong with the last one of all, and the age of the oldest backup. */
  rehearsed: { soundAt: number | null; flaw: string | null; oldestAt: number | null }
  copies: { folder: string; state: 'there' | 'same disk' | 'read-only' | 'shut' | 'away' | 'missing'; newestAt: number | null } | null
}

const { oldBackupMs, staleBackupMs } = limits.doctor
const TAKE: Pick<Trouble, 'do' | 'fix'> = { do: 'Make one now: markbook backup', fix: 'backup' }

export function checkBackups(found: Backups): Finding[] {
  if (!found.hasDatabase) return []
  const { newest, failed, scheduled } = found
  const all = findings(
    age(found),
    newest?.flaw &&
      problem('backups', {
        what: `The newest backup${of(found)} cannot be trusted: ${newest.flaw.replace(/\s*Nothing was changed\.?$/, '').replace(/[.:]$/, '')}.`,
        means: 'It could not bring the marks back; older ones may still.',
        do: 'Make one now with markbook backup, and have the disk looked at: it changed what was written.',
        fix: 'backup',
      }),
    failed &&
      problem('backups', {
        what: `${counted(failed, 'scheduled backup')} failed since the server was started.`,
        means: 'The marks may be in fewer places than you think.',
        do: 'Make one now with markbook backup: it says why it cannot.',
        fix: 'backup',
      }),
    !scheduled &&
      notice('backups', {
        what: 'Backups are switched off on this server (BACKUPS=false).',
        means: 'Only what somebody backs up by hand can be brought back.',
        do: 'Take BACKUPS out of the settings, unless another instance makes them.',
      }),
    rehearsals(found),
    copies(found),
  )
  return all.length > 0 || !newest
    ? all
    : fine(
        'backups',
        `The newest backup${of(found)} is of ${moment(newest.at)}; it was ${newest.isRead ? 'read whole and is sound' : 'not read'}.`,
      )
}

const of = ({ school }: Pick<Backups, 'school'>) => (school ? ` of ${school}` : '')

/** The age counts only where something was written after the backup, so that none is reported over the holidays. */
function age({ now, newest, newestMark, folder, school }: Backups): Finding[] {
  if (!newest)
    return problem('backups', {
      what: `There is no backup${of({ school })} in ${folder}.`,
      means: 'If this disk dies, every mark is lost.',
      ...TAKE,
    })
  if (newest.at > now + limits.doctor.clockFarMs)
    return problem('backups', {
      what: `The newest backup${of({ school })} says that it was made at ${moment(newest.at)}, which is still to come.`,
      means: 'The clock is or was wrong, and what is restored as the latest may not be the latest.',
      do: 'Set the clock, then make a backup: markbook backup',
    })
  const isCovered = newestMark !== null && newestMark <= newest.at
  const old = now - newest.at
  if (isCovered || old <= staleBackupMs) return []
  const trouble = {
    what: `The newest backup${of({ school })} is ${lasting(old)} old.`,
    means: 'If this disk dies, what was entered since then is lost.',
    ...TAKE,
  }
  return old > oldBackupMs ? problem('backups', trouble) : notice('backups', trouble)
}

/** A server younger than the interval of trial restores cannot have made one. */
function rehearsals({ now, newest, school, scheduled, rehearsed: { soundAt, flaw, oldestAt } }: Backups): Finding[] {
  if (!newest) return []
  if (flaw)
    return problem('backups', {
      what: `The last backup${of({ school })} that was put back for trial did not come back whole: ${flaw.replace(/[.:]$/, '')}.`,
      means: soundAt === null ? 'No backup has been proved to bring the marks back.' : `The last that did is of ${moment(soundAt)}.`,
      do: 'Make one with markbook backup, then try it: markbook backup --rehearse',
      fix: 'backup',
    })
  const since = soundAt ?? oldestAt
  if (!scheduled || since === null || now - since <= limits.doctor.oldRehearsalMs) return []
  return notice('backups', {
    what: `No backup${of({ school })} was put back for trial ${soundAt === null ? 'yet' : `since ${moment(soundAt)}`}.`,
    means: 'Nobody knows for certain that the marks would come back.',
    do: 'Try the newest: markbook backup --rehearse. The server does it every week when it runs at night, or within a day after.',
  })
}

function copies({ copies, newest, school }: Backups): Finding[] {
  const tell = (teller: typeof problem, what: string, advice: string, fix?: FixName) =>
    teller('backups', { what, means: 'All backups die with the disk of this server.', do: advice, ...(fix && { fix }) })
  if (!copies) return tell(notice, 'Backups go to no second disk.', 'Plug in a USB disk and name a folder on it in BACKUP_COPY_DIR.')
  const { folder, state, newestAt } = copies
  const second = `The second folder for backups, ${folder}, is`
  if (state === 'away')
    return tell(problem, `The disk of the second folder for backups, ${folder}, is away.`, 'Plug it in, then: markbook backup')
  if (state === 'missing')
    return tell(problem, `${second} not there.`, 'Plug in its disk, or make the folder, then: markbook backup', 'copy-folder')
  if (state === 'same disk')
    return tell(notice, `${second} on the same disk as the first.`, 'Name a folder on another disk in BACKUP_COPY_DIR.')
  if (state === 'read-only')
    return tell(
      problem,
      `The disk of the second folder for backups, ${folder}, can only be read.`,
      'Look for a switch on the stick. A system makes a disk so when it begins to fail: use another, then: markbook backup',
    )
  if (state === 'shut')
    return tell(
      problem,
      `The server may not write to ${folder}, the second folder for backups: only this command, as root, copies to it.`,
      'sudo markbook backup gives the server its folder there. On a disk without owners (FAT), mount it with uid= of the account of the server.',
      'backup',
    )
  if (!newest || (newestAt !== null && newest.at - newestAt <= oldBackupMs)) return []
  return problem('backups', {
    what:
      newestAt === null
        ? `There is no copy of a backup${of({ school })} in ${folder}; the newest backup is of ${moment(newest.at)}.`
        : `The newest copy${of({ school })} in ${folder} is of ${moment(newestAt)}, the newest backup of ${moment(newest.at)}.`,
    means:
      newestAt === null
        ? 'All backups die with the disk of this server.'
        : 'If the disk of the server dies, what was entered in between is lost.',
    do: 'Make a backup now with markbook backup: it copies it there, or says why it cannot.',
    fix: 'backup',
  })
}

type BackupState = Pick<Backups, 'scheduled' | 'hasDatabase' | 'newestMark' | 'failed'>

/** Looks at the newest backup, and reads it whole unless `quick`, as a restore would. */
export async function lookAtBackups(place: BackupLocation, known: BackupState, { quick }: { quick: boolean }): Promise<Backups> {
  const { whose, backup, copy } = await newestHere(place)
  const newest = backup && { at: backup.at, path: backup.path, isRead: !quick, flaw: quick ? null : await flawOf(backup.path, place) }
  const school = whose?.school ?? null
  const now = place.clock.now()
  const rehearsed = rehearsedOf(place, whose?.id ?? null)
  return { ...known, now, school, folder: place.backupDir, newest, rehearsed, copies: copiesOf(place, copy?.at ?? null, whose?.id ?? null) }
}

function rehearsedOf({ backupDir }: BackupLocation, id: string | null): Backups['rehearsed'] {
  const last = id === null ? null : lastRehearsal(backupDir, id)
  const [oldest] = id === null ? [] : backupsIn(folderOfDatabase(backupDir, id))
  return { soundAt: last?.sound ? Date.parse(last.sound.at) : null, flaw: last?.flaw ?? null, oldestAt: oldest?.at ?? null }
}

async function flawOf(path: string, place: BackupLocation): Promise<string | null> {
  try {
    const damaged = await checkBackup(openBackup(path), engineOf(place))
    return damaged[0] ? `${damaged.length} of its files are damaged (${damaged[0].path})` : null
  } catch (error) {
    return (error as Error).message
  }
}

function copiesOf({ copyDir, backupDir, dataDir }: BackupLocation, newestAt: number | null, id: string | null): Backups['copies'] {
  if (!copyDir) return null
  const found = { folder: copyDir, newestAt }
  const note = join(backupDir, REMEMBERED)
  const wasElsewhere = existsSync(note) && readFileSync(note, 'utf8') === copyDir
  const there = statSync(copyDir, { throwIfNoEntry: false })
  if (!there?.isDirectory()) return { ...found, state: wasElsewhere ? 'away' : 'missing' }
  const here = statSync(backupDir, { throwIfNoEntry: false })
  if (here && here.dev === there.dev) return { ...found, state: wasElsewhere ? 'away' : 'same disk' }
  if (isReadOnly(copyDir)) return { ...found, state: 'read-only' }
  const own = id === null ? undefined : statSync(folderOfDatabase(copyDir, id), { throwIfNoEntry: false })
  return { ...found, state: mayWrite(statSync(dataDir, { throwIfNoEntry: false }), own ?? there) ? 'there' : 'shut' }
}

/** Whether the account to which the data belongs may write to a folder. Windows has other rights, and no numbers of accounts. */
function mayWrite(data: Stats | undefined, folder: Stats): boolean {
  if (process.platform === 'win32' || !data || data.uid === 0) return true
  const [own, group, others] = [0o200, 0o020, 0o002]
  const bit = folder.uid === data.uid ? own : folder.gid === data.gid ? group : others
  return (folder.mode & bit) !== 0
}
