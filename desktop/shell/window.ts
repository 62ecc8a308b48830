import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { browserArguments, type Preferences, withAppPreferences } from './browser.ts'
import { times } from './config.ts'
import { connectDevTools, type DevToolsConnection } from './devtools-pipe.ts'

/** `closed` gives the exit code of the browser; `focus` raises the window, false where it cannot. */
export type Window = { closed: Promise<number | null>; focus(): Promise<boolean>; close(): Promise<void> }
export type WindowTarget = { browser: string; profile: string; flags: readonly string[] }

/** Opens a URL in the system's browser, in a window and a profile of its own. Throws where the browser cannot be started. */
export async function openWindow(url: string, { browser, profile, flags }: WindowTarget): Promise<Window> {
  // Later windows keep their last size.
  const size = preparePreferences(profile) ? ['--start-maximized'] : []
  const child = spawn(browser, browserArguments({ url, profile, flags: [...size, ...flags] }), {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const closed = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  return { closed, ...controlOf(child) }
}

/** Adds the app's preferences to those of the profile. True where it had none, or an unreadable file. */
function preparePreferences(profile: string): boolean {
  const path = join(profile, 'Default', 'Preferences')
  mkdirSync(join(profile, 'Default'), { recursive: true, mode: 0o700 })
  let known: Preferences | null = null
  try {
    known = JSON.parse(readFileSync(path, 'utf8'))
  } catch {}
  const wanted = JSON.stringify(withAppPreferences(known ?? {}))
  if (wanted !== JSON.stringify(known)) writeFileSync(path, wanted)
  return known === null
}

type Target = { targetInfo: { targetId: string; type: string } }

function controlOf(child: ChildProcess): Pick<Window, 'focus' | 'close'> {
  const pages = new Set<string>()
  const connection: DevToolsConnection = connectDevTools(
    child.stdio[4] as Readable,
    child.stdio[3] as Writable,
    times.answer,
    (method, params) => {
      if (method === 'Target.targetCreated' && (params as Target).targetInfo.type === 'page')
        pages.add((params as Target).targetInfo.targetId)
      if (method !== 'Target.targetDestroyed' || !pages.delete((params as { targetId: string }).targetId)) return
      // Some browsers keep running without a window.
      if (pages.size === 0) setTimeout(() => pages.size === 0 && void close(), times.answer).unref()
    },
  )
  connection.send('Target.setDiscoverTargets', { discover: true }).catch(() => {})
  const close = async () => {
    await connection.send('Browser.close').catch(() => child.kill())
  }
  return {
    close,
    focus: async () => {
      const [page] = pages
      return (
        page !== undefined &&
        connection.send('Target.activateTarget', { targetId: page }).then(
          () => true,
          () => false,
        )
      )
    },
  }
}
