import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

/** What the environment says (decisions §7), read in this file alone. */
export type Config = {
  port: number
  host: string
  dataDir: string
  databaseUrl: string | null
  publicUrl: string
  dedicated: boolean
  smtpUrl: string | null
  mailFrom: string
  cookiePrefix: string
  projectRef: string
  sessionSecret: string
  allowedOrigins: readonly string[]
  trustProxy: readonly string[]
  redisUrl: string | null
  secureCookies: boolean
  logLevel: string
}

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
const cookieWord = z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, 'must be letters, digits, - or _')

const Environment = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a port number')
    .default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: url(['postgres', 'postgresql']).optional(),
  PUBLIC_URL: url(['http', 'https']).optional(),
  DEDICATED: flag.optional(),
  SMTP_URL: url(['smtp', 'smtps']).optional(),
  MAIL_FROM: z.string().default('Markbook <markbook@localhost>'),
  COOKIE_PREFIX: cookieWord.default('sb'),
  PROJECT_REF: cookieWord.default('local'),
  SESSION_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  ALLOWED_ORIGINS: list.default([]),
  TRUST_PROXY: list.default([]),
  REDIS_URL: url(['redis', 'rediss']).optional(),
  INSECURE_LAN: flag.default(false),
  NODE_ENV: z.string().default('development'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('warn'),
})

/** Reads and checks the configuration. Throws `ConfigError` with one line that names the setting. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ConfigError(`The setting ${issue?.path.join('.')} ${issue?.message}.`)
  }
  const env = parsed.data
  const dataDir = resolve(env.DATA_DIR)
  return {
    port: env.PORT,
    host: env.HOST,
    dataDir,
    databaseUrl: env.DATABASE_URL ?? null,
    publicUrl: (env.PUBLIC_URL ?? `http://${env.HOST === '127.0.0.1' ? 'localhost' : env.HOST}:${env.PORT}`).replace(/\/+$/, ''),
    dedicated: env.DEDICATED ?? !env.DATABASE_URL,
    smtpUrl: env.SMTP_URL ?? null,
    mailFrom: env.MAIL_FROM,
    cookiePrefix: env.COOKIE_PREFIX,
    projectRef: env.PROJECT_REF,
    sessionSecret: env.SESSION_SECRET ?? secretIn(dataDir),
    allowedOrigins: env.ALLOWED_ORIGINS,
    trustProxy: env.TRUST_PROXY,
    redisUrl: env.REDIS_URL ?? null,
    secureCookies: env.NODE_ENV === 'production' && !env.INSECURE_LAN,
    logLevel: env.LOG_LEVEL,
  }
}

/** Made once, readable by the server's account alone, and kept outside the database. */
function secretIn(folder: string): string {
  const path = join(folder, 'session-secret')
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  }
  return readFileSync(path, 'utf8').trim()
}

/** The settings of a `.env` file: `NAME=value` lines; the environment wins over them. */
export function readDotEnv(path: string): Record<string, string> {
  if (!existsSync(path)) return {}
  const settings: Record<string, string> = {}
  for (const line of readFileSync(path, 'utf8').split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line)
    if (match?.[1]) settings[match[1]] = (match[2] ?? '').replace(/^(["'])(.*)\1$/, '$2')
  }
  return settings
}
