import { existsSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

const PLACES = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser', '/snap/bin/chromium']
const NAMED = process.env['CHROMIUM'] ? [process.env['CHROMIUM']] : []

/** Null where this machine has no Chromium: then the tests that need one are skipped, with this line. */
export const chromiumPath = [...NAMED, ...PLACES].find((place) => existsSync(place)) ?? null
if (!chromiumPath) console.warn('No Chromium on this machine: the tests in a real browser are skipped (apt-get install chromium).')

/** The sizes that people have: the old PC, and a telephone for reading. */
export const sizes = { pc: { width: 1366, height: 768 }, phone: { width: 390, height: 844 } } as const

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const openBrowser = (...more: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath ?? '', headless: true, args: [...ARGUMENTS, ...more] })

/** A window of an old PC, in English; a script error in it fails the test that looks (`faults`). */
export async function openWindow(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: sizes.pc, locale: 'en-IE', timezoneId: 'Europe/Dublin', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text())) faults.push(message.text())
  })
  return { context, page, faults }
}

/** Nothing that keeps anybody out: WCAG 2.2 AA as far as a machine can tell. */
export async function expectForEverybody(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze()
  const said = violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => `  ${html}`).join('\n')}`)
  expect(said, page.url()).toEqual([])
}

/** Kept where `PICTURES` names a folder, for people to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

/** Nothing is wider than the window: a page that must be pushed sideways is no page for a telephone or for 200 % zoom. */
export async function expectFits(page: Page): Promise<void> {
  const { wide, window } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }))
  expect(wide, page.url()).toBeLessThanOrEqual(window)
}
