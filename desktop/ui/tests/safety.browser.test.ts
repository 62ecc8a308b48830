import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, openWindow } from './browser.ts'
import { headlessPath, NAME_OF_THIS_MACHINE } from './chromium.ts'
import { openSite, type Site } from './site.ts'

describe.skipIf(!headlessPath)('what the headers of a reply forbid', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([openSite({ env: { ALLOWED_HOSTS: '' } }), openBrowser()])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  test('the pages of the interface work under their policy', async () => {
    const { context, page, faults } = await openWindow(browser)
    await page.goto(`${site.url}/docs`)
    await page.getByText('Send a one-time code by email').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a page under a strange name, which leads to this server, gets nothing of it', async () => {
    const { context, page } = await openWindow(browser)
    const reply = await page.goto(`http://${NAME_OF_THIS_MACHINE}:${site.running().port}/`)
    expect(reply?.status()).toBe(421)
    expect(await reply?.json()).toMatchObject({ code: 'misdirected_request' })
    await context.close()
  })

  test('nothing of it is shown in a frame', async () => {
    const { context, page } = await openWindow(browser)
    await page.route('**/frame.html', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${site.url}/"></iframe><iframe src="${site.url}/docs"></iframe>` }),
    )
    await page.goto('http://other.localhost/frame.html')
    await expect.poll(() => page.frames().length).toBe(3)
    await page.waitForLoadState('networkidle')
    for (const frame of page.frames().slice(1)) expect(await frame.evaluate(() => document.title)).not.toMatch(/Markbook/)
    await context.close()
  })
})
