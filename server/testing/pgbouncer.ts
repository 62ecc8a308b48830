import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import postgres from 'postgres'
import { freePort, unprivileged } from './cluster.ts'

/** PgBouncer in transaction mode in front of a database server. */
export type PgBouncer = {
  /** The URL of a database through it. */
  urlOf(database: string): string
  /** Stops it as a power cut does, and starts it again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Debian installs it in /usr/sbin, which is not in everybody's PATH. */
const found = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'].map((folder) => join(folder, 'pgbouncer')).find(existsSync)
export const hasPgBouncer = found !== undefined

/** In front of the server at `url`. Throws where this machine has no PgBouncer. */
export async function startPgBouncer(url: string): Promise<PgBouncer> {
  if (!found) throw new Error('PgBouncer is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'markbook-pgbouncer-'))
  const owner = unprivileged()
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, settingsFor(new URL(url), port))
  chmodSync(folder, 0o700)
  if (owner) for (const path of [folder, file]) chownSync(path, owner.uid, owner.gid)
  const urlOf = (database: string) => `postgres://markbook@127.0.0.1:${port}/${database}`
  let running: ChildProcess
  const start = async () => {
    running = spawn(found, ['-q', file], { ...owner, stdio: 'ignore' })
    await answering(urlOf('postgres'))
  }
  const end = async () => {
    if (running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    urlOf,
    restart: () => end().then(start),
    stop: async () => {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const settingsFor = ({ hostname, port, username, password }: URL, listening: number) => `[databases]
* = host=${hostname} port=${port || 5432} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listening}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 200
server_login_retry = 1
`

async function answering(url: string): Promise<void> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const sql = postgres(url, { max: 1, prepare: false, fetch_types: false, connect_timeout: 2, onnotice: () => {} })
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}
