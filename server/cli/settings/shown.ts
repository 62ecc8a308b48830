import { readWithoutSecret, type SettingName, settingNames } from '../../config.ts'
import type { SettingsRead } from './settings-file.ts'

/** A setting without its secrets, for people to see. */
export type ShownSetting = { name: SettingName; value: string; source: string }

/** The value of a setting that was not given; in words where the value alone would not explain it. */
const defaults: Partial<Record<SettingName, (config: ReturnType<typeof readWithoutSecret>) => string>> = {
  PORT: ({ port }) => String(port),
  HOST: ({ host }) => host,
  DATA_DIR: ({ dataDir }) => dataDir,
  DATABASE_URL: () => '(none: a school node on SQLite)',
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  DEDICATED: ({ dedicated }) => String(dedicated),
  SETUP_CODE: () => '(made by the server: markbook code --setup)',
  OPEN_FOUNDING: () => 'false',
  OPEN_SIGN_UP: () => 'false',
  SMTP_URL: () => '(none: codes are printed on the console)',
  MAIL_FROM: ({ mailFrom }) => mailFrom,
  COOKIE_PREFIX: ({ cookiePrefix }) => cookiePrefix,
  PROJECT_REF: ({ projectRef }) => projectRef,
  SESSION_SECRET: () => '(made once, in DATA_DIR)',
  REDIS_URL: () => '(none: in memory)',
  S3_ENDPOINT: () => '(none: files are kept in DATA_DIR)',
  S3_REGION: ({ s3 }) => s3?.region ?? '(none)',
  S3_BUCKET_PREFIX: ({ s3 }) => s3?.bucketPrefix ?? '(none)',
  LAN: ({ lan }) => String(lan),
  INSECURE_LAN: () => 'false',
  TLS_CERT_FILE: ({ tls }) => (tls === 'authority' ? '(none: this school’s own authority)' : '(none)'),
  NODE_ENV: () => 'development',
  LOG_LEVEL: ({ logLevel }) => logLevel,
  BACKUPS: ({ backups }) => String(backups),
  BACKUP_DIR: ({ backupDir }) => backupDir,
  METRICS_TOKEN: () => '(none: figures for this machine alone)',
  WINDOW_SECRET: () => '(none: not started by the teachers’ program)',
}

/** Every setting with its value and source. Throws `ConfigError` where one is wrong, as a start does. */
export function showSettings({ settings, sources }: SettingsRead): ShownSetting[] {
  const config = readWithoutSecret(settings)
  return settingNames.map((name) => {
    const given = settings[name]
    if (given === undefined) return { name, value: defaults[name]?.(config) ?? '(none)', source: 'default' }
    return { name, value: hidden(name, given), source: sources[name] ?? 'default' }
  })
}

const SECRET = /SECRET|PASSWORD|TOKEN|ACCESS_KEY|SETUP_CODE/
const SECRET_PART = /pass|secret|token|key/i

/** Hides the password in an address; the rest stays, because it names the server. */
export function hidden(name: string, value: string): string {
  if (SECRET.test(name)) return '(hidden)'
  if (!URL.canParse(value) || !/^[a-z]+:\/\//i.test(value)) return value
  const url = new URL(value)
  if (url.password) url.password = '***'
  for (const part of url.searchParams.keys()) if (SECRET_PART.test(part)) url.searchParams.set(part, '***')
  return url.href === new URL(value).href ? value : url.href
}
