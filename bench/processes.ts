import { type ChildProcess, spawn } from 'node:child_process'
import { on } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { freePort } from '@markbook/server/testing/cluster'
import { build } from 'esbuild'
import type { At } from './fill.ts'
import { bundle, folderIn, root } from './paths.ts'
import type { Job, Result } from './programs/load.ts'
import type { Usage } from './programs/probe.ts'

/** A process of the benchmark: one that is measured, or one that sends requests. */
export type Program = {
  port: number
  /** The time in ms from the start to the first answer. */
  readyMs: number
  usage(): Promise<Usage>
  /** Sends a command (`serveCommands`) and returns its result. */
  ask<R>(command: string, input?: unknown): Promise<R>
  stop(): Promise<void>
}

/** Beside the server's bundle: the store looks for its migrations there. */
const built = (name: string) => join(root, 'dist', `bench-${name}.mjs`)
/** The folder for the CPU profiles of `--profile`; null for none. */
let profiles: string | null = null
export const keepProfiles = () => {
  profiles = folderIn('profiles')
}

/** Bundles the controls like the server, so that neither side runs through a loader. */
export async function bundlePrograms(): Promise<void> {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'server', 'package.json'), 'utf8')) as { dependencies: object }
  await build({
    entryPoints: ['controls', 'programs'].flatMap((folder) =>
      readdirSync(join(root, 'bench', folder)).map((file) => join(root, 'bench', folder, file)),
    ),
    outdir: join(root, 'dist'),
    outExtension: { '.js': '.mjs' },
    entryNames: 'bench-[name]',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
    external: Object.keys(dependencies).filter((name) => !name.startsWith('@markbook/')),
  })
}

const running = new Set<Program>()
let loader: Promise<Program> | undefined
export async function stopAll(): Promise<void> {
  loader = undefined
  await Promise.all([...running].map((program) => program.stop()))
}

/** More than the longest step of a benchmark takes. */
const TIMEOUT_MS = 600_000

/** Waits for a message with this field, and returns the field. Throws where the process fails, ends or is too slow. */
async function messageFrom<R>(child: ChildProcess, name: string): Promise<R> {
  const program = basename(child.spawnargs[3] ?? '')
  const overdue = new AbortController()
  setTimeout(() => overdue.abort(`${program} did not answer`), TIMEOUT_MS).unref()
  for await (const [message] of on(child, 'message', { close: ['exit'], signal: overdue.signal })) {
    if ('failure' in message) throw new Error(`${program} ${message.failure}`)
    if (name in message) return message[name]
  }
  throw new Error(`${program} ended`)
}

type Ready = (child: ChildProcess) => Promise<number>

async function start(file: string, args: readonly string[], env: Record<string, string>, ready: Ready): Promise<Program> {
  const flags =
    profiles === null
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${basename(file, '.mjs')}-${Date.now()}.cpuprofile`]
  const started = performance.now()
  const child = spawn(process.execPath, [...flags, '--import', pathToFileURL(built('probe')).href, file, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  const ask = <R>(command: string, input: unknown = true): Promise<R> => {
    const answer = messageFrom<R>(child, command)
    child.send({ [command]: input })
    return answer
  }
  const program: Program = {
    port: 0,
    readyMs: 0,
    usage: () => ask('usage'),
    ask,
    stop: async () => {
      running.delete(program)
      if (child.exitCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }
  running.add(program)
  program.port = await ready(child)
  program.readyMs = performance.now() - started
  return program
}

const startFile = (file: string, args: readonly string[]) => start(file, args, {}, (child) => messageFrom<number>(child, 'port'))
/** Starts a program of `bench/controls` or `bench/programs`, which sends its port when it listens. */
export const startProgram = (name: string, ...args: string[]): Promise<Program> => startFile(built(name), args)
/** Starts a program of `bench/peers`, which has npm packages of its own. */
export const startPeer = (name: string, ...args: string[]): Promise<Program> => startFile(join(root, 'bench', 'peers', `${name}.mjs`), args)

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

export const SECRET = 'a secret that only the benchmark of Markbook knows'
/** Starts the bundle of the server on a database of the benchmark. */
export async function startServer(at: At, env: Record<string, string> = {}): Promise<Program> {
  const port = await freePort()
  const own = { PORT: String(port), SESSION_SECRET: SECRET, ...('folder' in at ? { DATA_DIR: at.folder } : { DATABASE_URL: at.url }) }
  const ready = async (child: ChildProcess) => {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error('the server ended before it was ready')
      await pause(5)
    }
    return port
  }
  return start(bundle, ['start'], { ...own, ...env }, ready)
}

/** Sends requests from a process of its own. Throws where one is refused. */
export async function load(job: Job): Promise<Result> {
  loader ??= startProgram('load')
  const result = await (await loader).ask<Result>('load', job)
  if (result.refused !== null) throw new Error(`a request of the benchmark was refused: ${result.refused}`)
  return result
}
