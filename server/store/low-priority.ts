import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { orNull } from '../or-null.ts'

/** How the program is started: node's first arguments. */
export type Program = readonly string[]
/** What a command of the program said, and how it ended: null where it was killed or never began. */
export type Ended = { code: number | null; message: string }

/** The bundle, or the source through tsx. */
const thisProgram = (): Program =>
  import.meta.filename.endsWith('.mjs') ? [import.meta.filename] : ['--import', 'tsx', join(import.meta.dirname, '..', 'cli', 'main.ts')]

/** Runs a command of this program in a process of its own, at low priority, so that what reads the whole database holds up no teacher. */
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
