import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressOf, times } from './config.ts'
import type { RunningServer } from './supervisor.ts'

const LOOPBACK = '127.0.0.1'

/** The port, if it is free, any free one for 0; null where it is taken. */
const freePort = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, LOOPBACK, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? null) : null))
    })
  })

/** A free port on the loopback interface, the last one where possible: the browser stores page data per origin, port included. */
export async function choosePort(stateFile: string): Promise<number> {
  const last = lastPort(stateFile)
  const port = (last && (await freePort(last))) || (await freePort(0))
  if (!port) throw new Error('This computer has no free port.')
  if (port !== last) writeFileSync(stateFile, `${JSON.stringify({ port })}\n`, { mode: 0o600 })
  return port
}

function lastPort(stateFile: string): number | null {
  try {
    const { port } = JSON.parse(readFileSync(stateFile, 'utf8')) as { port: unknown }
    return Number.isInteger(port) && Number(port) > 1_023 && Number(port) < 65_536 ? Number(port) : null
  } catch {
    return null
  }
}

/** Command that starts the server. */
export type Program = { command: string; args: readonly string[] }
export type ServerStart = { program: Program; folder: string; environment: Record<string, string>; log: string }

const LOG_BYTES = 5_000_000

/** Renames a large log, so that a new one begins. */
export function rotateLog(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, `${path}.before`)
}

/** Starts the server as a child process. It ends with its standard input, so it never outlives this program. */
export function startServer({ program, folder, environment, log }: ServerStart): RunningServer {
  const file = openSync(log, 'a', 0o600)
  const child = spawn(program.command, program.args, {
    cwd: folder,
    env: environment,
    stdio: ['pipe', file, file],
    windowsHide: true,
  })
  closeSync(file)
  child.stdin?.on('error', () => {})
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('exit', (code) => resolve(code))
  })
  return {
    ended,
    kill: () => void child.kill('SIGKILL'),
    // Windows has no SIGTERM: there the server ends with its standard input.
    stop: async () => {
      child.stdin?.end()
      if (process.platform !== 'win32') child.kill('SIGTERM')
      const drained = new AbortController()
      await Promise.race([ended, sleep(times.drain, undefined, { signal: drained.signal }).catch(() => {})])
      drained.abort()
      child.kill('SIGKILL')
    },
  }
}

/** The last message of the server's log. */
export function lastLogMessage(log: string): string {
  try {
    // Stack traces stay in the log.
    const sentences = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => /^\p{Lu}/u.test(line))
    return sentences.at(-1)?.slice(0, 500) ?? ''
  } catch {
    return ''
  }
}

/** Sends a request on a connection of its own: open connections are counted as windows. */
async function request(port: number, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, connection: 'close' }
  return fetch(`${addressOf(port)}${path}`, { ...init, headers, signal: AbortSignal.timeout(times.answer) })
}

/** Whether the server on this port answers that it is ready. */
export const isReady = (port: number): Promise<boolean> =>
  request(port, '/readyz').then(
    async (reply) => {
      await reply.text()
      return reply.ok
    },
    () => false,
  )

/** A ticket that opens one window (docs/design/desktop.md). */
export async function ticketFor(port: number, secret: string): Promise<string> {
  const reply = await request(port, '/window/ticket', { method: 'POST', headers: { authorization: `Bearer ${secret}` } })
  const { ticket } = (await reply.json()) as { ticket?: string }
  if (!ticket) throw new Error(`The server gave no ticket (${reply.status}).`)
  return ticket
}

const CONNECTIONS = /^markbook_connections (\d+)$/m

/** Number of other connections; 0 where the server does not answer. */
export async function clientsAt(port: number): Promise<number> {
  const text = await request(port, '/metrics').then(
    (reply) => reply.text(),
    () => '',
  )
  return Math.max(0, Number(CONNECTIONS.exec(text)?.[1] ?? 0) - 1)
}
