import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RunOptions } from 'axe-core'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { chromiumArguments, headlessPath } from './chromium.ts'

if (!headlessPath) console.warn('No Chromium on this machine: the tests in a real browser are skipped (apt-get install chromium).')

/** The sizes of an old PC and of a telephone. */
export const sizes = { pc: { width: 1366, height: 768 }, phone: { width: 390, height: 844 } } as const

/** A Chromium of its own; the process does not end before it is closed. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: headlessPath ?? '',
    headless: true,
    args: [...chromiumArguments],
    // As on a PC with Windows, where scrollbars take room.
    ignoreDefaultArgs: ['--hide-scrollbars'],
  })

let launched: Promise<Browser> | undefined

/** The Chromium of this worker, which is shared by its files. `close` closes only its windows. */
export async function openBrowser(): Promise<Browser> {
  launched ??= launchBrowser()
  const browser = await launched
  const close = async () => {
    for (const context of browser.contexts()) await context.close()
  }
  return Object.create(browser, { close: { value: close } })
}

/** A window of an old PC, in English. `faults`: its script errors, for a test to check. */
export async function openWindow(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page; faults: string[] }> {
  // Without service workers: installing one takes a second of CPU.
  const context = await browser.newContext({
    serviceWorkers: 'block',
    viewport: sizes.pc,
    locale: 'en-IE',
    timezoneId: 'Europe/Dublin',
    ...options,
  })
  await watchPresses(context)
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text())) faults.push(message.text())
  })
  return { context, page, faults }
}

/** Presses without a click in any window, because the page moved between press and release. */
export const lostPresses: string[] = []
const LOST = 'lost press: '

async function watchPresses(context: BrowserContext): Promise<void> {
  await context.addInitScript((lost) => {
    const controls = 'button, a, input, textarea, select, summary, label, [role]'
    const controlOf = ({ target }: Event) => (target instanceof Element ? target.closest(controls) : null)
    let down: { control: Element | null; html: string; x: number; y: number } | null = null
    addEventListener(
      'mousedown',
      (event: MouseEvent) => {
        const control = controlOf(event)
        down = { control, html: control?.outerHTML.slice(0, 200) ?? '', x: event.clientX, y: event.clientY }
      },
      true,
    )
    addEventListener(
      'mouseup',
      (event: MouseEvent) => {
        if (down?.control && down.x === event.clientX && down.y === event.clientY && controlOf(event) !== down.control)
          console.warn(`${lost}${location.pathname} ${down.html}`)
        down = null
      },
      true,
    )
  }, LOST)
  context.on('console', (message) => {
    if (message.text().startsWith(LOST)) lostPresses.push(message.text())
  })
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const accessibility: RunOptions = {
  resultTypes: ['violations'],
  // The only frame shows a PDF.
  iframes: false,
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}

/** Fails where axe finds a violation of WCAG 2.2 AA. */
export async function expectForEverybody(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const violations = await page.evaluate(async (options) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    // Stops transitions: axe would measure a colour between two states.
    const still = new CSSStyleSheet()
    still.replaceSync('*, *::before, *::after { transition: none !important }')
    document.adoptedStyleSheets.push(still)
    const finite = document.getAnimations().filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
    await Promise.allSettled(finite.map(({ finished }) => finished))
    const { violations } = await axe.run(document, options)
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== still)
    return violations
  }, accessibility)
  const said = violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => `  ${html}`).join('\n')}`)
  expect(said, page.url()).toEqual([])
}

/** Resolves when no dialog is open. Toasts are dialogs too, and are ignored, since they stay for seconds. */
export const dialogsClosed = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])').waitFor({ state: 'detached' })

/** Saves a picture of the page where the environment has a folder in `PICTURES`. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

/**
 * Measures, from the next page on, how far painted elements are moved, as a share of the window (layout shift). Shifts within half a second
 * of an input do not count.
 */
export async function watchShifts(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const kept = window as unknown as { shifts: string[]; shifted: number }
    kept.shifts = []
    kept.shifted = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const {
          value,
          hadRecentInput,
          sources = [],
        } = entry as PerformanceEntry & {
          value: number
          hadRecentInput: boolean
          sources?: { node: Node | null }[]
        }
        if (hadRecentInput) continue
        kept.shifted += value
        kept.shifts.push(`${value.toFixed(4)} ${sources.map(({ node }) => node?.textContent?.slice(0, 60)).join(' | ')}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** Fails where more than this share of the shown page was moved. */
export async function expectStill(page: Page, most: number): Promise<void> {
  const { shifted, shifts } = await page.evaluate(() => {
    const kept = window as unknown as { shifts: string[]; shifted: number }
    return { shifted: kept.shifted, shifts: kept.shifts }
  })
  expect(shifted, shifts.join('\n')).toBeLessThanOrEqual(most)
}

/**
 * Fails where the page is wider than the window, since that is unusable on a telephone or at 200 % zoom. A table may be wider only where
 * its cells are compared across rows and columns.
 */
export async function expectFits(page: Page): Promise<void> {
  const measure = () =>
    page.evaluate(() => ({
      over: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
      tables: [...document.querySelectorAll('[role="group"]:has(> table:not([data-wide]))')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map((table) => table.getAttribute('aria-label')),
    }))
  // Polls: a panel adapts to a changed window only after a render.
  await expect.poll(measure, { message: page.url() }).toEqual({ over: 0, tables: [] })
}
