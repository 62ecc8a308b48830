import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { editDistance } from '@markbook/shared/domain/edit-distance'
import { ConfigError, type SettingName, settingNames } from '../../config.ts'
import { codeOf } from '../../error-code.ts'

/** Secrets. Each can be given as the path of a file: `SMTP_URL_FILE=/run/secrets/smtp` (docs/design/server.md). */
const secretNames: readonly SettingName[] = [
  'SESSION_SECRET',
  'SMTP_URL',
  'DATABASE_URL',
  'REDIS_URL',
  'S3_SECRET_ACCESS_KEY',
  'METRICS_TOKEN',
  'SETUP_CODE',
]

type Environment = Readonly<Record<string, string | undefined>>
/** Where settings are looked for: the folder that the program runs in, the environment and the machine. */
export type SettingsLocation = { folder: string; environment: Environment; platform: NodeJS.Platform }
/** `sources`: where each given setting came from; `file`: the settings file that was read, null for none. */
export type SettingsRead = {
  settings: Partial<Record<SettingName, string>>
  sources: Partial<Record<SettingName, string>>
  file: string | null
  warnings: string[]
}

/** The settings file of the machine, which a service uses; read where the folder has none. */
export const machineFile = ({ environment, platform }: Omit<SettingsLocation, 'folder'>): string =>
  platform === 'win32' ? join(environment['ProgramData'] ?? 'C:\\ProgramData', 'Markbook', 'markbook.conf') : '/etc/markbook/markbook.conf'

/** The settings, the environment before the file. Throws `ConfigError` for a file that was named and cannot be read. */
export function gatherSettings(place: SettingsLocation): SettingsRead {
  const { path, warnings } = chooseFile(place)
  const file = path ? readSettings(path) : { settings: {}, warnings: [] }
  const gathered: SettingsRead = { settings: {}, sources: {}, file: path, warnings: [...warnings, ...file.warnings] }
  for (const name of settingNames) {
    const found = look(name, place.environment, 'the environment') ?? look(name, file.settings, path ?? '')
    if (!found) continue
    gathered.settings[name] = found.value
    gathered.sources[name] = found.source
  }
  return gathered
}

function chooseFile(place: SettingsLocation): { path: string | null; warnings: string[] } {
  const named = place.environment['MARKBOOK_CONFIG']
  if (named) {
    if (!existsSync(named)) throw new ConfigError(`The file of MARKBOOK_CONFIG (${named}) does not exist.`)
    return { path: named, warnings: [] }
  }
  const [first, second] = ['markbook.conf', '.env'].map((name) => join(place.folder, name)).filter((path) => existsSync(path))
  if (first) return { path: first, warnings: second ? [`${second} is not read, because ${first} is there.`] : [] }
  const machine = machineFile(place)
  return { path: existsSync(machine) ? machine : null, warnings: [] }
}

function look(name: SettingName, values: Environment, source: string): { value: string; source: string } | null {
  const path = secretNames.includes(name) ? values[`${name}_FILE`] : undefined
  if (values[name] && path) throw new ConfigError(`The settings ${name} and ${name}_FILE are both there: choose one.`)
  if (values[name]) return { value: values[name], source }
  if (!path) return null
  try {
    return { value: readFileSync(path, 'utf8').trim(), source: `${path}, named by ${source}` }
  } catch {
    throw new ConfigError(`The file of ${name}_FILE (${path}) cannot be read.`)
  }
}

const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/
const QUOTED = /^(["'])(.*)\1(?:\s+#.*)?$/

/** Reads `NAME=value` lines; `#` begins a comment. A line that cannot be read gives a warning, and is left out. */
export function readSettings(path: string): { settings: Record<string, string>; warnings: string[] } {
  const settings: Record<string, string> = {}
  const warnings: string[] = []
  for (const [at, text] of textOf(path).split(/\r?\n/).entries()) {
    const line = text.trim()
    if (line === '' || line.startsWith('#')) continue
    const where = `${path}, line ${at + 1}`
    const [, name, value = ''] = LINE.exec(line) ?? []
    if (!name) warnings.push(`${where}: this is not a setting; settings are written NAME=value.`)
    else if (!isKnown(name)) warnings.push(`${where}: there is no setting ${name}.${suggestion(name)}`)
    else {
      if (name in settings) warnings.push(`${where}: ${name} is there twice; this one counts.`)
      settings[name] = QUOTED.exec(value)?.[2] ?? value.replace(/(^|\s+)#.*$/, '')
    }
  }
  return { settings, warnings }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
    throw new ConfigError(`The settings in ${path} may not be read by this account. Use sudo, or name another file with MARKBOOK_CONFIG.`)
  }
}

const knownNames: readonly string[] = [...settingNames, ...secretNames.map((name) => `${name}_FILE`)]
const isKnown = (name: string) => knownNames.includes(name)

function suggestion(name: string): string {
  const near = knownNames
    .map((known) => ({ known, distance: editDistance(name.toUpperCase(), known) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return near && near.distance <= Math.max(2, name.length / 3) ? ` Did you mean ${near.known}?` : ''
}
