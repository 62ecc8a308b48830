import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, ConfigError, readConfig, readWithoutSecret } from '../../config.ts'
import { readWipeNote } from '../../replication/identity/wipe-note.ts'
import { finishErasing } from '../../replication/upstream/erase.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { becomeOwner, handOverAtExit } from './owner.ts'
import { type Gathered, gatherSettings } from './settings-file.ts'

type Settings = Record<string, string>

/** What was said about this machine: the environment, over a file (docs/design/server.md). Warnings go to standard error. */
export function gather({ quiet = false }: { quiet?: boolean } = {}): Gathered {
  const gathered = gatherSettings({ folder: process.cwd(), environment: process.env, platform: process.platform })
  if (!quiet) for (const warning of gathered.warnings) console.error(`Warning: ${warning}`)
  return gathered
}

/** The configuration of this machine; `more` wins over all. */
export function configure(more: Settings = {}): Config {
  const settings = { ...gather().settings, ...more }
  const { dataDir, backupDir } = readWithoutSecret(settings)
  if (readWipeNote(dataDir)?.isErased === false)
    throw new ConfigError(`${dataDir} is being erased, as the school of this laptop asked. markbook start does it.`)
  handOverAtExit([dataDir, backupDir])
  return readConfig(settings)
}

/** The same for a command that works on what is there: in a folder without a database it refuses, and makes nothing. */
export function configureExisting(more: Settings = {}): Config {
  const { role, dataDir } = readWithoutSecret({ ...gather({ quiet: true }).settings, ...more })
  if (role === 'school' && !existsSync(join(dataDir, DATABASE_FILE)))
    throw new ConfigError(`There is no database in ${dataDir}. Start the server once, or set DATA_DIR to its folder.`)
  return configure(more)
}

/** The configuration for a server: it works as the owner of its folder. A laptop that is to be erased is erased before. */
export async function configureServer(more: Settings = {}): Promise<Config> {
  const settings = { ...gather().settings, ...more }
  becomeOwner(resolve(settings.DATA_DIR ?? './data'))
  await finishErasing(readWithoutSecret(settings))
  return readConfig(settings)
}

/** The configuration for those who only look: nothing is made. */
export const lookAtConfig = () => readWithoutSecret(gather().settings)
