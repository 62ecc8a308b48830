import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import { addressOf, times } from './config.ts'
import type { Started } from './keeper.ts'

/** How the server is started: the same program, or the bundle with the Node that runs this. */
export type Program = { command: string; args: readonly string[] }
export type Starting = { program: Program; folder: string; environment: Record<string, string>; log: string }

const LOG_BYTES = 5_000_000

/** The log before this one is kept beside it. */
export function turnLog(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, `${path}.before`)
}

/** The server as a child. It ends with its standard input, so it never outlives this program, however that ends. */
export function startServer({ program, folder, environment, log }: Starting): Started {
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
    // Windows knows no SIGTERM: there, and here, the end of its input is what it waits for.
    stop: async () => {
      child.stdin?.end()
      if (process.platform !== 'win32') child.kill('SIGTERM')
      const late = new AbortController()
      await Promise.race([ended, after(times.drain, undefined, { signal: late.signal }).catch(() => {})])
      late.abort()
      child.kill('SIGKILL')
    },
  }
}

/** The last thing that the server said, for a person. */
export function lastWords(log: string): string {
  try {
    // A trace of where it happened says nothing to a teacher; it stands in the log.
    const sentences = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => /^\p{Lu}/u.test(line))
    return sentences.at(-1)?.slice(0, 500) ?? ''
  } catch {
    return ''
  }
}

/** Asks the server without keeping a connection: those that stay are the windows'. */
async function ask(port: number, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, connection: 'close' }
  return fetch(`${addressOf(port)}${path}`, { ...init, headers, signal: AbortSignal.timeout(times.browser) })
}

export const isReady = (port: number): Promise<boolean> =>
  ask(port, '/readyz').then(
    async (reply) => {
      await reply.text()
      return reply.ok
    },
    () => false,
  )

/** What opens a window once (decision 310). */
export async function ticketFor(port: number, secret: string): Promise<string> {
  const reply = await ask(port, '/window/ticket', { method: 'POST', headers: { authorization: `Bearer ${secret}` } })
  const { ticket } = (await reply.json()) as { ticket?: string }
  if (!ticket) throw new Error(`The server gave no ticket (${reply.status}).`)
  return ticket
}

const CONNECTIONS = /^markbook_connections (\d+)$/m

/** How many connections others have; 0 where nobody answers. */
export async function clientsAt(port: number): Promise<number> {
  const text = await ask(port, '/metrics').then(
    (reply) => reply.text(),
    () => '',
  )
  return Math.max(0, Number(CONNECTIONS.exec(text)?.[1] ?? 0) - 1)
}
