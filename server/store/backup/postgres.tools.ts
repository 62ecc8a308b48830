import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { socketFolder } from '../postgres.ts'
import { BackupError, type Counts, UnsoundError } from './manifest.ts'
import { schoolsInWords, type Whose } from './whose.ts'

type Tool = 'pg_dump' | 'pg_restore'
/** Which server and database; the tools get it through their environment, where no list of processes shows the password. */
export type Address = { url: string; database: string }

export const databaseOf = (url: string): string =>
  decodeURIComponent(new URL(url).pathname.slice(1)) || decodeURIComponent(new URL(url).username)
export const withDatabase = (url: string, database: string): string =>
  Object.assign(new URL(url), { pathname: `/${encodeURIComponent(database)}` }).href

export const environmentOf = ({ url, database }: Address): Record<string, string> => {
  const { hostname, port, username, password, searchParams } = new URL(url)
  const ssl = searchParams.get('sslmode')
  return {
    PGHOST: socketFolder(url) ?? hostname.replace(/^\[|\]$/g, ''),
    PGPORT: port || '5432',
    PGDATABASE: database,
    PGCONNECT_TIMEOUT: '10',
    LC_ALL: 'C',
    ...(username && { PGUSER: decodeURIComponent(username) }),
    ...(password && { PGPASSWORD: decodeURIComponent(password) }),
    ...(ssl && { PGSSLMODE: ssl }),
  }
}

/** The newest of the tools that this machine has: an older pg_dump refuses a newer server. */
function pathOf(tool: Tool): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const found = [...versions.map((version) => join(debian, version, 'bin', tool)).filter((path) => existsSync(path)), tool].find(answers)
  if (found) return found
  throw new BackupError(
    `The program ${tool} of PostgreSQL is not on this machine. Install it (Debian: apt install postgresql-client), or set BACKUPS=false where something else makes the backups.`,
  )
}

const answers = (path: string): boolean => spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0

/** Runs a tool to its end, or until `signal` ends it; `onLine` gets its standard output. Throws its own first complaint. */
export async function run(
  tool: Tool,
  args: readonly string[],
  at: Address | null,
  onLine: (line: string) => void = () => {},
  signal?: AbortSignal,
): Promise<void> {
  const env = at ? environmentOf(at) : { LC_ALL: 'C' }
  const child = spawn(pathOf(tool), args, { env, stdio: ['ignore', 'pipe', 'pipe'], killSignal: 'SIGKILL', ...(signal && { signal }) })
  let complaint = ''
  child.stderr.on('data', (part) => {
    if (complaint.length < 10_000) complaint += part
  })
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) onLine(line)
  const code = await ended
  if (code === 0) return
  const first = complaint.split('\n').find((line) => /error|fatal/i.test(line)) ?? complaint.split('\n')[0]
  throw new BackupError(`${tool} failed: ${(first ?? '').replace(/^pg_\w+: (?:error: )?/, '').trim() || `it ended with ${code}`}`)
}

/** Reads a dump whole and counts the rows of each table in it. */
export async function countsInDump(path: string): Promise<Counts> {
  const counts: Counts = {}
  let table: string | null = null
  await run('pg_restore', ['--data-only', '--file=-', path], null, (line) => {
    if (table !== null) {
      if (line === '\\.') table = null
      else counts[table] = (counts[table] ?? 0) + 1
      return
    }
    const copied = /^COPY (\S+) \(/.exec(line)
    if (!copied?.[1]) return
    table = copied[1].replaceAll('"', '')
    counts[table] = 0
  })
  return counts
}

/** The rows of one small table in a dump, by column. */
async function rowsInDump(path: string, schema: string, table: string): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = []
  let columns: string[] | null = null
  await run('pg_restore', ['--data-only', `--schema=${schema}`, `--table=${table}`, '--file=-', path], null, (line) => {
    if (line === '\\.') columns = null
    const values = line.split('\t')
    if (columns) rows.push(Object.fromEntries(columns.map((column, at) => [column, unescaped(values[at] ?? '')])))
    const [, list] = /^COPY \S+ \((.*)\) FROM/.exec(line) ?? []
    if (list) columns = list.split(', ').map((column) => column.replaceAll('"', ''))
  })
  return rows
}

/** As COPY writes a text. */
const unescaped = (value: string) =>
  value.replace(/\\([btnrvf\\])/g, (_, letter: string) => ({ t: '\t', n: '\n', r: '\r' })[letter] ?? letter)

export async function whoseInDump(path: string): Promise<Whose> {
  const nodes = await rowsInDump(path, 'sync', 'node')
  const [first] = nodes.sort((a, b) => (`${a['created_at']} ${a['id']}` < `${b['created_at']} ${b['id']}` ? -1 : 1))
  if (!first) throw new UnsoundError(`${path} is no database of Markbook.`)
  const schools = await rowsInDump(path, 'public', 'school')
  return { id: String(first['id']), school: schoolsInWords(schools.map(({ name }) => String(name)).sort()) }
}

/**
 * What of a dump is put back: all but the schema that every database has, and the locks of row-level security, which this program
 * makes anew with the roles they name.
 */
export async function listOf(path: string): Promise<string[]> {
  const lines: string[] = []
  await run('pg_restore', ['--list', path], null, (line) => lines.push(line))
  return lines.filter(
    (line) => !/^\d+; \d+ \d+ (?:SCHEMA - public|POLICY|ROW SECURITY|ACL|DEFAULT ACL|COMMENT - SCHEMA public) /.test(line),
  )
}
