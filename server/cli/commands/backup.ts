import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { type Command, Option } from 'commander'
import type { Config } from '../../config.ts'
import { takeEncryptedBackup } from '../../store/backup/encrypted.ts'
import type { Progress } from '../../store/backup/engine.ts'
import { megabytes } from '../../store/backup/folder.ts'
import { type Backup, BackupError, type Reason, reasons } from '../../store/backup/manifest.ts'
import { placeOf } from '../../store/backup/place.ts'
import { rehearse } from '../../store/backup/rehearsal.ts'
import { type BackupLocation, takeBackup } from '../../store/backup/take.ts'
import { type LockOptions, lockOf, makeKey } from '../backup-key.ts'
import { addCommand } from '../help.ts'
import { configureExisting } from '../settings/environment.ts'
import { counted } from '../words.ts'

export const backupCommand = (program: Command) =>
  addCommand(program, 'backup', 'make a backup now and verify it; the server may go on working', {
    about: 'The server makes one by itself every hour and every night at 02:00.',
    examples: [
      'markbook backup                   into BACKUP_DIR, and to BACKUP_COPY_DIR where that is set',
      'markbook backup --to /media/usb   onto a USB disk, to take away',
      'markbook backup --make-key school.key                       a key for encrypted backups, once',
      'markbook backup --to /media/usb --encrypt-for age1…         one file that only the key opens',
      'markbook backup --to /media/usb --passphrase                one file that only the passphrase opens',
      'markbook backup --rehearse        put the newest back in a scratch place and check it; makes none',
    ],
    exits: {
      0: 'it is made and verified, also where the second folder was away (a warning says so)',
      1: 'there is none, or the newest did not come back whole, and one clear line says why',
    },
  })
    .option('--to <folder>', 'put it into this folder instead of the usual ones; nothing is removed there')
    .option('--encrypt-for <key>', 'with --to: for this public key, or those in this file, one a line')
    .option('--passphrase', 'with --to: for whoever knows a passphrase, which is asked for')
    .option('--passphrase-file <file>', 'the same with the first line of a file')
    .option('--make-key <file>', 'make a pair of keys: the private one into this file, the public one is printed')
    .option('--rehearse', 'make none: try whether the newest comes back whole, and remember what came of it')
    .addOption(new Option('--if-due').hideHelp())
    .addOption(new Option('--reason <reason>').choices(reasons).default('manual').hideHelp())
    .addOption(new Option('--data-dir <folder>').hideHelp())
    .action(backup)

type Options = LockOptions & { to?: string; makeKey?: string; reason: Reason; dataDir?: string; rehearse?: boolean; ifDue?: boolean }

async function backup({ to, makeKey: keyFile, reason, dataDir, rehearse: isTrial, ifDue, ...options }: Options) {
  if (keyFile !== undefined) return printKey(resolve(keyFile))
  const lock = await lockOf(options)
  if (lock && !to) throw new BackupError('Encrypted backups are taken away: say where to with --to. No backup was made.')
  const config = configureExisting(dataDir ? { DATA_DIR: dataDir } : {})
  if (isTrial) return console.log(await trial(placeOf(config), ifDue))
  const progress = printProgress()
  if (lock && to) {
    const { path, backup } = await takeEncryptedBackup(placeOf(config), { folder: resolve(to), lock, progress })
    console.log(`Backed up, encrypted and verified: ${path}\n  ${contentsInWords(backup)}`)
    return warn(onSameDisk(resolve(to), config))
  }
  const { backup, warnings } = await takeBackup(placeOf(config), { reason, ...(to && { to: resolve(to) }), progress })
  console.log(`Backed up and verified: ${backup.path}\n  ${contentsInWords(backup)}`)
  warn([...warnings, ...(to ? onSameDisk(backup.path, config) : [])])
}

const warn = (warnings: readonly string[]) => {
  for (const warning of warnings) console.error(`Warning: ${warning}`)
}

/** A warning where the backup is on the disk of the marks: if a USB disk is not plugged in, its folder is made on the server's own disk. */
function onSameDisk(path: string, { role, dataDir }: Config): string[] {
  if (role !== 'school' || statSync(path).dev !== statSync(dataDir).dev) return []
  return [`It is on the same disk as the marks, and dies with it. Is the USB disk plugged in?`]
}

async function printKey(path: string) {
  const recipient = await makeKey(path)
  console.log(`The private key is in ${path}. Whoever has it can read the backups, and without it nobody can:`)
  console.log('print it or copy it to two safe places, and take it away from this machine.')
  console.log(`The public key, for --encrypt-for:\n  ${recipient}`)
}

function contentsInWords({ manifest: { counts, size, files } }: Backup): string {
  const grades = counts['grade'] ?? counts['grading.grade'] ?? 0
  const uploads = files.length > 0 ? `, ${counted(files.length, 'uploaded file')}` : ''
  return `${counted(grades, 'mark')}${uploads}, ${megabytes(size)}`
}

async function trial(place: BackupLocation, ifDue: boolean | undefined): Promise<string> {
  const tried = await rehearse(place, { ifDue: ifDue ?? false })
  if (!tried) return 'The newest backup was rehearsed not long ago.'
  const { rehearsal, path } = tried
  if (rehearsal.flaw !== null) throw new BackupError(`The backup ${path} did not come back whole: ${rehearsal.flaw}`)
  return `Rehearsed: ${path} came back whole in a scratch place, which is removed again.`
}

/** Prints at most a line a second, after ten lines one in ten seconds, and nothing for work that is done within a second. */
export function printProgress(): Progress {
  let last = systemClock.now()
  let lines = 0
  return (what, done) => {
    const now = systemClock.now()
    if (now - last < (lines < 10 ? 1_000 : 10_000)) return
    last = now
    lines += 1
    console.log(done === undefined ? `${what} …` : `${what} … ${Math.floor(done * 100)} %`)
  }
}
