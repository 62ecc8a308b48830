import { resolve } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { type Command, Option } from 'commander'
import type { Progress } from '../../store/backup/engine.ts'
import { megabytes } from '../../store/backup/folder.ts'
import { type Reason, reasons } from '../../store/backup/manifest.ts'
import { placeOf } from '../../store/backup/place.ts'
import { takeBackup } from '../../store/backup/take.ts'
import { addCommand } from '../help.ts'
import { configureExisting } from '../settings/environment.ts'
import { counted } from '../words.ts'

export const backupCommand = (program: Command) =>
  addCommand(program, 'backup', 'make a backup now and verify it; the server may go on working', {
    about: 'The server makes one by itself every hour and every night at 02:00.',
    examples: [
      'markbook backup                   into BACKUP_DIR, and to BACKUP_COPY_DIR where that is set',
      'markbook backup --to /media/usb   onto a USB disk, to take away',
    ],
    exits: {
      0: 'it is made and verified, also where the second folder was away (a warning says so)',
      1: 'there is none, and one clear line says why',
    },
  })
    .option('--to <folder>', 'put it into this folder instead of the usual ones; nothing is removed there')
    .addOption(new Option('--reason <reason>').choices(reasons).default('manual').hideHelp())
    .addOption(new Option('--data-dir <folder>').hideHelp())
    .action(backup)

async function backup({ to, reason, dataDir }: { to?: string; reason: Reason; dataDir?: string }) {
  const config = configureExisting(dataDir ? { DATA_DIR: dataDir } : {})
  const { backup, warnings } = await takeBackup(placeOf(config), { reason, ...(to && { to: resolve(to) }), progress: printProgress() })
  const { counts, size, files } = backup.manifest
  const grades = counts['grade'] ?? counts['grading.grade'] ?? 0
  const uploads = files.length > 0 ? `, ${counted(files.length, 'uploaded file')}` : ''
  console.log(`Backed up and verified: ${backup.path}\n  ${counted(grades, 'mark')}${uploads}, ${megabytes(size)}`)
  for (const warning of warnings) console.error(`Warning: ${warning}`)
}

/** A line a second at most, and none for what is quick. */
export function printProgress(): Progress {
  let last = systemClock.now()
  return (what, done) => {
    const now = systemClock.now()
    if (now - last < 1_000) return
    last = now
    console.log(done === undefined ? `${what} …` : `${what} … ${Math.floor(done * 100)} %`)
  }
}
