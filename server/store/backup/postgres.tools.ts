import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { codeOf } from '../../error-code.ts'
import { socketFolder } from '../postgres.ts'
import { type DatabaseOwner, schoolsInWords } from './database-owner.ts'
import type { Chunks, DatabaseCopy } from './engine.ts'
import { BackupError, type Counts, UnsoundError } from './manifest.ts'

type Tool = 'pg_dump' | 'pg_restore'
/**
 * Which server and database; the tools get it through their environment, where no list of processes shows the password. `signal` ends the
 * tool, where the server is silent.
 */
export type Address = { url: string; database: string; signal?: AbortSignal }

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

const environmentAt = (at: Address | null) => (at ? environmentOf(at) : { LC_ALL: 'C' })
const endedBy = (at: Address | null) => ({ killSignal: 'SIGKILL' as const, ...(at?.signal && { signal: at.signal }) })

/** How a tool that was started ends: throws its own first complaint. */
function ending(tool: Tool, child: ChildProcess): Promise<void> {
  let complaint = ''
  child.stderr?.on('data', (part) => {
    if (complaint.length < 10_000) complaint += part
  })
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  return ended.then((code) => {
    if (code === 0) return
    const first = complaint.split('\n').find((line) => /error|fatal/i.test(line)) ?? complaint.split('\n')[0]
    throw new BackupError(`${tool} failed: ${(first ?? '').replace(/^pg_\w+: (?:error: )?/, '').trim() || `it ended with ${code}`}`)
  })
}

/** Runs a tool to its end; `onLine` gets its standard output, and `input` is its standard input. Throws its own first complaint. */
export async function run(
  tool: Tool,
  args: readonly string[],
  at: Address | null,
  onLine: (line: string) => void = () => {},
  input?: Chunks,
): Promise<void> {
  const child = spawn(pathOf(tool), args, { env: environmentAt(at), stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'], ...endedBy(at) })
  const ended = ending(tool, child)
  const fed = input && child.stdin ? feed(child, input) : null
  // Both are waited for below, in turn; neither may be taken for forgotten meanwhile.
  for (const each of [ended, fed]) each?.catch(() => {})
  for await (const line of createInterface({ input: child.stdout as Readable, crlfDelay: Number.POSITIVE_INFINITY })) onLine(line)
  await fed
  await ended
}

/** A tool that has read enough closes its input, which is no trouble. What cannot be read is, and then the tool must not go on. */
async function feed(child: ChildProcess, input: Chunks): Promise<void> {
  try {
    await pipeline(Readable.from(input()), child.stdin as Writable)
  } catch (error) {
    if (['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'].includes(codeOf(error))) return
    child.kill('SIGKILL')
    throw error
  }
}

/** The standard output of a tool. Throws its own first complaint where it fails. */
export async function* outputOf(tool: Tool, args: readonly string[], at: Address): AsyncGenerator<Buffer> {
  const child = spawn(pathOf(tool), args, { env: environmentAt(at), stdio: ['ignore', 'pipe', 'pipe'], ...endedBy(at) })
  const ended = ending(tool, child)
  ended.catch(() => {})
  try {
    for await (const part of child.stdout) yield part as Buffer
    await ended
  } finally {
    child.kill('SIGKILL')
  }
}

/** A dump is named by its path, or comes by the standard input. */
const from = (dump: DatabaseCopy): { args: string[]; input?: Chunks } =>
  'path' in dump ? { args: [dump.path] } : { args: [], input: dump.chunks }
/** Runs pg_restore on a dump. */
export const restoring = (
  args: readonly string[],
  dump: DatabaseCopy,
  at: Address | null,
  onLine?: (line: string) => void,
): Promise<void> => run('pg_restore', [...args, ...from(dump).args], at, onLine, from(dump).input)

/** Reads a dump whole and counts the rows of each table in it. */
export async function countsInDump(dump: DatabaseCopy): Promise<Counts> {
  const counts: Counts = {}
  let table: string | null = null
  await restoring(['--data-only', '--file=-'], dump, null, (line) => {
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

export async function ownerInDump(path: string): Promise<DatabaseOwner> {
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
export async function listOf(dump: DatabaseCopy): Promise<string[]> {
  const lines: string[] = []
  await restoring(['--list'], dump, null, (line) => lines.push(line))
  return lines.filter(
    (line) => !/^\d+; \d+ \d+ (?:SCHEMA - public|POLICY|ROW SECURITY|ACL|DEFAULT ACL|COMMENT - SCHEMA public) /.test(line),
  )
}
