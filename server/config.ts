import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { visibleText } from '@markbook/shared/domain/visible-text'
import { limits } from '@markbook/shared/limits'
import type { NodeRole } from '@markbook/shared/tables/node'
import { z } from 'zod'
import { makeFolder } from './make-folder.ts'
import { addressesAt, hostIn, isNetwork, LOCAL, type Machine, thisMachine, urlOf } from './network/addresses.ts'

/** Where a central node keeps its files (decisions §7). The name of every bucket begins with `bucketPrefix`. */
export type S3Settings = { endpoint: string; region: string; accessKeyId: string; secretAccessKey: string; bucketPrefix: string }

/** What the environment says (decisions §7), read in this file alone. */
export type Config = ReturnType<typeof readConfig>
/** How connections are secured: not at all, by the school's own authority, or with a certificate of the operator's. */
type Tls = 'none' | 'authority' | { certFile: string; keyFile: string }

/** A setting that is wrong: the start ends with this one line. */
export class ConfigError extends Error {}

const flag = z.enum(['true', 'false', '1', '0'], { error: 'must be true or false' }).transform((value) => value === 'true' || value === '1')
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
)
const url = (schemes: readonly string[]) =>
  z
    .string()
    .refine(
      (value) => URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1)),
      `must be an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    )
const NO_PROXIES = `must be addresses or networks of proxies, such as 10.0.0.2 or 10.0.0.0/8, or ${LOCAL} for this machine`
const NO_HOSTS = 'must be names or addresses, such as marks.school.example or *.school.example'
/** As requests are compared with it; null where it is no host, or has a star elsewhere than in the place of its first label. */
const allowedHost = (host: string) => (/^(\*\.)?[^*]+$/.test(host) ? hostIn(isIP(host) === 6 ? `[${host}]` : host) : null)
const cookieWord = z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, 'must be letters, digits, - or _')

const Environment = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a port number')
    .default(3000),
  HOST: z.string().optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: url(['postgres', 'postgresql']).optional(),
  PUBLIC_URL: url(['http', 'https']).optional(),
  DEDICATED: flag.optional(),
  SETUP_CODE: z.string().min(12, 'must have at least 12 characters').max(limits.text.name, 'is too long').optional(),
  OPEN_FOUNDING: flag.default(false),
  OPEN_SIGN_UP: flag.default(false),
  SMTP_URL: url(['smtp', 'smtps']).optional(),
  MAIL_FROM: z.string().default('Markbook <markbook@localhost>'),
  COOKIE_PREFIX: cookieWord.optional(),
  PROJECT_REF: cookieWord.default('local'),
  SESSION_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  ALLOWED_ORIGINS: list.default([]),
  ALLOWED_HOSTS: list
    .transform((hosts) => hosts.map(allowedHost))
    .refine((hosts) => hosts.every((host) => host !== null), NO_HOSTS)
    .default([]),
  TRUST_PROXY: list.refine((proxies) => proxies.every((one) => one === LOCAL || isNetwork(one)), NO_PROXIES).default([]),
  REDIS_URL: url(['redis', 'rediss']).optional(),
  SHARED_FILES: flag.default(false),
  S3_ENDPOINT: url(['http', 'https']).optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_BUCKET_PREFIX: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{0,40}$/, 'must be small letters, digits, - or ., as S3 takes them')
    .default('markbook-'),
  LAN: flag.default(false),
  INSECURE_LAN: flag.default(false),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  NODE_ENV: z.string().default('development'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('warn'),
  BACKUPS: flag.default(true),
  BACKUP_DIR: z.string().optional(),
  BACKUP_COPY_DIR: z.string().optional(),
  NODE_NAME: z
    .string()
    .trim()
    .overwrite(visibleText)
    .regex(/^\P{Cc}{1,100}$/u, 'must be a name in one line of at most 100 characters')
    .optional(),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  WINDOW_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
})

export type SettingName = keyof typeof Environment.shape
export const settingNames = Object.keys(Environment.shape) as SettingName[]

type Settings = Record<string, string | undefined>

function parse(settings: Settings): z.output<typeof Environment> {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = Environment.safeParse(given)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new ConfigError(`The setting ${issue?.path.join('.')} ${issue?.message}.`)
}

/** Reads and checks the configuration. Throws `ConfigError` with one line that names the setting. */
export function readConfig(settings: Settings, machine: () => Machine = thisMachine) {
  const config = readWithoutSecret(settings, machine)
  return { ...config, sessionSecret: config.sessionSecret ?? secretIn(config.dataDir) }
}

/** The same without making the secret, which is null where there is no setting for it: for those who only look. */
export function readWithoutSecret(settings: Settings, machine: () => Machine = thisMachine) {
  const env = parse(settings)
  const dataDir = resolve(env.DATA_DIR)
  /** What the settings make of this server. A laptop starts as `school`: whose it is stands in its database (`laptopOwner`). */
  const role: Exclude<NodeRole, 'laptop'> = env.DATABASE_URL ? 'centre' : 'school'
  return {
    port: env.PORT,
    /** What other nodes call this one. */
    nodeName: env.NODE_NAME ?? hostname(),
    /** What the teachers' program that started this server proves itself with (docs/design/desktop.md); null for every other server. */
    windowSecret: env.WINDOW_SECRET ?? null,
    ...network(env, machine),
    dataDir,
    role,
    /** Where a centre's database is; null at a school. */
    databaseUrl: env.DATABASE_URL ?? null,
    dedicated: env.DEDICATED ?? !env.DATABASE_URL,
    /** With which a school is founded here; null: the one that the server makes (server/features/schools/setup-code.ts). */
    setupCode: env.SETUP_CODE ?? null,
    /** Whoever signs in may found a school. */
    openFounding: env.OPEN_FOUNDING,
    /** On a dedicated node with a school, codes are mailed also to addresses that nobody there knows. */
    openSignUp: env.OPEN_SIGN_UP,
    smtpUrl: env.SMTP_URL ?? null,
    mailFrom: env.MAIL_FROM,
    projectRef: env.PROJECT_REF,
    sessionSecret: env.SESSION_SECRET ?? null,
    allowedOrigins: env.ALLOWED_ORIGINS,
    /** Names and addresses of this server beside those that it knows itself (server/http/own-hosts.ts). */
    allowedHosts: env.ALLOWED_HOSTS,
    trustProxy: env.TRUST_PROXY,
    /** With it other machines get the figures; null: this machine alone. */
    metricsToken: env.METRICS_TOKEN ?? null,
    redisUrl: env.REDIS_URL ?? null,
    /** Where files are kept; null: in `dataDir`. */
    s3: s3Of(env),
    /** All servers of a central database have one folder for their files, though nothing tells it. */
    sharedFiles: env.SHARED_FILES,
    logLevel: env.LOG_LEVEL,
    /** Scheduled backups, and those before migrations. */
    backups: env.BACKUPS,
    ...backupFolders(dataDir, env),
  }
}

/** Where the server listens, how, and how others find it (docs/design/server.md). */
function network(env: z.output<typeof Environment>, machine: () => Machine) {
  const lan = env.LAN || env.INSECURE_LAN
  const host = env.HOST ?? (lan ? '0.0.0.0' : '127.0.0.1')
  const tls = tlsOf(env, lan)
  const [best = 'localhost'] = addressesAt(host, machine())
  const publicUrl = (env.PUBLIC_URL ?? urlOf(tls === 'none' ? 'http' : 'https', best, env.PORT)).replace(/\/+$/, '')
  const secureCookies = tls !== 'none' || (env.NODE_ENV === 'production' && !env.INSECURE_LAN)
  const isHttps = tls !== 'none' || (env.PUBLIC_URL?.startsWith('https:') ?? false)
  return {
    host,
    /** For other devices of the building, and announced to them. */
    lan,
    tls,
    publicUrl,
    /** `publicUrl` was made from the best address of this machine, and changes when that does. */
    publicUrlFollows: env.PUBLIC_URL === undefined,
    secureCookies,
    /** Browsers take `__Host-` over https alone, and then from this very host alone (docs/decisions/0064-host-cookies-over-https.md). */
    cookiePrefix: env.COOKIE_PREFIX ?? (isHttps && secureCookies ? '__Host-sb' : 'sb'),
  }
}

function tlsOf({ TLS_CERT_FILE, TLS_KEY_FILE, INSECURE_LAN }: z.output<typeof Environment>, lan: boolean): Tls {
  if (TLS_CERT_FILE && !TLS_KEY_FILE) throw new ConfigError('The setting TLS_CERT_FILE needs TLS_KEY_FILE beside it.')
  if (TLS_KEY_FILE && !TLS_CERT_FILE) throw new ConfigError('The setting TLS_KEY_FILE needs TLS_CERT_FILE beside it.')
  if (INSECURE_LAN && TLS_CERT_FILE) throw new ConfigError('The settings INSECURE_LAN and TLS_CERT_FILE contradict each other: choose one.')
  if (TLS_CERT_FILE && TLS_KEY_FILE) return { certFile: resolve(TLS_CERT_FILE), keyFile: resolve(TLS_KEY_FILE) }
  return lan && !INSECURE_LAN ? 'authority' : 'none'
}

const S3_TOGETHER = ['S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

function s3Of(env: z.output<typeof Environment>): S3Settings | null {
  const missing = S3_TOGETHER.filter((name) => env[name] === undefined)
  if (missing.length === S3_TOGETHER.length) return null
  const given = S3_TOGETHER.find((name) => env[name] !== undefined)
  if (missing[0]) throw new ConfigError(`The setting ${given} needs ${missing[0]} beside it.`)
  const { S3_ENDPOINT = '', S3_REGION, S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '', S3_BUCKET_PREFIX } = env
  return {
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    bucketPrefix: S3_BUCKET_PREFIX,
  }
}

function backupFolders(dataDir: string, { BACKUP_DIR, BACKUP_COPY_DIR }: { BACKUP_DIR?: string; BACKUP_COPY_DIR?: string }) {
  const backupDir = resolve(BACKUP_DIR ?? join(dataDir, 'backups'))
  /** A folder on another disk, which every backup is copied to. */
  const backupCopyDir = BACKUP_COPY_DIR ? resolve(BACKUP_COPY_DIR) : null
  if (backupCopyDir === backupDir) throw new ConfigError('The setting BACKUP_COPY_DIR must be another folder than the one of the backups.')
  return { backupDir, backupCopyDir }
}

/** Made once, readable by the server's account alone, and kept outside the database. */
function secretIn(folder: string): string {
  const path = join(folder, 'session-secret')
  if (!existsSync(path)) {
    makeFolder(folder)
    writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  }
  return readFileSync(path, 'utf8').trim()
}
