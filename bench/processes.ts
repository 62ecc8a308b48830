import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundle, folderIn, root } from './places.ts'
import type { Job, Result } from './programs/load.ts'
import type { Usage } from './programs/probe.ts'

/** A process that is measured, or that measures. */
export type Program = {
  port: number
  /** From its start until it answered. */
  readyMs: number
  usage(): Promise<Usage>
  ask<R>(message: object, name: string): Promise<R>
  stop(): Promise<void>
}

/** Beside the server's bundle, from where the store finds its migrations. */
const built = (name: string) => join(root, 'dist', `bench-${name}.mjs`)
/** Where `--profile` puts what the measured processes did; null for no profiles. */
let profiles: string | null = null
export const keepProfiles = () => {
  profiles = folderIn('profiles')
}

/** The controls are bundled the way the server is, so that neither side runs through a loader. */
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
export const stopAll = () => Promise.all([...running].map((program) => program.stop()))

type Message = Record<string, unknown>
/** Longer than any one step of a benchmark takes. */
const PATIENCE = 600_000

/** Waits for a message with this field. */
const heard = <R>(child: ChildProcess, name: string): Promise<R> =>
  new Promise((resolve, reject) => {
    const settled = (settle: () => void) => {
      clearTimeout(overdue)
      child.off('message', listen)
      child.off('exit', ended)
      settle()
    }
    const fail = (why: string) => settled(() => reject(new Error(`${basename(child.spawnargs[3] ?? '')} ${why}`)))
    const listen = (message: Message) => {
      if ('failure' in message) fail(String(message['failure']))
      else if (name in message) settled(() => resolve(message[name] as R))
    }
    const ended = () => fail('ended')
    const overdue = setTimeout(() => fail('did not answer'), PATIENCE)
    child.on('message', listen)
    child.once('exit', ended)
  })

type Start = { file: string; args: readonly string[]; env?: Record<string, string>; ready: (child: ChildProcess) => Promise<number> }

async function start({ file, args, env = {}, ready }: Start): Promise<Program> {
  const flags =
    profiles === null
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${basename(file, '.mjs')}-${Date.now()}.cpuprofile`]
  const started = performance.now()
  const child = spawn(process.execPath, [...flags, '--import', pathToFileURL(built('probe')).href, file, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  const ask = <R>(message: object, name: string): Promise<R> => {
    const answer = heard<R>(child, name)
    child.send(message)
    return answer
  }
  const program: Program = {
    port: 0,
    readyMs: 0,
    usage: () => ask({ usage: true }, 'usage'),
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

/** One of `bench/controls` or `bench/programs`, which says its port when it listens. */
export const startProgram = (name: string, ...args: string[]): Promise<Program> =>
  start({ file: built(name), args, ready: (child) => heard<number>(child, 'port') })

/** One of `bench/peers`, which has packages of its own. */
export const startPeer = (name: string, ...args: string[]): Promise<Program> =>
  start({ file: join(root, 'bench', 'peers', `${name}.mjs`), args, ready: (child) => heard<number>(child, 'port') })

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

const isReady = (port: number) =>
  new Promise<boolean>((resolve) => {
    get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).once('error', () => resolve(false))
  })

/** The server as it is shipped, on a database of the benchmark. */
export async function startServer(env: Record<string, string>): Promise<Program> {
  const port = await freePort()
  const ready = async (child: ChildProcess) => {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error('the server ended before it was ready')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return port
  }
  return start({ file: bundle, args: ['start'], env: { PORT: String(port), ...env }, ready })
}

let loader: Promise<Program> | undefined
/** Sends requests from a process of its own. Throws where one is refused. */
export async function load(job: Job): Promise<Result> {
  loader ??= startProgram('load')
  const result = await (await loader).ask<Result>(job, 'result')
  if (result.refused !== null) throw new Error(`a request of the benchmark was refused: ${result.refused}`)
  return result
}
