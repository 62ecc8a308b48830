import type { Config } from '../../config.ts'
import { hostOf, isLoopback, type Machine } from '../../network/addresses.ts'
import { socketFolder } from '../../store/postgres.ts'
import { type Finding, fine, notice } from './finding.ts'

/** A connection to another machine without encryption: the setting that names it, what others can read, and what to do. */
type OpenLine = { setting: string; host: string; what: string; do: string }

type Settings = Pick<Config, 'databaseUrl' | 'redisUrl' | 's3'>

/** The modes in which the Postgres driver always encrypts; in the others it may fall back to plain text. */
const ENCRYPTED = ['require', 'verify-ca', 'verify-full']

/** The connections of this server to its database, cache and storage that others on the network could read. */
export function lookAtLines({ databaseUrl, redisUrl, s3 }: Settings, machine: Machine): OpenLine[] {
  const lines: OpenLine[] = []
  const add = (setting: string, url: string, what: string, advice: string) => {
    const host = hostOf(url)
      .split(',')
      .find((one) => !isHere(one, machine))
    if (host !== undefined) lines.push({ setting, host, what, do: advice })
  }
  if (databaseUrl && socketFolder(databaseUrl) === null) {
    const { searchParams } = new URL(databaseUrl)
    if (!ENCRYPTED.includes(searchParams.get('sslmode') ?? searchParams.get('ssl') ?? ''))
      add(
        'DATABASE_URL',
        databaseUrl,
        'every mark and name',
        'Turn ssl on in PostgreSQL, and put ?sslmode=verify-full at the end of DATABASE_URL.',
      )
  }
  if (redisUrl && new URL(redisUrl).protocol === 'redis:')
    add('REDIS_URL', redisUrl, 'averages and profiles', 'Turn TLS on in Redis, and let REDIS_URL begin with rediss://.')
  if (s3 && new URL(s3.endpoint).protocol === 'http:')
    add('S3_ENDPOINT', s3.endpoint, 'report cards and photographs', 'Name an address that begins with https:// in S3_ENDPOINT.')
  return lines
}

function isHere(host: string, { hostname, interfaces }: Machine): boolean {
  const own = Object.values(interfaces).flatMap((infos = []) => infos.map(({ address }) => address))
  return isLoopback(host) || host.toLowerCase() === hostname.toLowerCase() || own.includes(host)
}

/** No findings where all of these services are on this machine. */
export const checkLines = (lines: readonly OpenLine[], settings: Settings): Finding[] => {
  const found = lines.flatMap(({ setting, host, what, do: advice }) =>
    notice('lines', {
      what: `The line to ${host} (${setting}) is not encrypted.`,
      means: `Others on that network can read ${what} on the way, and change them.`,
      do: `${advice} A private network or a tunnel between the two machines will do as well.`,
    }),
  )
  if (found.length > 0) return found
  return settings.databaseUrl || settings.redisUrl || settings.s3
    ? fine('lines', 'The lines to the services of this server are encrypted, or do not leave this machine.')
    : []
}
