import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { systemClock } from '@markbook/shared/clock'
import { findBrowser, profileFor } from './browser.ts'
import { addressOf, type Folders, foldersOf, type Machine, meetingPlace, serverEnvironment, times } from './config.ts'
import { type Keeper, keepServer } from './keeper.ts'
import { looking, showMessage } from './machine.ts'
import { meet, type Wish } from './meeting.ts'
import { choosePort } from './port.ts'
import { clientsAt, isReady, lastWords, type Program, startServer, ticketFor, turnLog } from './server.ts'
import { type Opening, openWindow, type Window } from './window.ts'
import { cannotStart, noBrowser, problemPage, wordsFor } from './words.ts'

/** `browser`: one to take instead of the one that is found. `flags`: more arguments for it. */
export type ShellOptions = {
  machine: Machine
  program: Program
  wish: Wish
  browser: string | null
  flags: readonly string[]
  locale: string
}

const FIRST_SETTINGS =
  '# Settings of Markbook on this computer, one a line: NAME=value. This program sets HOST, PORT and DATA_DIR itself.\n'

/** Runs the program until its window is closed, or hands the wish to the one that runs already. Answers the exit code. */
export async function runShell(options: ShellOptions): Promise<number> {
  const { machine, wish } = options
  const folders = foldersOf(machine)
  mkdirSync(folders.marks, { recursive: true, mode: 0o700 })
  const wishes = new Wishes()
  const met = await meet(meetingPlace(machine, folders), wish, (each) => wishes.add(each))
  if (met.role === 'heard') return 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => wishes.add('quit'))
  try {
    return wish === 'quit' ? 0 : await serveWindow(options, folders, wishes)
  } finally {
    await met.leave()
  }
}

/** What later starts asked for, in their order. */
class Wishes {
  readonly #waiting: Wish[] = []
  #heard: () => void = () => {}
  #quit: () => void = () => {}
  /** Somebody wants to quit, whatever else is going on. */
  readonly quit = new Promise<'quit'>((resolve) => {
    this.#quit = () => resolve('quit')
  })

  add(wish: Wish): void {
    this.#waiting.push(wish)
    this.#heard()
    if (wish === 'quit') this.#quit()
  }
  take(): Wish | undefined {
    return this.#waiting.shift()
  }
  next(): Promise<void> {
    return this.#waiting.length > 0 ? Promise.resolve() : new Promise((resolve) => (this.#heard = resolve))
  }
}

async function serveWindow(options: ShellOptions, folders: Folders, wishes: Wishes): Promise<number> {
  const { machine, locale } = options
  const words = wordsFor(locale)
  const browser = options.browser ?? findBrowser(machine, looking)
  if (!browser) {
    showMessage(noBrowser(words, machine.platform))
    return 1
  }
  const opening: Opening = { browser, profile: profileFor(browser, machine, folders.profile, looking), flags: options.flags }
  const port = await choosePort(folders.state)
  const secret = randomBytes(32).toString('base64url')
  const keeper = keep(options, folders, port, secret)
  try {
    // A large database is brought to a new version for minutes; nobody has to wait for that in order to leave.
    if ((await Promise.race([keeper.ready, wishes.quit])) === 'quit') {
      await keeper.stop()
      return 0
    }
  } catch {
    const message = cannotStart(words, lastWords(folders.log), folders.log)
    writeFileSync(folders.problem, problemPage(message, locale))
    console.error(message)
    await untilClosed(
      () => openWindow(pathToFileURL(folders.problem).href, opening),
      async () => 0,
      wishes,
      0,
    )
    return 1
  }
  const open = async () => openWindow(`${addressOf(port)}/window?ticket=${await ticketFor(port, secret)}`, opening)
  try {
    await untilClosed(open, () => clientsAt(port), wishes)
    return 0
  } catch (error) {
    showMessage(`${words.cannotOpen}\n${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    await keeper.stop()
  }
}

function keep({ machine, program }: ShellOptions, folders: Folders, port: number, secret: string): Keeper {
  turnLog(folders.log)
  // Without a file of its own the server would take the settings of the machine, which are those of the school's server.
  if (!existsSync(folders.settings)) writeFileSync(folders.settings, FIRST_SETTINGS, { mode: 0o600 })
  const environment = serverEnvironment(machine, folders, { port, secret })
  return keepServer({
    start: () => startServer({ program, folder: folders.own, environment, log: folders.log }),
    isReady: () => isReady(port),
    wait: (ms) => after(ms),
    now: systemClock.now,
    ended: (code) => console.error(`The server ended (${code ?? 'killed'}); it is started again.`),
  })
}

/** Until the window is closed and nobody is connected any more; whoever starts the program meanwhile sees the window again. */
async function untilClosed(
  open: () => Promise<Window>,
  clients: () => Promise<number>,
  wishes: Wishes,
  quiet: number = times.quiet,
): Promise<void> {
  let window: Window | null = await open()
  let opened = systemClock.now()
  for (;;) {
    const wished = wishes.next().then(() => 'wished' as const)
    const first: 'wished' | number | null = await Promise.race([window ? window.closed : wished, wished])
    if (first !== 'wished') {
      window = null
      if (first !== 0 && systemClock.now() - opened < times.soon && (await clients()) === 0) throw new Error(`(${first ?? 'killed'})`)
      if (await isQuiet(clients, wished, quiet)) return
    }
    const wish = wishes.take()
    if (wish === 'quit') {
      await window?.close()
      return
    }
    if (wish !== 'open' || (await window?.focus())) continue
    window = await open()
    opened = systemClock.now()
  }
}

/** True once nobody was connected for a while; false as soon as somebody wishes something. */
async function isQuiet(clients: () => Promise<number>, wished: Promise<'wished'>, quiet: number): Promise<boolean> {
  for (let since = systemClock.now(); systemClock.now() - since < quiet; ) {
    if ((await Promise.race([after(1_000), wished])) === 'wished') return false
    if ((await clients()) > 0) since = systemClock.now()
  }
  return true
}
