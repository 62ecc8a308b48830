import { resolve } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import type { Command } from 'commander'
import { OtherSecretError } from '../../features/auth/secret-fingerprint.ts'
import { systemKeyring } from '../../keyring/system.ts'
import { orNull } from '../../or-null.ts'
import { isCalled, ownerText, schoolOption } from '../../store/backup/database-owner.ts'
import { isEncrypted, withDecrypted } from '../../store/backup/encrypted.ts'
import { megabytes } from '../../store/backup/folder.ts'
import { BackupError, openBackup } from '../../store/backup/manifest.ts'
import { placeOf } from '../../store/backup/place.ts'
import { keyNameOfBackup } from '../../store/backup/plain.ts'
import {
  beginRestore,
  type KnownBackup,
  knownBackups,
  latestBackup,
  ownerHere,
  ownOf,
  type Plan,
  type Restored,
} from '../../store/backup/restore.ts'
import type { BackupLocation } from '../../store/backup/take.ts'
import { openerOf } from '../backup-key.ts'
import { confirm } from '../confirm.ts'
import { atConsole } from '../console.ts'
import { addCommand } from '../help.ts'
import { takeKey } from '../settings/database-key.ts'
import { configureWithoutSecret, lookAtConfig } from '../settings/environment.ts'
import { hasSecret } from '../settings/sealed-secret.ts'
import { counted, lasting, shortMoment } from '../words.ts'
import { printProgress } from './backup.ts'

type Options = {
  key?: string
  passphraseFile?: string
  latest?: boolean
  list?: boolean
  school?: string
  yes?: boolean
  withoutDamagedFiles?: boolean
}

export const restoreCommand = (program: Command) =>
  addCommand(program, 'restore', 'put a backup back; the server must be stopped', {
    about: `Says which backup it is and what is lost by it, and asks. The database as it is now is backed up
first, so a restore can be undone by another one. A damaged backup, one of a newer Markbook, one of
another school and what is no backup of Markbook are refused, and nothing is changed. Afterwards
everybody signs in again.`,
    examples: [
      'markbook restore --list',
      'markbook restore --latest',
      'markbook restore --latest --school "Hilltop"      where the backups of several schools lie together',
      'markbook restore /media/usb/2026-01-12T01-00-00Z-nightly',
      'markbook restore /media/usb/2026-01-12T01-00-00Z-manual.age --key school.key',
    ],
    exits: { 0: 'it is restored, or listed', 1: 'it was refused, or you said no: nothing was changed' },
  })
    .argument('[backup]', 'the folder of a backup, the database in it, or an encrypted backup')
    .option('--latest', 'the newest backup of BACKUP_DIR and BACKUP_COPY_DIR')
    .option('--list', 'list the backups and change nothing')
    .option('--school <name>', 'of this school, also where the database here is of another')
    .option('--key <file>', 'the private key that opens an encrypted backup; without it the passphrase is asked for')
    .option('--passphrase-file <file>', 'the passphrase that opens it is the first line of this file')
    .option('--yes', 'do not ask')
    .option('--without-damaged-files', 'go on although uploaded files in the backup are damaged')
    .action(restore)

async function restore(given: string | undefined, options: Options, command: Command) {
  const { latest, list, school } = options
  const chosen = [given, latest, list].filter(Boolean).length
  if (chosen !== 1) command.error('Say which backup: markbook restore --latest, or markbook restore <folder>.', { exitCode: 2 })
  if (list) return console.log(await listing(placeOf(lookAtConfig()), school))
  const config = configureWithoutSecret()
  const place = placeOf(config)
  const hasOne = config.sessionSecret !== null || hasSecret(config.dataDir)
  const path = given ? resolve(given) : (await latestBackup(place, school)).path
  if (!isEncrypted(path)) return restoreFrom(path, { place, hasOne, ...options })
  await withDecrypted(place, { file: path, opener: await openerOf(path, options), progress: printProgress() }, (folder) =>
    restoreFrom(folder, { place, hasOne, ...options, encrypted: path }),
  )
}

/**
 * `encrypted`: the file of which `path` is the plain form, which is removed afterwards. `hasOne`: there is a secret here, which the
 * first start of a new box made, or that of the server of before.
 */
async function restoreFrom(path: string, options: Options & { place: BackupLocation; hasOne: boolean; encrypted?: string }) {
  const { place, hasOne, latest, school, withoutDamagedFiles, encrypted } = options
  await takeKey(await keyNameIn(path), systemKeyring())
  const restoring = await beginRestore(place, path, school).catch(async (error) => {
    throw latest ? await withOthers(error, place, school) : error
  })
  try {
    console.log(description(restoring.plan, place, encrypted))
    const { damaged } = restoring.plan
    if (damaged.length > 0 && !withoutDamagedFiles)
      throw new BackupError('Uploaded files in this backup are damaged. To restore it without them, add --without-damaged-files.')
    await confirm('Restore it?', options)
    const restored = await restoring.carryOut(printProgress())
    console.log(outcome(restored, { dataDir: place.dataDir, secret: hasOne ? await secretHere() : 'none' }))
  } finally {
    await restoring.done()
  }
}

type SecretHere = 'none' | 'same' | 'other'

/** Whether the secret here is the one with which the server of the restored database worked. One of another version is not asked. */
const secretHere = (): Promise<SecretHere> =>
  atConsole(async () => 'same' as const).catch((error: unknown) => (error instanceof OtherSecretError ? 'other' : 'same'))

/** The name of the key of a backup; null where the backup cannot be read, which `restore` refuses later. */
const keyNameIn = async (path: string): Promise<string | null> => {
  const backup = orNull(() => openBackup(path))
  return backup && keyNameOfBackup(backup).catch(() => null)
}

async function listing(place: BackupLocation, school?: string): Promise<string> {
  const known = await knownBackups(place)
  if (known.length === 0) return 'There is no backup yet.'
  const mine = await ownerHere(place)
  const isWanted = ({ whose }: KnownBackup) => (school ? whose && isCalled(whose, school) : !mine || whose?.id === mine.id)
  const lines = known.filter(isWanted).map(({ at, whose, path }) => `${shortMoment(at)}  ${ownerText(whose)}  ${path}`)
  const others = known.filter((one) => !isWanted(one))
  for (const [id, whose] of new Map(others.map(({ whose }) => [whose?.id, whose]))) {
    const count = others.filter((one) => one.whose?.id === id).length
    const how = whose ? `: markbook restore --list ${schoolOption(whose)}` : ''
    lines.push(`There ${count === 1 ? 'is' : 'are'} also ${counted(count, 'backup')} of ${ownerText(whose)}${how}`)
  }
  return lines.join('\n')
}

/** The error, with the older backups listed where the newest is damaged. */
async function withOthers(error: unknown, place: BackupLocation, school?: string): Promise<unknown> {
  if (!(error instanceof BackupError) || !/damaged|no backup of/.test(error.message)) return error
  const others = (await ownOf(await knownBackups(place), place, school)).slice(-4, -1).reverse()
  if (others.length === 0) return error
  return new BackupError([error.message, 'Older ones:', ...others.map(({ path }) => `  markbook restore ${path}`)].join('\n'))
}

function description(plan: Plan, { dataDir, databaseUrl }: BackupLocation, encrypted?: string): string {
  const { backup, whose, age, grades, damaged, hasDatabase } = plan
  const { manifest, path } = backup
  const target = databaseUrl ? `the database of DATABASE_URL` : dataDir
  const lines = [
    `Backup:   ${encrypted ?? path}`,
    `School:   ${ownerText(whose)}`,
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

function outcome({ keptIn, warnings, files }: Restored, { dataDir, secret }: { dataDir: string; secret: SecretHere }): string {
  return [
    `Restored${files > 0 ? `, with ${counted(files, 'uploaded file')}` : ''}.`,
    ...(secret === 'same' ? [ANEW] : onNewMachine(dataDir, secret)),
    ...(keptIn ? [`The database as it was: ${keptIn}`] : []),
    ...warnings.map((warning) => `Warning: ${warning}`),
    `Done at ${shortMoment(systemClock.now())}. Start the server again.`,
  ].join('\n')
}

const ANEW =
  'Where this server has joined another, it begins anew there at its next meeting, is listed a second time, and gets back what it lost.'

const onNewMachine = (dataDir: string, secret: 'none' | 'other') => [
  `The secret of the server is in no backup, and ${secret === 'none' ? 'there is none' : 'another one'} in ${dataDir}. Where the data folder of before can be reached, copy the file`,
  'session-secret and the folder tls from it before the next start: other servers, laptops and devices then know this one, and',
  'authenticator apps go on working. Where they are gone, start without them. If this server had joined a centre, ask there for a new',
  'invitation and join again; each laptop that had joined this server does the same here.',
]
