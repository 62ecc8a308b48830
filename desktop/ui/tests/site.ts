import { rmSync } from 'node:fs'
import { type Client, clientOf } from '@markbook/shared/contract/client'
import { contract } from '@markbook/shared/contract/contract'
import { type PersonName, people } from '@markbook/shared/story/people'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { DEMO_ACCOUNTS } from '../../../server/cli/demo/accounts.ts'
import { loadStory } from '../../../server/cli/seed/seed.ts'
import { readConfig } from '../../../server/config.ts'
import { cookieName, sessionCookies } from '../../../server/http/cookies.ts'
import { startSession } from '../../../server/http/sessions.ts'
import { type Running, startServer } from '../../../server/start.ts'
import { asSystem } from '../../../server/store/tx.ts'
import { memoryFolder } from '../../../server/testing/memory-folder.ts'
import { builtWorker } from '../../../server/testing/program.ts'
import { openBrowser, openWindow } from './browser.ts'
import { NAME_OF_THIS_MACHINE } from './chromium.ts'

/**
 * A school's server as in production: SQLite, a port of this machine, the story, and the app at `/`. `stop` ends it, `start` starts it on
 * the same port and file; `restart` does both, and runs `work` in between.
 */
export type Site = {
  url: string
  running(): Running
  /** `work` runs while the server is stopped. */
  restart(work?: () => Promise<void>): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
  /** Gives the browser a session of this person, without the sign-in page. */
  signIn(context: BrowserContext, person: PersonName): Promise<void>
  /** The same for the account with this id, which need not be one of the story. */
  signInAs(context: BrowserContext, userId: string): Promise<void>
  /** A typed client with a separate session of this person, as another teacher elsewhere. */
  as(person: PersonName): Promise<Client<typeof contract>>
  close(): Promise<void>
}

/** `demo`: a demonstration with accounts to try. */
type SiteOptions = { story?: boolean; env?: Record<string, string>; demo?: boolean }

/**
 * A site and a browser, opened before the first test of a file and closed after the last. `open`: a window at a path, with the session of a
 * person.
 */
export function siteInBrowser(options: SiteOptions = {}) {
  let opened: { site: Site; browser: Browser } | undefined
  beforeAll(async () => {
    const [site, browser] = await Promise.all([openSite(options), openBrowser()])
    opened = { site, browser }
  })
  afterAll(async () => {
    await opened?.browser.close()
    await opened?.site.close()
  })
  const site = later(() => opened?.site)
  const browser = later(() => opened?.browser)
  const open = async (person: PersonName, path: string, windowOptions: BrowserContextOptions = {}) => {
    const window = await openWindow(browser, windowOptions)
    await site.signIn(window.context, person)
    await window.page.goto(`${site.url}${path}`)
    return window
  }
  return { site, browser, open }
}

/** Defers access: the object exists only once the tests have begun. */
const later = <T extends object>(of: () => T | undefined): T =>
  new Proxy({} as T, {
    get: (_, name) => {
      const target = of()
      if (!target) throw new Error('The tests of this file have not begun.')
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

export async function openSite({ story = true, env = {}, demo = false }: SiteOptions = {}): Promise<Site> {
  const folder = memoryFolder('markbook-ui-')
  const settings = (port: string) => ({
    SESSION_SECRET: 'a secret that only the tests of Markbook know',
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    PORT: port,
    LOG_LEVEL: 'silent',
    BACKUPS: 'false',
    ALLOWED_HOSTS: NAME_OF_THIS_MACHINE,
    ...env,
  })
  const options = { demo: demo ? DEMO_ACCOUNTS : [], documentWorker: builtWorker }
  let running = await startServer(readConfig(settings('0')), options)
  const { url, port } = running
  if (story) await loadStory(running.node.services.store)
  const cookiesOf = async (userId: string) => {
    const { store, keys, config } = running.node.services
    const session = await store.write(asSystem(), (tx) => startSession(tx, userId, keys))
    const named = { name: cookieName(config.cookiePrefix, config.projectRef), secure: false }
    return sessionCookies(session, named, 60, undefined).map((cookie) => (cookie.split(';')[0] ?? '').split('=') as [string, string])
  }
  const signInAs = async (context: BrowserContext, userId: string) => {
    const cookies = await cookiesOf(userId)
    await context.addCookies(cookies.map(([name, value]) => ({ name, value, url, httpOnly: true, sameSite: 'Lax' as const })))
  }
  const stop = () => running.stop()
  const start = async () => {
    running = await startServer(readConfig(settings(String(port))), options)
  }
  return {
    url,
    running: () => running,
    stop,
    start,
    restart: async (work = async () => {}) => {
      await stop()
      await work()
      await start()
    },
    signIn: (context, person) => signInAs(context, people[person].id),
    signInAs,
    as: async (person) => {
      const cookie = (await cookiesOf(people[person].id)).map((pair) => pair.join('=')).join('; ')
      const send = (request: Request) => {
        request.headers.set('cookie', cookie)
        return fetch(request)
      }
      return clientOf(contract, { baseUrl: url, send })
    },
    close: async () => {
      await running.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
