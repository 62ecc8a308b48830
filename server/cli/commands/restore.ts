import { resolve } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import type { Command } from 'commander'
import { megabytes } from '../../store/backup/folder.ts'
import { BackupError } from '../../store/backup/manifest.ts'
import { placeOf } from '../../store/backup/place.ts'
import { beginRestore, knownBackups, latestBackup, type Plan, type Restored } from '../../store/backup/restore.ts'
import type { BackupLocation } from '../../store/backup/take.ts'
import { confirm } from '../confirm.ts'
import { addCommand } from '../help.ts'
import { configure, lookAtConfig } from '../settings/environment.ts'
import { counted, lasting, shortMoment } from '../words.ts'
import { printProgress } from './backup.ts'

type Options = { latest?: boolean; list?: boolean; yes?: boolean; withoutDamagedFiles?: boolean }

export const restoreCommand = (program: Command) =>
  addCommand(program, 'restore', 'put a backup back; the server must be stopped', {
    about: `Says which backup it is and what is lost by it, and asks. The database as it is now is backed up
first, so a restore can be undone by another one. A damaged backup, one of a newer Markbook and
what is no backup of Markbook are refused, and nothing is changed. Afterwards everybody signs in again.`,
    examples: ['markbook restore --list', 'markbook restore --latest', 'markbook restore /media/usb/2026-01-12T01-00-00Z-nightly'],
    exits: { 0: 'it is restored, or listed', 1: 'it was refused, or you said no: nothing was changed' },
  })
    .argument('[backup]', 'the folder of a backup, or the database in it')
    .option('--latest', 'the newest backup of BACKUP_DIR and BACKUP_COPY_DIR')
    .option('--list', 'list the backups and change nothing')
    .option('--yes', 'do not ask')
    .option('--without-damaged-files', 'go on although uploaded files in the backup are damaged')
    .action(restore)

async function restore(given: string | undefined, options: Options, command: Command) {
  const { latest, list, withoutDamagedFiles } = options
  const chosen = [given, latest, list].filter(Boolean).length
  if (chosen !== 1) command.error('Say which backup: markbook restore --latest, or markbook restore <folder>.', { exitCode: 2 })
  if (list) return console.log(listing(placeOf(lookAtConfig())))
  const place = placeOf(configure())
  const restoring = await beginRestore(place, given ? resolve(given) : latestBackup(place).path).catch((error) => {
    throw latest ? withOthers(error, place) : error
  })
  try {
    console.log(description(restoring.plan, place))
    const { damaged } = restoring.plan
    if (damaged.length > 0 && !withoutDamagedFiles)
      throw new BackupError('Uploaded files in this backup are damaged. To restore it without them, add --without-damaged-files.')
    await confirm('Restore it?', options)
    console.log(outcome(await restoring.carryOut(printProgress())))
  } finally {
    await restoring.done()
  }
}

const listing = (place: BackupLocation) => {
  const known = knownBackups(place)
  if (known.length === 0) return 'There is no backup yet.'
  return known.map(({ at, path }) => `${shortMoment(at)}  ${path}`).join('\n')
}

/** The newest is damaged: the ones before it are the way on. */
function withOthers(error: unknown, place: BackupLocation): unknown {
  const others = knownBackups(place).slice(-4, -1).reverse()
  if (!(error instanceof BackupError) || !/damaged|no backup of/.test(error.message) || others.length === 0) return error
  return new BackupError([error.message, 'Older ones:', ...others.map(({ path }) => `  markbook restore ${path}`)].join('\n'))
}

function description({ backup, age, grades, damaged, hasDatabase }: Plan, { dataDir, databaseUrl }: BackupLocation): string {
  const { manifest, path } = backup
  const target = databaseUrl ? `the database of DATABASE_URL` : dataDir
  const lines = [
    `Backup:   ${path}`,
    `Made:     ${shortMoment(Date.parse(manifest.created_at))} (${ageInWords(age)}), ${manifest.reason}, ${megabytes(manifest.size)}`,
    `Marks:    ${comparison(grades)}`,
    `Into:     ${target}`,
  ]
  if (manifest.files.length > 0) lines.push(`Files:    ${counted(manifest.files.length, 'uploaded file')}; newer ones stay`)
  for (const file of damaged.slice(0, 10)) lines.push(`Damaged:  ${file.path}`)
  if (hasDatabase)
    lines.push(
      'The database as it is now is backed up first. What was entered since that backup is then in there, and where this server has joined',
      'another, or others have joined it, it comes back from them as far as it had gone there.',
    )
  lines.push('Everybody has to sign in again afterwards.')
  return lines.join('\n')
}

const comparison = ({ inBackup, now }: Plan['grades']) => {
  const there = counted(inBackup, 'mark')
  if (now === null) return `${there}; there is no database now that could be read`
  if (now === inBackup) return `${there}, as many as now`
  return `${there}; the database now has ${now.toLocaleString('en-GB')} (${Math.abs(now - inBackup).toLocaleString('en-GB')} ${now > inBackup ? 'more' : 'fewer'})`
}

const ageInWords = (ms: number) => (ms < 0 ? 'later than now: the clock of this machine is or was wrong' : `${lasting(ms)} old`)

function outcome({ keptIn, warnings, files }: Restored): string {
  return [
    `Restored${files > 0 ? `, with ${counted(files, 'uploaded file')}` : ''}.`,
    'Where this server has joined another, it begins anew there at its next meeting, is listed a second time, and gets back what it lost.',
    ...(keptIn ? [`The database as it was: ${keptIn}`] : []),
    ...warnings.map((warning) => `Warning: ${warning}`),
    `Done at ${shortMoment(systemClock.now())}. Start the server again.`,
  ].join('\n')
}
