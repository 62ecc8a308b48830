import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock, toInstant } from '@markbook/shared/clock'
import type { Config } from '../../config.ts'
import { OWNER_NOTE, ownerText, readOwnerNote } from '../../store/backup/database-owner.ts'
import { openBackup } from '../../store/backup/manifest.ts'
import { placeOf } from '../../store/backup/place.ts'
import { type KnownBackup, knownBackups, latestBackup } from '../../store/backup/restore.ts'
import { engineOf } from '../../store/backup/take.ts'
import { type QuickCheck, quickCheckOfSqlite } from '../../store/soundness/quick-check.ts'
import { LogGoneError } from '../../store/sqlite.file.ts'
import { DATABASE_FILE, LOCK_FILE, takeLock } from '../../store/sqlite.ts'
import { counted, lasting, shortMoment } from '../words.ts'
import { SEALED_SECRET } from './sealed-secret.ts'

type Settings = Omit<Config, 'sessionSecret'>

/**
 * Throws where a database was here and is missing or damaged. Opening it would make an empty one: after a disk failure people would find an
 * empty school and enter marks into it.
 */
export async function demandNothingLost(config: Settings): Promise<void> {
  const check = await quickCheckOf(config)
  if (check.state === 'there') return
  const found = await signsOf(config)
  if (found.length > 0) throw new Error(await page(config, check, found))
  if (check.state === 'damaged') throw check.error
}

const quickCheckOf = async (config: Settings): Promise<QuickCheck> => {
  if (config.role === 'school') return quickCheckOfSqlite(config.dataDir)
  return { state: (await engineOf(config).exists()) ? 'there' : 'empty' }
}

/** Files that show that there was a database here, as phrases for a message; none where there was none. */
export async function signsOf(config: Settings): Promise<string[]> {
  const { dataDir, role } = config
  const whose = readOwnerNote(dataDir)
  const isThere = (name: string) => existsSync(join(dataDir, name))
  return [
    ...(await backupsInWords(config)),
    ...(whose ? [`a note that the database of ${ownerText(whose)} belongs here (${OWNER_NOTE})`] : []),
    ...(role === 'school' && (isThere('session-secret') || isThere(SEALED_SECRET))
      ? ['the secret of a server that was here (session-secret)']
      : []),
    ...(role === 'school' && isThere(`${DATABASE_FILE}-wal`) ? [`the last changes of a database (${DATABASE_FILE}-wal)`] : []),
  ]
}

/** A phrase for each school with backups here, since several schools have no common newest backup. */
async function backupsInWords(config: Settings): Promise<string[]> {
  const bySchool = new Map<string, KnownBackup[]>()
  for (const backup of await knownBackups(placeOf(config))) {
    const name = ownerText(backup.whose)
    bySchool.set(name, [...(bySchool.get(name) ?? []), backup])
  }
  return [...bySchool].map(([name, backups]) => {
    const { at, path } = backups.at(-1) as KnownBackup
    const age = lasting(systemClock.now() - at)
    return `${counted(backups.length, 'backup')} of ${name}, the newest of ${shortMoment(at)} (${age} ago)${marksIn(path)}`
  })
}

function marksIn(path: string): string {
  try {
    const { counts } = openBackup(path).manifest
    return ` with ${counted(counts['grade'] ?? counts['grading.grade'] ?? 0, 'mark')}`
  } catch {
    return ', whose manifest is damaged'
  }
}

async function page(config: Settings, check: QuickCheck, found: readonly string[]): Promise<string> {
  const { dataDir, backupDir, backupCopyDir, role } = config
  const where = role === 'centre' ? 'of DATABASE_URL' : join(dataDir, DATABASE_FILE)
  const isLogGone = check.state === 'damaged' && check.error instanceof LogGoneError
  const state = {
    there: '',
    locked: `The database ${where} is encrypted, and its key is not in the keyring.`,
    missing: `The database ${where} is not there.`,
    empty: `The database ${where} is empty.`,
    damaged: isLogGone
      ? `The file ${where}-wal, with the newest marks, was deleted or moved.`
      : `The database ${where} is damaged${check.state === 'damaged' ? ` (${check.error.message})` : ''}.`,
  }[check.state]
  const kept = check.state === 'damaged' ? 'the damaged one is kept under another name' : 'backups stay where they are'
  const [command, does, short] = await wayBack(config)
  return [
    state,
    'Markbook has not started, so that nobody enters marks into an empty school while the real ones can be brought back.',
    '',
    'Found here:',
    ...found.map((line) => `  - ${line}`),
    '',
    `Is a disk not plugged in, or does DATA_DIR (${dataDir}) name the wrong folder? Then nothing is lost: correct that, and start again.`,
    ...(isLogGone
      ? [
          `Does a server still run on it? Stop it, and do not kill it: it saves the newest marks as it ends.`,
          `Else look for ${DATABASE_FILE}-wal, in the trash too, put it back, and start again: nothing is lost then.`,
          `Only where it is gone for good, delete ${where}-shm and start: what was entered last is then missing.`,
        ]
      : []),
    `Backups were looked for in ${[backupDir, backupCopyDir].filter(Boolean).join(' and ')}.`,
    '',
    'What to type (with sudo where the server is a service):',
    `  ${command.padEnd(30)}${does}`,
    `  ${'markbook start --new'.padEnd(30)}begins a new, empty school on purpose; ${kept}`,
    '',
    `In short: ${state.replace(/^The/, 'the').replace(/\.$/, '')}; ${isLogGone ? 'put back, it brings them back' : short}.`,
  ].join('\n')
}

/** How to get the marks back here: the command, what it does, and both in a short sentence. */
async function wayBack(config: Settings): Promise<[command: string, does: string, short: string]> {
  const place = placeOf(config)
  const known = await knownBackups(place)
  if (known.length === 0)
    return [
      'markbook restore <folder>',
      'puts a backup back that lies elsewhere, on a USB disk, say',
      'markbook restore brings back a backup that lies elsewhere',
    ]
  const latest = await latestBackup(place).catch(() => null)
  return latest
    ? [
        'markbook restore --latest',
        'puts the newest backup back; it says what it will do, and asks',
        'markbook restore --latest brings the marks back',
      ]
    : [
        'markbook restore --list',
        'lists them, and says how the one of this school is put back',
        'markbook restore --list shows what can be brought back',
      ]
}

/**
 * For a new start that the person asked for: renames a damaged or locked database, and the sealed secret of a locked one. Returns the new
 * path of the database; null where the database is sound, and nothing was renamed. Throws where the server is running.
 */
export function putDamagedAside({ dataDir, role }: Settings): string | null {
  const { state } = quickCheckOfSqlite(dataDir)
  if (role !== 'school' || (state !== 'damaged' && state !== 'locked')) return null
  const lock = takeLock(join(dataDir, LOCK_FILE))
  if (!lock) throw new Error(`The server is running on ${dataDir}. Stop it first. Nothing was changed.`)
  try {
    const aside = join(dataDir, `${state}-${toInstant(systemClock.now()).slice(0, 19).replaceAll(':', '-')}.sqlite`)
    for (const side of ['', '-wal', '-shm', '-journal'])
      if (existsSync(join(dataDir, DATABASE_FILE + side))) renameSync(join(dataDir, DATABASE_FILE + side), aside + side)
    const sealed = join(dataDir, SEALED_SECRET)
    if (state === 'locked' && existsSync(sealed)) renameSync(sealed, aside.replace(/sqlite$/, SEALED_SECRET))
    return aside
  } finally {
    lock.close()
  }
}
