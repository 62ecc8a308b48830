import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../../desktop/ui/tests/chromium.ts'
import { appSchool, type ClassSize } from '../app-school.ts'
import { type Bench, type BenchRow, within } from '../bench-row.ts'
import { root } from '../paths.ts'
import { startServer } from '../processes.ts'
import { signIn } from '../requests.ts'
import { median, quantile } from '../statistics.ts'

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync']
const OLD_PC = { width: 1366, height: 768 }

/** Until a frame that shows it has been handed over. */
const PAINTED = `window.painted = () => new Promise((resolve) => requestAnimationFrame(() => {
  const channel = new MessageChannel()
  channel.port1.onmessage = () => resolve(performance.now())
  channel.port2.postMessage(null)
}))`

type Served = {
  url: string
  group: string
  subject: string
  term: string
  /** A page in a window of its own, with these scripts in it; of the head, unless `isKnown` is false. */
  open(script: string, isKnown?: boolean): Promise<Page>
}

/** A server with such a class, in a real browser, or, where this machine has none, a line that says so. */
const inBrowser =
  (size: ClassSize, measure: (at: Served, pairs: number) => Promise<BenchRow[]>): Bench =>
  async ({ pairs }) => {
    if (!chromiumPath) {
      console.error('No Chromium on this machine: what the app does in a browser is not measured (apt-get install chromium).')
      return []
    }
    const { folder, ...ids } = await appSchool(size)
    const { head } = await signIn('year', { folder })
    const program = await startServer({ folder }, { BACKUPS: 'false' })
    const url = `http://127.0.0.1:${program.port}`
    const [name = '', value = ''] = head.split(/=(.*)/)
    const browser = await chromium.launch({ executablePath: chromiumPath, headless: true, args: ARGUMENTS })
    const open = async (script: string, isKnown = true) => {
      const context = await browser.newContext({ viewport: OLD_PC, locale: 'en-IE' })
      if (isKnown) await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }])
      const page = await context.newPage()
      await page.addInitScript(`${PAINTED};${script}`)
      return page
    }
    return measure({ url, ...ids, open }, pairs).finally(() => browser.close())
  }

const sizeOf = (path: string) => {
  const file = join(root, 'dist', 'app', path)
  return existsSync(`${file}.gz`) ? statSync(`${file}.gz`).size : readFileSync(file).length
}

/** Until the field for the address has the focus in a frame that was handed over: from then on a key that is struck is not lost. */
const WATCH_FIELD = `(() => {
  const look = () => {
    const field = document.querySelector('input[name=email]')
    if (field && field === document.activeElement) window.painted().then((to) => { window.usable = to })
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`

const PATIENCE_MS = 30_000

/** What the page said under this name, which its content policy lets nobody wait for inside it. */
async function saidBy(page: Page, name: string): Promise<number> {
  const end = Date.now() + PATIENCE_MS
  while (Date.now() < end) {
    const said = (await page.evaluate(`window.${name} ?? null`)) as number | null
    if (said !== null) return said
    await page.waitForTimeout(15)
  }
  throw new Error(`nothing is ${name} on ${page.url()}: ${(await page.content()).slice(0, 400)}`)
}

type Loaded = { usable: number; sent: number; scripts: string[] }

/**
 * One visit of somebody who was never here, on a slow computer. As soon as the field can be typed in, an address is typed and sent: only
 * a page that asks for a code for that address, once, counts as one that can be used.
 */
async function visit(page: Page, url: string, address: string): Promise<Loaded> {
  const scripts = new Set<string>()
  const posts: string[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.endsWith('.js')) scripts.add(pathname)
  })
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(new URL(request.url()).pathname)
  })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.goto(`${url}/sign-in`, { waitUntil: 'commit' })
  const usable = await saidBy(page, 'usable')
  await page.keyboard.insertText(address)
  await page.keyboard.press('Enter')
  await page.getByLabel('Code', { exact: true }).waitFor()
  const sent = await page.evaluate(() => performance.getEntriesByType('resource').find(({ name }) => name.includes('/otp/'))?.startTime)
  // Also what the page fetches for later, once it has nothing else to do.
  await page.waitForLoadState('networkidle')
  // The app keeps a copy of each request, and of such a one the browser tells no body: what the page says was asked for counts.
  const isAddressed = (await page.locator('main').innerText()).includes(address)
  if (posts.join() !== '/api/auth/otp/send' || !isAddressed) throw new Error(`typed at once, sent: ${posts.join(' and ')}`)
  return { usable, sent: sent ?? Number.NaN, scripts: [...scripts] }
}

const listed = (ms: readonly number[]) => ms.map((one) => one.toFixed(0)).join(', ')

/** The sign-in page of somebody who was never here: what it loads, and when it can be used, on a slow computer. */
export const appLoad = inBrowser({ pupils: 40, assessments: 12 }, async ({ url, open }, pairs) => {
  const visits: Loaded[] = []
  for (let round = 0; round < pairs; round += 1) {
    const page = await open(WATCH_FIELD, false)
    visits.push(await visit(page, url, `teacher${round}@markbook.test`))
    await page.context().close()
  }
  const scripts = [...new Set(visits.flatMap((one) => one.scripts))]
  const usable = visits.map((one) => one.usable)
  const sent = visits.map((one) => one.sent)
  return [
    {
      what: 'first load of the app: script, gzip',
      control: 'none',
      target: within(160, 'KB'),
      measured: scripts.reduce((sum, path) => sum + sizeOf(path), 0) / 1_024,
      figure: `${scripts.length} files, with what is fetched for the pages after it`,
    },
    {
      what: 'until the sign-in page can be used, CPU throttled 4 ×',
      control: 'none',
      target: within(1, 's'),
      measured: median(usable) / 1_000,
      figure: `${listed(usable)} ms; an address that is sent that moment goes out after ${listed(sent)} ms, median ${median(sent).toFixed(0)}`,
    },
  ]
})

/** Each key: from its event to the frame that shows what it did. */
const WATCH_KEYS = `window.keys = []
addEventListener('keydown', (event) => { const from = event.timeStamp; window.painted().then((to) => window.keys.push(to - from)) }, true)`

/** Marks down a column, with arrows between: what a teacher does. */
async function typeMarks(page: Page, rows: number): Promise<number[]> {
  await page.locator('[role=grid]').focus()
  await page.evaluate('window.keys.length = 0')
  for (let row = 0; row < rows; row += 1) {
    for (const key of [
      String((row % 9) + 1),
      String(row % 10),
      'Enter',
      ...(row % 5 === 0 ? ['ArrowRight', 'ArrowLeft'] : []),
      ...(row % 20 === 19 ? ['PageDown'] : []),
    ]) {
      await page.keyboard.press(key)
      await page.waitForTimeout(20)
    }
  }
  await page.waitForTimeout(200)
  return page.evaluate('window.keys')
}

/** The same watch over a page with nothing but a field: what this machine takes for a frame. */
async function bareKeys({ url, open }: Served): Promise<number[]> {
  const bare = await open(WATCH_KEYS)
  await bare.goto(`${url}/icon.svg`)
  await bare.evaluate(() => document.documentElement.append(document.createElementNS('http://www.w3.org/1999/xhtml', 'input')))
  for (let at = 0; at < 100; at += 1) {
    await bare.keyboard.press('5')
    await bare.waitForTimeout(20)
  }
  return bare.evaluate('window.keys')
}

export const appKeys = inBrowser({ pupils: 1_000, assessments: 12 }, async (at) => {
  const page = await at.open(WATCH_KEYS)
  await page.goto(`${at.url}/marks/${at.group}/${at.subject}?term=${at.term}`)
  await page.waitForSelector('[role=gridcell][data-look=plain]')
  await typeMarks(page, 10)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cpu = async () => (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  const before = await cpu()
  const taken = await typeMarks(page, 60)
  const cpuMs = ((await cpu()) - before) * 1_000
  const bare = await bareKeys(at)
  const figure = `${taken.length} keys, ${(cpuMs / taken.length).toFixed(1)} ms of CPU each; a bare field ${median(bare).toFixed(0)} ms, p95 ${quantile(bare, 0.95).toFixed(0)} ms`
  const control = 'one frame'
  return [
    { what: 'key to paint in the mark grid, 1,000 pupils, median', control, target: within(17, 'ms'), measured: median(taken), figure },
    { what: 'key to paint, p95', control, target: within(50, 'ms'), measured: quantile(taken, 0.95), figure },
  ]
})

/** From the press on the subject to all its marks in sight. */
const WATCH_OPENING = `addEventListener('click', (event) => {
  const from = event.timeStamp
  const look = () => {
    if (document.querySelectorAll('[role=gridcell][data-look=plain]').length >= 60) window.painted().then((to) => { window.opened = to - from })
    else requestAnimationFrame(look)
  }
  if (event.target.closest('a[href*="/marks/"]')) look()
}, true)`

export const appOpen = inBrowser({ pupils: 40, assessments: 12 }, async ({ url, open, group, subject, term }, pairs) => {
  const taken: number[] = []
  for (let round = 0; round < pairs + 1; round += 1) {
    const page = await open(`${WATCH_OPENING};sessionStorage.setItem('markbook.term', '${term}')`)
    await page.goto(`${url}/marks`)
    const link = page.locator(`a[href*="/marks/${group}/${subject}"]`)
    await link.hover()
    await page.waitForTimeout(100)
    await link.click()
    const opened = await saidBy(page, 'opened')
    // The first is the browser's own warming up.
    if (round > 0) taken.push(opened)
    await page.context().close()
  }
  const what = 'opening the marks of 40 × 12, from the click until painted'
  return [{ what, control: 'none', target: within(200, 'ms'), measured: median(taken), figure: `${listed(taken)} ms` }]
})

/** Pages of the navigation, as the head goes through them. */
const WAY = ['/classes', '/students', '/results', '/reports', '/overview', '/years', '/subjects', '/people', '/school']

/** From the press on a link of the navigation until its page, with what it asked for, is in a frame that was handed over. */
const WATCH_NAVIGATION = `addEventListener('click', (event) => {
  const link = event.target.closest('nav a')
  if (!link) return
  const from = event.timeStamp
  window.arrived = null
  const look = () => {
    const isThere = location.pathname === new URL(link.href).pathname && link.getAttribute('aria-current') === 'page'
    const isWhole = document.querySelector('main h1') !== null
    const isLoading = document.querySelector('main')?.innerText.includes('Loading …')
    if (isThere && isWhole && !isLoading) window.painted().then((to) => { window.arrived = to - from })
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}, true)`

export const appNavigate = inBrowser({ pupils: 40, assessments: 12 }, async ({ url, open }, pairs) => {
  const taken = new Map(WAY.map((path) => [path, [] as number[]]))
  for (let round = 0; round < pairs; round += 1) {
    const page = await open(WATCH_NAVIGATION)
    await page.goto(url)
    // The app fetches its other pages once it has nothing else to do.
    await page.waitForLoadState('networkidle')
    for (const path of WAY) {
      const link = page.locator(`nav a[href="${path}"]`)
      await link.hover()
      await page.waitForTimeout(100)
      await link.click()
      taken.get(path)?.push(await saidBy(page, 'arrived'))
    }
    await page.context().close()
  }
  const medians = [...taken].map(([path, ms]) => ({ path, ms: median(ms) })).sort((a, b) => b.ms - a.ms)
  const [slowest] = medians
  return [
    {
      what: 'from a link of the navigation to its page, the slowest of nine pages',
      control: 'none',
      target: within(150, 'ms'),
      measured: slowest?.ms ?? Number.NaN,
      figure: medians.map(({ path, ms }) => `${path} ${ms.toFixed(0)}`).join(', '),
    },
  ]
})

/** From the opening of a window until Today's heading is in a frame that was handed over. */
const WATCH_START = `(() => {
  const look = () => {
    if (document.querySelector('main h1')) window.painted().then((to) => { window.started = to })
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`

export const appStart = inBrowser({ pupils: 40, assessments: 12 }, async ({ url, open }, pairs) => {
  const first = await open(WATCH_START)
  await first.goto(url)
  await first.evaluate(async () => void (await navigator.serviceWorker.ready))
  // A reload, so that this page too goes through the service worker, and what it asks for is kept.
  await first.reload({ waitUntil: 'networkidle' })
  const taken: number[] = []
  for (let round = 0; round < pairs; round += 1) {
    const page = await first.context().newPage()
    await page.addInitScript(`${PAINTED};${WATCH_START}`)
    await page.goto(url)
    taken.push(await saidBy(page, 'started'))
    await page.close()
  }
  const what = 'a second start, from the window until its first page is painted'
  return [{ what, control: 'none', target: within(300, 'ms'), measured: median(taken), figure: `${listed(taken)} ms` }]
})
