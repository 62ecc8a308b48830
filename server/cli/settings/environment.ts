import { accessSync, constants, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, ConfigError, readConfig, readWithoutSecret } from '../../config.ts'
import { isReadOnly } from '../../disk-state.ts'
import { codeOf } from '../../error-code.ts'
import { systemKeyring } from '../../keyring/system.ts'
import { makeFolder } from '../../make-folder.ts'
import { orNull } from '../../or-null.ts'
import { readWipeNote } from '../../replication/identity/wipe-note.ts'
import { finishErasing } from '../../replication/upstream/erase.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { demandMeant, demandOwnDisk } from './data-folder.ts'
import { demandNothingLost, putDamagedAside } from './database-gone.ts'
import { demandUnlocked, settleEncryption, unlock } from './database-key.ts'
import { becomeOwner, handOverAtExit } from './owner.ts'
import { sealedSecret, settleSecret } from './sealed-secret.ts'
import { gatherSettings, type SettingsRead } from './settings-file.ts'

type Settings = Record<string, string>

/**
 * The settings of this machine: the environment, before a settings file (docs/design/server.md). Prints warnings on standard error unless
 * `quiet`.
 */
export function gather({ quiet = false }: { quiet?: boolean } = {}): SettingsRead {
  const gathered = gatherSettings({ folder: process.cwd(), environment: process.env, platform: process.platform })
  if (!quiet) for (const warning of gathered.warnings) console.error(`Warning: ${warning}`)
  return gathered
}

/** The configuration of this machine; the settings `more` have precedence. */
function configure(more: Settings = {}): Config {
  const { settings, config } = toWorkWith(more)
  return readConfig({ SESSION_SECRET: sealedSecret(config.dataDir), ...settings })
}

/** The same for commands that make no database. It does not make the server's secret either, which is null where no setting has it. */
export const configureWithoutSecret = (more: Settings = {}) => toWorkWith(more).config

function toWorkWith(more: Settings) {
  const settings = { ...gather().settings, ...more }
  const config = readWithoutSecret(settings)
  const { dataDir } = config
  if (readWipeNote(dataDir)?.isErased === false)
    throw new ConfigError(`${dataDir} is being erased, as the school of this laptop asked. markbook start does it.`)
  handOverAtExit(config)
  return { settings, config }
}

/** The same for commands that need a database: throws where the folder has none, and makes nothing. */
export function configureExisting(more: Settings = {}): Config {
  const config = readWithoutSecret({ ...gather({ quiet: true }).settings, ...more })
  if (config.role === 'school') demandReadable(config.dataDir)
  demandWritable(config)
  return configure(more)
}

function demandReadable(dataDir: string): void {
  try {
    accessSync(join(dataDir, DATABASE_FILE), constants.R_OK)
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new ConfigError(`There is no database in ${dataDir}. Start the server once, or set DATA_DIR to its folder.`)
    throw new ConfigError(`This account may not read the database in ${dataDir}. Use sudo, or run this as the account of the server.`)
  }
}

/** SQLite cannot open a database on a read-only disk, and its error looks like damage. */
function demandWritable({ role, dataDir }: Pick<Config, 'role' | 'dataDir'>): void {
  if (role !== 'school' || !isReadOnly(dataDir)) return
  throw new ConfigError(
    `The disk of ${dataDir} can only be read. The marks are on it as they were. A disk that begins to fail is often made so by the system: copy that folder to another disk, start the machine again, and have the disk looked at.`,
  )
}

/** For commands that fill a database, and make it where there is none. `isLaptop`: the database of a laptop. */
export async function configureToFill({ isLaptop = false }: { isLaptop?: boolean } = {}): Promise<Config> {
  const { config } = toWorkWith({})
  demandWritable(config)
  await demandUnlocked(config, systemKeyring())
  await demandNothingLost(config)
  if (isLaptop && !existsSync(join(config.dataDir, DATABASE_FILE))) {
    await settleEncryption(config, { keyring: systemKeyring(), isLaptop })
    if (config.sessionSecret === null) await settleSecret(config.dataDir, systemKeyring())
  }
  return configure()
}

/** For the command that only prepares a database. */
export async function configureToMigrate(): Promise<Config> {
  demandMeant(gather({ quiet: true }))
  return configureToFill()
}

/** The options `--new` and `--i-know` of a start. */
type StartChoices = { anew: boolean; isKnown: boolean }

/**
 * The configuration for a server. Changes to the account that the data folder belongs to, and first erases a laptop that its school asked
 * to erase.
 */
export async function configureServer(more: Settings, { anew, isKnown }: StartChoices): Promise<Config> {
  const keyring = systemKeyring()
  const gathered = gather()
  const settings = { ...gathered.settings, ...more }
  becomeOwner(resolve(settings.DATA_DIR ?? './data'))
  const config = readWithoutSecret(settings)
  demandWritable(config)
  await finishErasing(config, keyring.remove)
  if (!anew) demandMeant(gathered)
  else makeFolder(config.dataDir, 0o700)
  demandOwnDisk(config.dataDir, { central: config.role === 'centre', isKnown })
  await demandUnlocked(config, keyring, { anew })
  if (!anew) await demandNothingLost(config)
  const aside = anew && putDamagedAside(config)
  if (aside) console.error(`The database that cannot be used was kept: ${aside}`)
  await settleEncryption(config, { keyring })
  if (config.role === 'school' && config.sessionSecret === null && existsSync(config.dataDir)) await settleSecret(config.dataDir, keyring)
  return readConfig({ SESSION_SECRET: sealedSecret(config.dataDir), ...settings })
}

/** The configuration for commands that only look; makes nothing. */
export const lookAtConfig = () => readWithoutSecret(gather().settings)

/**
 * Reads the key of an encrypted database from the keyring, for every command but a start. Ignores wrong settings, which the command itself
 * reports.
 */
export async function unlockForCommand(dataDir: string | undefined): Promise<void> {
  const config = orNull(() => readWithoutSecret({ ...gather({ quiet: true }).settings, ...(dataDir && { DATA_DIR: dataDir }) }))
  if (config?.role === 'school' && existsSync(config.dataDir)) await unlock(config.dataDir, systemKeyring()).catch(() => null)
}
