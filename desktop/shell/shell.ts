import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { systemClock } from '@markbook/shared/clock'
import { findBrowser, profileFor } from './browser.ts'
import { addressOf, type Folders, foldersOf, instanceSocket, type Machine, serverEnvironment, times } from './config.ts'
import { choosePort, clientsAt, isReady, lastLogMessage, type Program, rotateLog, startServer, ticketFor } from './server.ts'
import { acquireInstance, type InstanceCommand } from './single-instance.ts'
import { type Supervisor, superviseServer } from './supervisor.ts'
import { showMessage, systemLookup } from './system.ts'
import { openWindow, type Window, type WindowTarget } from './window.ts'
import { cannotStart, noBrowser, problemPage, wordsFor } from './words.ts'

/** `browser`: used instead of the one that is found. `flags`: further arguments for it. */
export type ShellOptions = {
  machine: Machine
  program: Program
  command: InstanceCommand
  browser: string | null
  flags: readonly string[]
  locale: string
}

const FIRST_SETTINGS =
  '# Settings of Markbook on this computer, one a line: NAME=value. This program sets HOST, PORT and DATA_DIR itself.\n'

/** Runs the program until its window is closed, or forwards the command to the running one. Answers the exit code. */
export async function runShell(options: ShellOptions): Promise<number> {
  const { machine, command } = options
  const folders = foldersOf(machine)
  mkdirSync(folders.marks, { recursive: true, mode: 0o700 })
  const commands = new CommandQueue()
  const instance = await acquireInstance(instanceSocket(machine, folders), command, (each) => commands.add(each))
  if (instance.role === 'forwarded') return 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => commands.add('quit'))
  try {
    return command === 'quit' ? 0 : await serveWindow(options, folders, commands)
  } finally {
    await instance.close()
  }
}

/** Commands of later processes, in order. */
class CommandQueue {
  readonly #waiting: InstanceCommand[] = []
  #received: () => void = () => {}
  #quit: () => void = () => {}
  /** Resolves as soon as a process asks to quit. */
  readonly quit = new Promise<'quit'>((resolve) => {
    this.#quit = () => resolve('quit')
  })

  add(command: InstanceCommand): void {
    this.#waiting.push(command)
    this.#received()
    if (command === 'quit') this.#quit()
  }
  take(): InstanceCommand | undefined {
    return this.#waiting.shift()
  }
  next(): Promise<void> {
    return this.#waiting.length > 0 ? Promise.resolve() : new Promise((resolve) => (this.#received = resolve))
  }
}

async function serveWindow(options: ShellOptions, folders: Folders, commands: CommandQueue): Promise<number> {
  const { machine, locale } = options
  const words = wordsFor(locale)
  const browser = options.browser ?? findBrowser(machine, systemLookup)
  if (!browser) {
    showMessage(noBrowser(words, machine.platform))
    return 1
  }
  const target: WindowTarget = { browser, profile: profileFor(browser, machine, folders.profile, systemLookup), flags: options.flags }
  const port = await choosePort(folders.state)
  const secret = randomBytes(32).toString('base64url')
  const supervisor = startSupervisor(options, folders, port, secret)
  try {
    // Migrating a large database takes minutes; the user can quit meanwhile.
    if ((await Promise.race([supervisor.ready, commands.quit])) === 'quit') {
      await supervisor.stop()
      return 0
    }
  } catch {
    const message = cannotStart(words, lastLogMessage(folders.log), folders.log)
    writeFileSync(folders.problem, problemPage(message, locale))
    console.error(message)
    await untilClosed(
      () => openWindow(pathToFileURL(folders.problem).href, target),
      async () => 0,
      commands,
      0,
    )
    return 1
  }
  const open = async () => openWindow(`${addressOf(port)}/window?ticket=${await ticketFor(port, secret)}`, target)
  try {
    await untilClosed(open, () => clientsAt(port), commands)
    return 0
  } catch (error) {
    showMessage(`${words.cannotOpen}\n${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    await supervisor.stop()
  }
}

function startSupervisor({ machine, program }: ShellOptions, folders: Folders, port: number, secret: string): Supervisor {
  rotateLog(folders.log)
  // Without this file the server would read the settings of a school's server on this machine.
  if (!existsSync(folders.settings)) writeFileSync(folders.settings, FIRST_SETTINGS, { mode: 0o600 })
  const environment = serverEnvironment(machine, folders, { port, secret })
  return superviseServer({
    start: () => startServer({ program, folder: folders.root, environment, log: folders.log }),
    isReady: () => isReady(port),
    wait: (ms) => sleep(ms),
    now: systemClock.now,
    ended: (code) => console.error(`The server ended (${code ?? 'killed'}); it is started again.`),
  })
}

/** Waits until the window is closed and no client is connected. A later start shows the window again. */
async function untilClosed(
  open: () => Promise<Window>,
  clients: () => Promise<number>,
  commands: CommandQueue,
  idleMs: number = times.idle,
): Promise<void> {
  let window: Window | null = await open()
  let openedAt = systemClock.now()
  for (;;) {
    const received = commands.next().then(() => 'received' as const)
    const first: 'received' | number | null = await Promise.race([window ? window.closed : received, received])
    if (first !== 'received') {
      window = null
      if (first !== 0 && systemClock.now() - openedAt < times.early && (await clients()) === 0) throw new Error(`(${first ?? 'killed'})`)
      if (await isIdle(clients, received, idleMs)) return
    }
    const command = commands.take()
    if (command === 'quit') {
      await window?.close()
      return
    }
    if (command !== 'open' || (await window?.focus())) continue
    window = await open()
    openedAt = systemClock.now()
  }
}

/** True once no client was connected for a while; false as soon as a command arrives. */
async function isIdle(clients: () => Promise<number>, received: Promise<'received'>, idleMs: number): Promise<boolean> {
  for (let since = systemClock.now(); systemClock.now() - since < idleMs; ) {
    if ((await Promise.race([sleep(1_000), received])) === 'received') return false
    if ((await clients()) > 0) since = systemClock.now()
  }
  return true
}
