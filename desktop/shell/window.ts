import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { browserArguments, withOurPreferences } from './browser.ts'
import { times } from './config.ts'
import { type Talk, talkOver } from './pipe.ts'

/** A window of the program. `closed`: its browser has ended, with its exit code. `focus` brings it before the others; false where it cannot. */
export type Window = { closed: Promise<number | null>; focus(): Promise<boolean>; close(): Promise<void> }
export type Opening = { browser: string; profile: string; flags: readonly string[] }

/** Opens an address in the browser of the system, in a window and with a profile of our own. Throws where the browser cannot be started. */
export async function openWindow(url: string, { browser, profile, flags }: Opening): Promise<Window> {
  // Afterwards it is as large as it was left.
  const size = seedPreferences(profile) === 'new' ? ['--start-maximized'] : []
  const child = spawn(browser, browserArguments({ url, profile, flags: [...size, ...flags] }), {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const closed = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  return { closed, ...controlOf(child) }
}

/** What is there is kept; a profile that cannot be read is the browser's own business. */
function seedPreferences(profile: string): 'new' | 'known' {
  const path = join(profile, 'Default', 'Preferences')
  mkdirSync(join(profile, 'Default'), { recursive: true, mode: 0o700 })
  let known = {}
  let state: 'new' | 'known' = 'new'
  try {
    known = JSON.parse(readFileSync(path, 'utf8'))
    state = 'known'
  } catch {}
  const wanted = JSON.stringify(withOurPreferences(known))
  if (wanted !== JSON.stringify(known)) writeFileSync(path, wanted)
  return state
}

type Target = { targetInfo: { targetId: string; type: string } }

function controlOf(child: ChildProcess): Pick<Window, 'focus' | 'close'> {
  const pages = new Set<string>()
  const talk: Talk = talkOver(child.stdio[4] as Readable, child.stdio[3] as Writable, times.browser, (method, params) => {
    if (method === 'Target.targetCreated' && (params as Target).targetInfo.type === 'page')
      pages.add((params as Target).targetInfo.targetId)
    if (method !== 'Target.targetDestroyed' || !pages.delete((params as { targetId: string }).targetId)) return
    // Some browsers go on in the background without a window; this one is only for ours.
    if (pages.size === 0) setTimeout(() => pages.size === 0 && void close(), times.browser).unref()
  })
  talk.ask('Target.setDiscoverTargets', { discover: true }).catch(() => {})
  const close = async () => {
    await talk.ask('Browser.close').catch(() => child.kill())
  }
  return {
    close,
    focus: async () => {
      const [page] = pages
      return (
        page !== undefined &&
        talk.ask('Target.activateTarget', { targetId: page }).then(
          () => true,
          () => false,
        )
      )
    },
  }
}
