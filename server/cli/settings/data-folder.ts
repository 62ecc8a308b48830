import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { writeAtomically } from '../../atomic-write.ts'
import { ConfigError } from '../../config.ts'
import { orNull } from '../../or-null.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { lookAtFolder, shareOf, syncServiceOf } from '../doctor/folder.ts'
import { readSettings, type SettingsRead } from './settings-file.ts'

/**
 * Throws ConfigError where DATA_DIR is probably wrong: it names a folder that does not exist, or one without a database while the settings
 * file of this machine names a folder with one. Without DATA_DIR, `./data` is used and made.
 */
export function demandMeant({ settings, sources, file }: SettingsRead): void {
  const named = settings.DATA_DIR
  if (named === undefined || settings.DATABASE_URL) return
  const folder = resolve(named)
  const by = sources.DATA_DIR ?? 'the settings'
  if (hasDatabase(folder)) return
  const inFile = file === null ? undefined : readSettings(file).settings['DATA_DIR']
  if (inFile !== undefined && resolve(inFile) !== folder && hasDatabase(resolve(inFile)))
    throw new ConfigError(
      `DATA_DIR names ${folder} (${by}), where there is no database; ${file} names ${resolve(inFile)}, where there is one. Take DATA_DIR out of ${by}, or begin a new school in ${folder} on purpose: markbook start --new`,
    )
  if (existsSync(folder)) return
  throw new ConfigError(
    `DATA_DIR names ${folder} (${by}), which is not there. If the marks are elsewhere, or on a disk that is not plugged in, correct that; to begin a new school there: markbook start --new`,
  )
}

const hasDatabase = (folder: string) => existsSync(join(folder, DATABASE_FILE))

const ACCEPTED = 'folder-accepted'

/**
 * Throws ConfigError for a data folder that a cloud service copies, or on a network share: both damage a database. `isKnown`: the person
 * accepts that (`--i-know`). A note in the folder keeps the answer, so that a service or the window can start on it too.
 */
export function demandOwnDisk(dataDir: string, { central, isKnown }: { central: boolean; isKnown: boolean }): void {
  const found = lookAtFolder(dataDir, { central })
  const service = syncServiceOf(found)
  const share = central ? null : shareOf(found)
  if (!service && !share) return
  const note = join(dataDir, ACCEPTED)
  const what = service ?? share
  if (isKnown && existsSync(dataDir)) writeAtomically(note, `${found.path}\n${what}\n`)
  if (isKnown || orNull(() => readFileSync(note, 'utf8')) === `${found.path}\n${what}\n`) return
  const lies = service ? `is inside a folder of ${service}` : `is on a network share: ${share}`
  const harm = service
    ? 'Such a program copies and replaces the database while it is being written, which damages it, and carries the marks of children to others.'
    : 'A database on a share is damaged when the network is interrupted, or when two machines use it.'
  throw new ConfigError(
    [
      `The data folder ${found.path} ${lies}. ${harm}`,
      'Markbook has not started. Move the folder to a disk of this machine and name its new place in DATA_DIR; for a second copy of the backups there is BACKUP_COPY_DIR.',
      'To start there all the same, at your own risk: markbook start --i-know',
    ].join('\n'),
  )
}
