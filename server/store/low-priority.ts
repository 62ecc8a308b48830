import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { orNull } from '../or-null.ts'

/** How the program is started: the first arguments of node. */
export type Program = readonly string[]
/** The output and exit code of a command; the code is null where it was killed or did not start. */
export type Ended = { code: number | null; message: string }

/** The bundle, or the sources through tsx. */
const thisProgram = (): Program =>
  import.meta.filename.endsWith('.mjs') ? [import.meta.filename] : ['--import', 'tsx', join(import.meta.dirname, '..', 'cli', 'main.ts')]

/**
 * Runs a command of this program in a process of its own at low priority, so that reading the whole database does not slow down the
 * server.
 */
export function runAside(args: readonly string[], program: Program = thisProgram()): { ended: Promise<Ended>; stop(): void } {
  const child = spawn(process.execPath, [...program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output = (output + part).slice(-4_000)))
  lowerPriority(child)
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => resolve({ code: null, message: error.message }))
    child.once('close', (code) => resolve({ code, message: output.trim() }))
  })
  return { ended, stop: () => void child.kill('SIGTERM') }
}

function lowerPriority({ pid }: ChildProcess) {
  if (pid) orNull(() => setPriority(pid, 10))
}
