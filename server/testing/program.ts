import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { WorkerEntry } from '../documents/workers/entry.ts'

/** The server as it is shipped, in a process of its own. `pid` is the server's, also where another program watches over it. */
export type Program = {
  pid: number
  port: number
  /** From its start until it said where it is. */
  startedMs: number
  output(): string
  /** Ends it at once, as a power cut does. */
  cut(): Promise<void>
  /** Asks it to end; resolves to its exit code. */
  stop(): Promise<number | null>
  ended: Promise<number | null>
  /** Undefined while it runs; null where a signal ended it. */
  exit(): number | null | undefined
}

type Start = {
  env: Record<string, string>
  /** The bundle of another version. */
  file?: string
  /** A command that runs the server: `['prlimit', '--fsize=4096']`. */
  under?: readonly string[]
  /** Where standard error goes; by default it is part of `output`. */
  stderr?: number
  /** Cuts it so many ms after its start, whatever it is doing. */
  cutAfterMs?: number
}

const root = join(import.meta.dirname, '..', '..')
/** The server as one bundle: it starts in a third of the time that its sources take. */
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

/** The worker of documents as it is shipped, built before the first one starts: from its sources each takes three seconds of CPU to start. */
export const builtWorker: WorkerEntry = {
  get start() {
    buildProgram()
    return pathToFileURL(join(root, 'dist', 'documents-worker.mjs'))
  },
  options: { execArgv: [] },
}

/** Ends whatever is left, also after a test that failed. */
export async function endPrograms(): Promise<void> {
  await Promise.all([...running].map(cut))
}

const endOf = (child: ChildProcess) =>
  child.exitCode === null && child.signalCode === null ? new Promise<void>((resolve) => child.once('exit', () => resolve())) : undefined

/** The whole group: what watches over the server goes with it. */
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

/** One verb of the program, as it is shipped, or of another version; resolves once it has ended. */
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

/** Resolves once the server listens. Throws where it ends before; null where it was cut before, as `cutAfterMs` asked. */
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
