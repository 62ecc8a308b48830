import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { WorkerEntry } from '../documents/workers/entry.ts'

/** The shipped server in its own process. `pid` is the server's, even where another program supervises it. */
export type Program = {
  pid: number
  port: number
  /** Milliseconds from its start until it printed its address. */
  startedMs: number
  output(): string
  /** Kills it, as a power cut does. */
  cut(): Promise<void>
  /** Stops it; resolves to its exit code. */
  stop(): Promise<number | null>
  ended: Promise<number | null>
  /** Undefined while it runs; null where a signal ended it. */
  exit(): number | null | undefined
}

type Start = {
  env: Record<string, string>
  /** The bundle of another version. */
  file?: string
  /** A command that runs the server, such as `['prlimit', '--fsize=4096']`. */
  under?: readonly string[]
  /** The file descriptor of standard error; by default it is part of `output`. */
  stderr?: number
  /** Kills it this many ms after its start. */
  cutAfterMs?: number
}

const root = join(import.meta.dirname, '..', '..')
/** The server as one bundle, which starts in a third of the time of its sources. */
export const programFile = join(root, 'dist', 'markbook.mjs')
const running = new Set<ChildProcess>()
let isBuilt = false

/** Call before the first start. Builds the bundle where a source is newer. */
export function buildProgram(): void {
  if (isBuilt) return
  const script = 'const { ensureServerBuilt } = await import(process.argv[1]); await ensureServerBuilt()'
  execFileSync(process.execPath, ['--input-type=module', '-e', script, join(root, 'scripts', 'build.mjs')], { cwd: root })
  isBuilt = true
}

/** The built worker for documents, built before the first one starts: from its sources each takes three seconds of CPU to start. */
export const builtWorker: WorkerEntry = {
  get start() {
    buildProgram()
    return pathToFileURL(join(root, 'dist', 'documents-worker.mjs'))
  },
  options: { execArgv: [] },
}

/** Ends the remaining programs, also after a failed test. */
export async function endPrograms(): Promise<void> {
  await Promise.all([...running].map(cut))
}

const endOf = (child: ChildProcess) =>
  child.exitCode === null && child.signalCode === null ? new Promise<void>((resolve) => child.once('exit', () => resolve())) : undefined

/** Kills the process group, including a supervising program. */
async function cut(child: ChildProcess) {
  const end = endOf(child)
  try {
    if (end && child.pid) process.kill(-child.pid, 'SIGKILL')
  } catch {}
  await end
  running.delete(child)
}

function launch({ env, file = programFile, under = [], stderr }: Start) {
  const [command = process.execPath, ...args] = [...under, process.execPath, file, 'start']
  const settings = { PATH: process.env['PATH'] ?? '', PORT: '0', BACKUPS: 'false', ...env }
  const child = spawn(command, args, { env: settings, stdio: ['ignore', 'pipe', stderr ?? 'pipe'], detached: true, cwd: root })
  running.add(child)
  return child
}

/** Runs one command of the shipped program, or of another version; resolves once it has ended. */
export async function runVerb(
  args: readonly string[],
  env: Record<string, string>,
  file = programFile,
): Promise<{ exit: number | null; text: string }> {
  const settings = { PATH: process.env['PATH'] ?? '', MARKBOOK_CONFIG: '/dev/null', ...env }
  const child = spawn(process.execPath, [file, ...args], {
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    cwd: root,
  })
  running.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part))
  const exit = await new Promise<number | null>((resolve) => child.once('close', resolve))
  running.delete(child)
  return { exit, text }
}

/** Resolves once the server listens. Throws where it ends before that; null where `cutAfterMs` killed it before that. */
export async function startProgram(start: Start): Promise<Program | null> {
  const began = performance.now()
  const child = launch(start)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (text += part))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const timer = start.cutAfterMs === undefined ? undefined : setTimeout(() => void cut(child), start.cutAfterMs)
  const port = await Promise.race([portOf(child, () => text), ended])
  if (port === null && start.cutAfterMs !== undefined) return null
  clearTimeout(timer)
  const match = /running: https?:\/\/[^:]+:(\d+)/.exec(text)
  if (!match) throw new Error(`the server did not start: ${text}`)
  return {
    pid: child.pid as number,
    port: Number(match[1]),
    startedMs: performance.now() - began,
    output: () => text,
    cut: () => cut(child),
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
    ended,
    exit: () => (child.exitCode === null && child.signalCode === null ? undefined : child.exitCode),
  }
}

const portOf = (child: ChildProcess, text: () => string) =>
  new Promise<number>((resolve) => {
    child.stdout?.on('data', () => {
      const match = /running: https?:\/\/[^:]+:(\d+)/.exec(text())
      if (match) resolve(Number(match[1]))
    })
  })
