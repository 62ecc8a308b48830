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

/** `painted` resolves after the next frame has been painted. */
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
  /** Opens a page in a context of its own, with this script; signed in as the head, unless `isKnown` is false. */
  open(script: string, isKnown?: boolean): Promise<Page>
}

/** Runs a benchmark with a server and a real browser. Without Chromium it prints a line and measures nothing. */
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

/** Sets `usable` once the field for the address has the focus in a painted frame: from then on no key press is lost. */
const WATCH_FIELD = `(() => {
  const look = () => {
    const field = document.querySelector('input[name=email]')
    if (field && field === document.activeElement) window.painted().then((to) => { window.usable = to })
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`

const PATIENCE_MS = 30_000

/** Waits for a value on `window`, by polling: the page's content policy forbids `waitForFunction`. */
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
 * One first visit, on a slow computer. Types an address as soon as the field has the focus, and sends it. Throws unless the page asks for
 * one code, for that address: only then was it usable.
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
  // Includes what the page loads later, when it is idle.
  await page.waitForLoadState('networkidle')
  // The service worker sends the request, and the browser does not give its body: so the text of the page is compared.
  const isAddressed = (await page.locator('main').innerText()).includes(address)
  if (posts.join() !== '/api/auth/otp/send' || !isAddressed) throw new Error(`typed at once, sent: ${posts.join(' and ')}`)
  return { usable, sent: sent ?? Number.NaN, scripts: [...scripts] }
}

const listed = (ms: readonly number[]) => ms.map((one) => one.toFixed(0)).join(', ')

/** The sign-in page of a first visit, on a slow computer: what it loads, and when it can be used. */
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

/** Of each key: the time from its event to the painted frame. */
const WATCH_KEYS = `window.keys = []
addEventListener('keydown', (event) => { const from = event.timeStamp; window.painted().then((to) => window.keys.push(to - from)) }, true)`

/** Types marks down a column, with some arrow keys in between. */
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

/** The same measurement on a page with only an input: the time that a frame takes on this machine. */
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

/** From the click on the subject until all its marks are painted. */
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
    // The first round warms the browser up.
    if (round > 0) taken.push(opened)
    await page.context().close()
  }
  const what = 'opening the marks of 40 × 12, from the click until painted'
  return [{ what, control: 'none', target: within(200, 'ms'), measured: median(taken), figure: `${listed(taken)} ms` }]
})

/** The pages of the navigation, as the head visits them. */
const WAY = ['/classes', '/students', '/results', '/reports', '/overview', '/years', '/subjects', '/people', '/school']

/** From the click on a link of the navigation until its page is painted with its content. */
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
    // The app loads its other pages when it is idle.
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

/** From the opening of a window until the heading of Today is painted. */
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
  // After a reload the service worker handles this page too, and caches what it asks for.
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
