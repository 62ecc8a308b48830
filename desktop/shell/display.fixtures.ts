import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Browser, chromium, type Page } from 'playwright-core'

const isThere = (program: string) => spawnSync('which', [program]).status === 0

/** What this machine lacks for a real window, as a sentence; null where it lacks nothing. */
export const lacking: string | null =
  process.platform !== 'linux'
    ? 'The tests in a real window run on Linux.'
    : !isThere('Xvfb')
      ? 'No Xvfb on this machine: the tests in a real window are skipped (apt-get install xvfb).'
      : null

/** A virtual screen of the size of an old PC's. `name` is the value of DISPLAY. */
export async function openScreen(): Promise<{ name: string; close(): void }> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1366x768x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const number = await new Promise<string>((resolve, reject) => {
    ;(child.stdio[3] as Readable).once('data', (text) => resolve(String(text).trim()))
    child.once('exit', () => reject(new Error('Xvfb has ended')))
  })
  return { name: `:${number}`, close: () => child.kill() }
}

/** The program as a user starts it. */
export type Run = { child: ChildProcess; output(): string; ended: Promise<number | null> }

/** As root a browser runs only without its sandbox; the other flags let a test look into the window. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--remote-debugging-port=0', '--lang=en'].map((flag) => `--browser-flag=${flag}`)

const FROM_SOURCE = [process.execPath, '--import', 'tsx', 'desktop/shell/main.ts']

export function startProgram(environment: Record<string, string>, more: readonly string[] = [], command = FROM_SOURCE): Run {
  const [program = '', ...own] = command
  const child = spawn(program, [...own, ...FLAGS, ...more], {
    env: { PATH: process.env['PATH'] ?? '', HOME: environment['XDG_DATA_HOME'] ?? '', LANG: 'en_GB.UTF-8', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part) => {
      text += part
    })
  return { child, output: () => text, ended: new Promise((resolve) => child.once('exit', resolve)) }
}

/** Polls until `look` returns a value, and returns it. Throws after `patience` ms; `what` is named in the error. */
export async function until<T>(look: () => T | undefined | Promise<T | undefined>, what: string, patience = 20_000): Promise<T> {
  for (let waited = 0; waited < patience; waited += 50) {
    const found = await (async () => look())().catch(() => undefined)
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${what}: not within ${patience / 1_000} s`)
}

/** The page in the window of a program that was started. */
export async function lookInto(profile: string): Promise<{ browser: Browser; page: Page }> {
  const port = await until(() => readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n')[0], 'the browser has started')
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
  const page = await until(() => browser.contexts()[0]?.pages()[0], 'a page is there')
  page.setDefaultTimeout(20_000)
  return { browser, page }
}
