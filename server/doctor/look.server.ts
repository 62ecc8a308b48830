import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { askServer, figureIn, replicationIn } from '../asking.ts'
import type { Config } from '../config.ts'
import { urlOf } from '../lan/addresses.ts'
import { readNote } from '../running.ts'
import { isHeld } from '../store/sqlite.ts'
import type { Mail } from './check.mail.ts'
import type { PortFound, ServerFound } from './check.server.ts'

type Settings = Pick<Config, 'dataDir' | 'databaseUrl' | 'port' | 'host' | 'tls'>
/** What the running server's own figures say; null where none runs. */
export type Figures = { queue: Mail['queue']; failedBackups: number; replication: string | null } | null

export async function lookAtServer({ dataDir, databaseUrl, port, tls }: Settings): Promise<{ server: ServerFound; figures: Figures }> {
  const note = readNote(dataDir)
  const url = note?.url ?? urlOf(tls === 'none' ? 'http' : 'https', 'localhost', port)
  const ready = await askServer(url, '/readyz')
  const isMarkbook = ready !== null && /^\{"status":"(?:not )?ready"\}$/.test(ready.text)
  const held = databaseUrl === null && isHeld(dataDir)
  const alive = note !== null && lives(note.pid)
  const since = note && Date.parse(note.started_at)
  const state = stateOf({
    answers: isMarkbook && (alive || held || databaseUrl !== null),
    ready: ready?.status === 200,
    held,
    note: note !== null,
    alive,
  })
  const server = { state, dataDir, url, since }
  return { server, figures: state === 'ours' ? figuresOf((await askServer(url, '/metrics'))?.text ?? '') : null }
}

type Signs = { answers: boolean; ready: boolean; held: boolean; note: boolean; alive: boolean }

function stateOf({ answers, ready, held, note, alive }: Signs): ServerFound['state'] {
  if (answers && (note || held)) return ready ? 'ours' : 'silent'
  if (held) return note && alive ? 'silent' : 'another'
  return note ? 'ended' : 'none'
}

const figuresOf = (text: string): Figures => ({
  queue: { waiting: figureIn(text, 'markbook_mail_queue'), failing: figureIn(text, 'markbook_mail_failing') === 1 },
  failedBackups: figureIn(text, 'markbook_backup_failures_total'),
  replication: replicationIn(text),
})

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Of another account, but there.
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** Tries to open the port for a moment, as the server would. Port 0 is any. */
export async function lookAtPort({ port, host }: Pick<Config, 'port' | 'host'>, server: ServerFound): Promise<PortFound> {
  const found = { port, host, by: null }
  const isOurs = server.state === 'ours' && server.url !== null && portOf(server.url) === port
  if (isOurs) return { ...found, state: 'ours' }
  const refusal = await tryPort(port, host)
  if (refusal === 'EADDRINUSE') return { ...found, state: 'taken', by: await holderOf(port) }
  if (refusal === 'EACCES') return { ...found, state: 'forbidden' }
  return { ...found, state: refusal === 'EADDRNOTAVAIL' || refusal === 'ENOTFOUND' ? 'no address' : 'free' }
}

const portOf = (url: string) => Number(new URL(url).port || (url.startsWith('https:') ? 443 : 80))

const tryPort = (port: number, host: string): Promise<string | null> =>
  new Promise((resolve) => {
    const trial = createServer()
    trial.once('error', (error: { code?: string }) => resolve(error.code ?? 'UNKNOWN'))
    trial.listen({ port, host, exclusive: true }, () => trial.close(() => resolve(null)))
  })

/** By what program a port is taken, as far as this account may know. */
async function holderOf(port: number): Promise<string | null> {
  if (process.platform === 'linux') return holderOnLinux(port)
  if (process.platform !== 'win32') return null
  try {
    const command = `(Get-Process -Id (Get-NetTCPConnection -State Listen -LocalPort ${port}).OwningProcess[0]).ProcessName`
    const { stdout } = await promisify(execFile)('powershell', ['-NoProfile', '-Command', command], { timeout: 10_000 })
    return stdout.trim() || null
  } catch {
    return null
  }
}

const LISTENING = '0A'

function holderOnLinux(port: number): string | null {
  const inodes = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of linesOf(table)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
      if (state === LISTENING && inode && Number.parseInt(local.split(':')[1] ?? '', 16) === port) inodes.add(`socket:[${inode}]`)
    }
  for (const pid of namesIn('/proc').filter((name) => /^\d+$/.test(name)))
    for (const file of namesIn(`/proc/${pid}/fd`)) {
      try {
        if (inodes.has(readlinkSync(`/proc/${pid}/fd/${file}`))) return `${commandOf(pid)} (process ${pid})`
      } catch {}
    }
  return null
}

function commandOf(pid: string): string {
  const [program = '', script] = (linesOf(`/proc/${pid}/cmdline`)[0] ?? '').split('\0')
  const name = basename(program.split(' ')[0] ?? '')
  return name === 'node' && script && !script.startsWith('-') ? `${name} ${basename(script)}` : name || 'a program'
}

const linesOf = (path: string): string[] => {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}
const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
