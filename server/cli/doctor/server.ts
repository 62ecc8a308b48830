import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '@markbook/shared/clock'
import type { Config } from '../../config.ts'
import { codeOf } from '../../error-code.ts'
import { readNote } from '../../lan/running-note.ts'
import { LOCAL_NAME, urlOf } from '../../network/addresses.ts'
import { orNull } from '../../or-null.ts'
import type { Obstacle } from '../../replication/upstream/upstream-status.ts'
import { isLocked } from '../../store/sqlite.ts'
import { askServer, figureIn, obstacleIn, replicationIn, startIn } from '../ask-server.ts'
import { moment } from '../words.ts'
import { type Finding, fine, notice, problem } from './finding.ts'
import type { Mail } from './mail.ts'

/**
 * The server of a data folder. `ours`: it answers at the address of its note; `unready`: it answers that it is not ready; `silent`: its
 * process lives, but it does not answer; `another`: another process has locked the folder; `ended`: its process ended without removing the
 * note.
 */
export type ServerFound = {
  state: 'ours' | 'unready' | 'silent' | 'another' | 'ended' | 'none'
  dataDir: string
  url: string | null
  since: number | null
  /** Where other servers have the same database. */
  duplicates: readonly string[]
  /** Where servers of other schools have the name of this one in the network. */
  namesakes: readonly string[]
}
export type PortFound = { port: number; host: string; state: 'free' | 'ours' | 'taken' | 'forbidden' | 'no address'; by: string | null }

export function checkServer({ state, dataDir, url, since, duplicates, namesakes }: ServerFound): Finding[] {
  if (state === 'ours' && duplicates.length > 0)
    return problem('server', {
      what: `Two servers have the database of this school: this one (${url}) and ${duplicates.join(' and ')}. Its folder was copied, or a backup was restored there.`,
      means: 'What is entered at one of them is not at the other. Nothing is lost as long as you keep both folders.',
      do: 'Let everybody use one of them, and bring the marks of the other here before you stop it: operators’ guide, «Several servers», «Two servers for one school».',
    })
  if (state === 'ours' && namesakes.length > 0)
    return notice('server', {
      what: `Another Markbook, at ${namesakes.join(' and ')}, is called ${LOCAL_NAME} on this network too.`,
      means:
        'No mark is concerned. By that name a browser may come to either server: it warns of the certificate, or shows the other school.',
      do: 'Let people use the address of this server that markbook status prints, and ask whoever runs the network for a name of its own (ALLOWED_HOSTS).',
    })
  if (state === 'ours') return fine('server', `The server is running: ${url}${since === null ? '' : `, since ${moment(since)}`}.`)
  if (state === 'unready')
    return problem('server', {
      what: `The server runs at ${url}, but its database does not answer it.`,
      means: 'Nobody can read or enter marks; what was saved is safe.',
      do: 'See to the database: the server goes on by itself once it answers. Where it does not, look into the log of the server.',
    })
  if (state === 'silent')
    return problem('server', {
      what: `The server runs, but does not answer at ${url}.`,
      means: 'Nobody can read or enter marks; what was saved is safe.',
      do: 'Look into its log, then start it again: sudo systemctl restart markbook',
    })
  if (state === 'another')
    return problem('server', {
      what: `Another program of Markbook holds the folder ${dataDir}: a second server, or a restore that is under way.`,
      means: 'The marks are safe; only one server at a time may use a folder, so a start is refused.',
      do: 'Find the other one and stop it, or give this server a DATA_DIR of its own.',
    })
  if (state === 'ended')
    return notice('server', {
      what: `The server is not running, and ended without being stopped${since === null ? '' : ` (it was started at ${moment(since)})`}.`,
      means: 'What was saved is on the disk; a power cut ends it like that too.',
      do: 'Start it again: markbook start, or sudo systemctl start markbook',
    })
  return notice('server', {
    what: 'The server is not running.',
    means: 'Nobody can read or enter marks until it is started.',
    do: 'Start it: markbook start, or sudo systemctl start markbook',
  })
}

export function checkPort({ port, host, state, by }: PortFound): Finding[] {
  if (state === 'ours') return fine('port', `Port ${port} is open, and our own server has it.`)
  if (state === 'free') return fine('port', `Port ${port} is free.`)
  const another = `Stop that program, or choose another port with PORT=${port < 65_535 ? port + 1 : 3000}.`
  const troubles: Record<typeof state, [what: string, advice: string]> = {
    taken: [`Port ${port} is taken by ${by ?? 'another program'}.`, another],
    forbidden: [`This account may not open port ${port}.`, 'Choose a port of 1024 or more (PORT=3000), or install the service, which may.'],
    'no address': [`This machine has no address ${host} (HOST).`, 'Take HOST out of the settings, or correct it.'],
  }
  const [what, advice] = troubles[state]
  const means = 'The server cannot start, so nobody can enter marks; the marks themselves are not concerned.'
  return problem('port', { what, means, do: advice })
}

type Settings = Pick<Config, 'dataDir' | 'role' | 'port' | 'host' | 'tls'>
/** From the metrics of the running server; null where none runs. */
export type Figures = { queue: Mail['queue']; failedBackups: number; replication: string | null; obstacle: Obstacle | null } | null

/** Looks for the server of a data folder by its note, its lock and its answers; `figures`: its metrics, null unless it is `ours`. */
export async function lookAtServer({ dataDir, role, port, tls }: Settings): Promise<{ server: ServerFound; figures: Figures }> {
  const note = readNote(dataDir)
  const url = note?.url ?? urlOf(tls === 'none' ? 'http' : 'https', 'localhost', port)
  const ready = await askServer(url, '/readyz')
  const isMarkbook = ready !== null && /^\{"status":"(?:not )?ready"\}$/.test(ready.text)
  const locked = role === 'school' && isLocked(dataDir)
  const alive = note !== null && lives(note.pid)
  const state = stateOf({
    answers: isMarkbook && (alive || locked || role === 'centre'),
    ready: ready?.status === 200,
    locked,
    note: note !== null,
    alive,
  })
  const text = state === 'ours' ? ((await askServer(url, '/metrics'))?.text ?? '') : null
  const since = (text === null ? null : startIn(text, systemClock.now())) ?? (note && Date.parse(note.started_at))
  return {
    server: { state, dataDir, url, since, duplicates: note?.duplicates ?? [], namesakes: note?.namesakes ?? [] },
    figures: text === null ? null : figuresOf(text),
  }
}

type Signs = { answers: boolean; ready: boolean; locked: boolean; note: boolean; alive: boolean }

function stateOf({ answers, ready, locked, note, alive }: Signs): ServerFound['state'] {
  if (answers && (note || locked)) return ready ? 'ours' : 'unready'
  if (locked) return note && alive ? 'silent' : 'another'
  return note ? 'ended' : 'none'
}

const figuresOf = (text: string): Figures => ({
  queue: { waiting: figureIn(text, 'markbook_mail_queue'), failing: figureIn(text, 'markbook_mail_failing') === 1 },
  failedBackups: figureIn(text, 'markbook_backup_failures_total'),
  replication: replicationIn(text),
  obstacle: obstacleIn(text),
})

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists, and belongs to another account.
    return codeOf(error) === 'EPERM'
  }
}

/** Opens the port for a moment, unless the server here has it already. Port 0 means any free port. */
export async function lookAtPort({ port, host }: Pick<Config, 'port' | 'host'>, server: ServerFound): Promise<PortFound> {
  const found = { port, host, by: null }
  const isOurs = HAS_THE_PORT.has(server.state) && server.url !== null && portOf(server.url) === port
  if (isOurs) return { ...found, state: 'ours' }
  const refusal = await new Promise((resolve) => {
    const trial = createServer()
    trial.once('error', (error: { code?: string }) => resolve(error.code ?? 'UNKNOWN'))
    trial.listen({ port, host, exclusive: true }, () => trial.close(() => resolve(null)))
  })
  if (refusal === 'EADDRINUSE') return { ...found, state: 'taken', by: await holderOf(port) }
  if (refusal === 'EACCES') return { ...found, state: 'forbidden' }
  return { ...found, state: refusal === 'EADDRNOTAVAIL' || refusal === 'ENOTFOUND' ? 'no address' : 'free' }
}

const HAS_THE_PORT: ReadonlySet<ServerFound['state']> = new Set(['ours', 'unready', 'silent'])
const portOf = (url: string) => Number(new URL(url).port || (url.startsWith('https:') ? 443 : 80))

/** The program that listens at a port; null where this account may not find out. */
async function holderOf(port: number): Promise<string | null> {
  if (process.platform === 'linux') return holderOnLinux(port)
  if (process.platform !== 'win32') return null
  const command = `(Get-Process -Id (Get-NetTCPConnection -State Listen -LocalPort ${port}).OwningProcess[0]).ProcessName`
  const found = await promisify(execFile)('powershell', ['-NoProfile', '-Command', command], { timeout: 10_000 }).catch(() => null)
  return found?.stdout.trim() || null
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
    for (const file of namesIn(`/proc/${pid}/fd`))
      if (inodes.has(orNull(() => readlinkSync(`/proc/${pid}/fd/${file}`)) ?? '')) return `${commandOf(pid)} (process ${pid})`
  return null
}

function commandOf(pid: string): string {
  const [program = '', script] = (linesOf(`/proc/${pid}/cmdline`)[0] ?? '').split('\0')
  const name = basename(program.split(' ')[0] ?? '')
  return name === 'node' && script && !script.startsWith('-') ? `${name} ${basename(script)}` : name || 'a program'
}

const linesOf = (path: string): string[] => orNull(() => readFileSync(path, 'utf8').split('\n')) ?? []
const namesIn = (folder: string): string[] => orNull(() => readdirSync(folder)) ?? []
