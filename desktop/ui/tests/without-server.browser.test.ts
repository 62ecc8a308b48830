import { createServer, request, type Server } from 'node:http'
import { mathsQuiz, mei, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectForEverybody, openBrowser, openWindow, picture, sizes } from './browser.ts'
import { headlessPath, NAME_OF_THIS_MACHINE } from './chromium.ts'
import { cell, GRID, openGrid, textOf } from './grid.ts'
import { openSite, type Site } from './site.ts'

describe.skipIf(!headlessPath)('the app while its server is away', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    site = await openSite()
  })
  afterEach(async () => {
    await browser.close()
    await site.close()
  })

  /** Opens the grid, and waits until the browser has stored the app and the grid's data. */
  const openKept = async (person: 'ada' | 'byrne' = 'ada') => {
    const opened = await openGrid(site, browser, person, { serviceWorkers: 'allow' })
    await kept(opened.page)
    return opened
  }
  const kept = async (page: Page) => {
    await page.evaluate(async () => void (await navigator.serviceWorker.ready))
    await expect.poll(async () => [await replies(page), await page.waitForTimeout(1_000), await replies(page)]).toSatisfy(isSteady)
  }
  /** The number of replies that this browser has stored for this person and school. */
  const replies = (page: Page, start = people.ada.id) =>
    page.evaluate(
      (id) =>
        new Promise<number>((resolve) => {
          const opening = indexedDB.open('markbook')
          opening.onerror = () => resolve(-1)
          opening.onblocked = () => resolve(-2)
          opening.onsuccess = () => {
            if (!opening.result.objectStoreNames.contains('replies')) return resolve(-3)
            const keys = opening.result.transaction('replies').objectStore('replies').getAllKeys()
            keys.onsuccess = () => {
              opening.result.close()
              resolve((keys.result as string[][]).filter((key) => key[0] === id || id === '').length)
            }
          }
        }),
      start,
    )
  const scoreOf = async (studentId: string) =>
    (await (await site.as('okafor')).grades.list({ query: { assessmentId: mathsQuiz.id } })).find(
      ({ student_id }) => student_id === studentId,
    )?.score
  const enter = async (page: Page, row: number, mark: string) => {
    await cell(page, row, 0).click()
    await page.keyboard.type(mark)
    await page.keyboard.press('Enter')
  }
  const away = (page: Page) => page.getByText('The server cannot be reached. This is what was here on')
  const open = async (context: BrowserContext, path: string) => {
    const page = await context.newPage()
    await page.goto(`${site.url}${path}`)
    return page
  }

  /** Signs Ada in at another address of the same server. */
  const signInAt = async (context: BrowserContext, url: string) => {
    await site.signIn(context, 'ada')
    const cookies = await context.cookies()
    await context.addCookies(cookies.map(({ name, value }) => ({ name, value, url, httpOnly: true, sameSite: 'Lax' as const })))
  }

  test('opens, shows stored data, takes marks, and keeps them after the window is closed, until they are saved', async () => {
    const { context, page, faults } = await openKept()
    const before = await scoreOf(zoe.id)
    let later: Page | undefined
    await site.restart(async () => {
      await page.reload()
      await away(page).waitFor()
      await expect.poll(() => textOf(page, 0, 2)).toBe('71')
      await picture(page, 'away-marks')
      await expectForEverybody(page)
      await enter(page, 0, '7')
      const waiting = page.getByText('1 mark is on this device and not saved yet')
      await waiting.waitFor()
      // One notice has both messages, so that the rows stay in view.
      await page.getByText('What is shown is of').waitFor()
      expect(await away(page).count()).toBe(0)
      expect(await page.getByRole('button', { name: /^Try/ }).count()).toBe(1)
      await picture(page, 'away-marks-waiting')
      await page.close()
      later = await open(context, GRID)
      await expect.poll(() => cell(later as Page, 0, 0).innerText()).toContain('7')
      await enter(later, 1, '8')
      await later.getByText('2 marks are on this device and not saved yet').waitFor()
      await later.getByRole('link', { name: 'Today' }).click()
      // The page of marks stays in the document, hidden, until Today is loaded.
      await expect.poll(() => later?.locator('[role="grid"]').count()).toBe(0)
      await later.getByText('2 marks are on this device and not saved yet').waitFor()
      await picture(later, 'away-today')
      // The server is known to be away: a page that was never opened says at once that it cannot be shown.
      await later.getByRole('link', { name: 'Pupils', exact: true }).click()
      await later.getByRole('main').getByText('The server cannot be reached. Check').first().waitFor({ timeout: 4_000 })
    })
    expect(before).not.toBe(7)
    await expect.poll(() => scoreOf(zoe.id), { timeout: 60_000 }).toBe(7)
    await expect.poll(() => scoreOf(mei.id), { timeout: 60_000 }).toBe(8)
    await away(later as Page).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })

  test('a grid that was opened from Today, whose term nobody chose, and Today itself are shown after a reload', async () => {
    const { context, page, faults } = await openWindow(browser, { serviceWorkers: 'allow' })
    await site.signIn(context, 'ada')
    await page.goto(site.url)
    await page.getByRole('link', { name: 'Enter marks' }).first().click()
    await cell(page, 0, 0).waitFor()
    await kept(page)
    await site.restart(async () => {
      let asked = 0
      page.on('request', (request) => {
        if (request.url().includes('/api/terms/')) asked += 1
      })
      await page.reload()
      await cell(page, 0, 0).waitFor()
      await enter(page, 0, '7')
      await page.getByText('1 mark is on this device and not saved yet').waitFor()
      await page.goto(site.url)
      await page.getByRole('link', { name: 'Enter marks' }).first().waitFor()
      expect(asked).toBeLessThan(10)
    })
    await expect.poll(() => page.getByText('1 mark is on this device').count(), { timeout: 60_000 }).toBe(0)
    expect(faults).toEqual([])
  })

  test('the files of a second start come from the cache, and replies from the server, without the service worker', async () => {
    const { context, page, faults } = await openKept()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    const sources: Record<'assets' | 'api', Set<string | undefined>> = { assets: new Set(), api: new Set() }
    devtools.on('Network.responseReceived', ({ response }) => {
      const folder = /^\/(assets|api)\//.exec(new URL(response.url).pathname)?.[1] as 'assets' | 'api' | undefined
      if (folder) sources[folder].add(response.serviceWorkerRouterInfo?.actualSourceType)
    })
    await page.reload()
    await page.getByRole('grid').waitFor()
    expect(sources).toEqual({ assets: new Set(['cache']), api: new Set(['network']) })
    expect(faults).toEqual([])
    await context.close()
  })

  test('a page that was never opened says so, and is shown by itself once the server is back', async () => {
    const { page } = await openKept()
    await site.restart(async () => {
      await page.getByRole('link', { name: 'Pupils', exact: true }).click()
      await page.getByRole('main').getByText('The server cannot be reached. Check').first().waitFor({ timeout: 30_000 })
    })
    await page.getByRole('main').getByRole('table').waitFor({ timeout: 60_000 })
  })

  test('once the server is heard again nothing says that it cannot be reached', async () => {
    const { page, faults } = await openKept()
    await page.clock.install()
    await site.restart(async () => {
      await page.reload()
      await away(page).waitFor()
      // The page looks for the server by itself ten seconds later.
      await page.clock.pauseAt(await page.evaluate(() => Date.now() + 100))
    })
    const isHeard = page.waitForResponse(/\/api\/sync\/events/)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await isHeard
    for (let step = 0; step < 40 && (await away(page).count()) > 0; step += 1) {
      await page.clock.runFor(100)
      await page.waitForTimeout(50)
    }
    expect(await away(page).count()).toBe(0)
    await cell(page, 0, 0).waitFor()
    expect(faults).toEqual([])
  })

  test('after a sign-out nothing can be read, and the server ends the session when it is back', async () => {
    const { context, page } = await openKept()
    await site.restart(async () => {
      await enter(page, 0, '7')
      await page.getByText('1 mark is on this device and not saved yet').waitFor()
      await page.getByRole('button', { name: /^Account of/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      const dialog = page.getByRole('dialog', { name: 'Sign out?' })
      await dialog.getByText('It stays here for you alone').waitFor()
      await picture(page, 'away-sign-out')
      await dialog.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(/\/sign-in/)
      expect(await replies(page, '')).toBe(0)
      const next = await open(context, GRID)
      await next.waitForURL(/\/sign-in/)
    })
    const next = await open(context, '/')
    await next.waitForURL(/\/sign-in/)
    await next.getByLabel(/mail/i).waitFor()
    // Nor is the frame shown to whom the sign-out was for, under a question to sign in again.
    expect(await next.getByRole('dialog').count()).toBe(0)
    expect((await context.request.get(`${site.url}/api/auth/me`)).status()).toBe(401)
    expect(await scoreOf(zoe.id)).not.toBe(7)
    // The mark belongs to her alone, and waits until she signs in.
    await site.signIn(context, 'byrne')
    const theirs = await open(context, GRID)
    await theirs.getByRole('grid').waitFor()
    expect(await theirs.getByText('on this device and not saved yet').count()).toBe(0)
    await context.clearCookies()
    await site.signIn(context, 'ada')
    await open(context, '/')
    await expect.poll(() => scoreOf(zoe.id), { timeout: 60_000 }).toBe(7)
  })

  test('stores nothing of a person for the next one, or after a sign-out in another window', async () => {
    const { context, page } = await openKept()
    await context.clearCookies()
    await site.signIn(context, 'byrne')
    await page.goto(`${site.url}/account`)
    await expect.poll(() => replies(page)).toBe(0)
    await expect.poll(() => replies(page, people.byrne.id)).toBeGreaterThan(0)
    await (await site.as('byrne')).auth.logout()
    await context.clearCookies()
    await page.goto(`${site.url}/account`)
    await page.waitForURL(/\/sign-in/)
    expect(await replies(page, '')).toBe(0)
  })

  test('where the storage of a telephone is full, every page says that marks are in this window alone, and nothing closes it unasked', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', { viewport: sizes.phone, hasTouch: true, isMobile: true })
    const toToday = async () => {
      await page.getByRole('button', { name: 'Open the menu' }).tap()
      await page.getByRole('navigation').getByRole('link', { name: 'Today' }).tap()
      await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    }
    // Its file is loaded while the server answers, since tests have no service worker.
    await toToday()
    await page.goBack()
    await cell(page, 0, 2).waitFor()
    await page.evaluate(() => {
      const full = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
      IDBObjectStore.prototype.put = full
      Storage.prototype.setItem = full
    })
    const only = page.getByText('What is not saved yet is in this window alone', { exact: false })
    await site.restart(async () => {
      await cell(page, 0, 0).tap()
      await page.keyboard.type('7')
      await page.keyboard.press('Enter')
      await only.waitFor()
      await page.getByText('Everything is saved.', { exact: true }).waitFor({ state: 'detached' })
      await page.keyboard.press('Escape')
      // The same of the same mark in the bar and below the grid.
      await page.getByRole('banner').getByText('1 entry is in this window alone and not saved yet').waitFor()
      expect(await page.getByRole('main').getByText('1 mark is on this device').count()).toBe(0)
      await picture(page, 'full-marks-phone')
      await toToday()
      await only.waitFor()
      expect(await page.getByRole('main').getByText('1 mark is on this device').count()).toBe(0)
      await picture(page, 'full-other-page-phone')
      await page.getByRole('button', { name: /^Account of/ }).tap()
      await page.getByRole('menuitem', { name: 'Sign out' }).tap()
      await page.getByRole('dialog').getByText('signing out loses it', { exact: false }).waitFor()
      await expectForEverybody(page)
      await picture(page, 'full-sign-out-phone')
      await page.getByRole('button', { name: 'Cancel' }).tap()
      const asked = page.waitForEvent('dialog')
      const closing = page.close({ runBeforeUnload: true })
      const question = await asked
      expect(question.type()).toBe('beforeunload')
      await question.dismiss()
      await closing
    })
    await expect.poll(() => scoreOf(zoe.id), { timeout: 40_000 }).toBe(7)
    await only.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('a part that cannot be loaded ends no page, which may have entries that are nowhere else', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', { viewport: sizes.pc })
    let away = true
    const asked: string[] = []
    await page.route(/assets\/(figure-panel|unsaved-notice|unsaved-reports)-/, (route) => {
      asked.push(new URL(route.request().url()).pathname)
      return away ? route.abort() : route.continue()
    })
    const figure = page.getByRole('gridcell', { name: /78\.60/ }).first()
    await figure.click()
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    await page.getByRole('link', { name: 'Today', exact: true }).click()
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    await expect.poll(() => asked.filter((path) => path.includes('unsaved-reports')).length).toBeGreaterThan(0)
    away = false
    const before = asked.length
    await expect.poll(() => asked.length, { timeout: 20_000 }).toBeGreaterThan(before)
    await page.goBack()
    await figure.click()
    await page.getByRole('dialog').getByRole('heading', { level: 2 }).waitFor()
    expect(faults.filter((fault) => !fault.includes('Failed to load resource'))).toEqual([])
    await context.close()
  })

  test('leaves to the server every path that is no page of the app', async () => {
    const { page } = await openKept()
    for (const path of ['/window?ticket=abc', '/docs', '/api/auth/me', '/healthz', '/storage/none']) {
      const reply = await page.goto(`${site.url}${path}`)
      expect([path, reply?.fromServiceWorker()]).toEqual([path, false])
    }
    expect((await page.goto(`${site.url}/account`))?.fromServiceWorker()).toBe(true)
  })

  test('over http at a host name the app is not stored, and the page says so; other pages are loaded before the server is away', async () => {
    const { context, page, faults } = await openWindow(browser, { serviceWorkers: 'allow' })
    const url = `http://${NAME_OF_THIS_MACHINE}:${site.running().port}`
    await signInAt(context, url)
    await page.goto(`${url}${GRID}`)
    await expect.poll(() => textOf(page, 0, 2)).toBe('71')
    const isLoaded = (name: string) =>
      page.evaluate((part) => performance.getEntriesByType('resource').some((file) => file.name.includes(part)), name)
    await expect.poll(() => isLoaded('/assets/account-page-'), { timeout: 20_000 }).toBe(true)
    await site.restart(async () => {
      await page.getByText('Leave this page open').waitFor()
      await enter(page, 0, '7')
      await page.getByText('1 mark is on this device and not saved yet').waitFor()
      await page.getByRole('link', { name: 'Pupils', exact: true }).click()
      await page.getByRole('heading', { name: 'Pupils', level: 1 }).waitFor()
      await page.getByText('1 mark is on this device and not saved yet').waitFor()
      await page.goBack()
      await cell(page, 0, 0).getByText('7').waitFor()
    })
    await expect.poll(() => scoreOf(zoe.id), { timeout: 60_000 }).toBe(7)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a newer version of the app waits until it is asked for', async () => {
    const proxy = await newerApp(site)
    try {
      const { context, page } = await openWindow(browser, { serviceWorkers: 'allow' })
      await signInAt(context, proxy.url)
      await page.goto(`${proxy.url}${GRID}`)
      await kept(page)
      await page.reload()
      await page.getByRole('grid').waitFor()
      expect(await page.getByText('A newer Markbook is ready.').count()).toBe(0)
      proxy.isNewer = true
      await page.reload()
      await page.getByRole('link', { name: 'Today' }).click()
      await page.getByText('A newer Markbook is ready.').waitFor()
      await picture(page, 'newer-app')
      await page.getByRole('button', { name: 'Open it now' }).click()
      await expect.poll(() => page.getByText('A newer Markbook is ready.').count()).toBe(0)
      await page.getByRole('heading', { name: 'Today' }).waitFor()
    } finally {
      proxy.server.close()
    }
  })
})

/** Whether the value was above 5 and did not change within a second. */
const isSteady = ([before, , now]: unknown[]) => before === now && Number(now) > 5

/** The same server on another port, with a changed service worker. */
async function newerApp(site: Site): Promise<{ url: string; isNewer: boolean; server: Server }> {
  const { port } = site.running()
  const proxy = { url: '', isNewer: false, server: createServer() }
  proxy.server.on('request', (asked, answer) => {
    const headers = { ...asked.headers, host: `127.0.0.1:${port}`, 'accept-encoding': 'identity' }
    if (headers.origin) headers.origin = site.url
    const passed = request({ port, host: '127.0.0.1', path: asked.url, method: asked.method, headers }, (reply) => {
      const isWorker = asked.url === '/service-worker.js' && proxy.isNewer
      const { 'content-length': length, ...others } = reply.headers
      answer.writeHead(reply.statusCode ?? 500, isWorker ? others : reply.headers)
      if (isWorker) answer.write('// newer\n')
      reply.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => void proxy.server.listen(0, '127.0.0.1', resolve))
  proxy.url = `http://127.0.0.1:${(proxy.server.address() as { port: number }).port}`
  return proxy
}
