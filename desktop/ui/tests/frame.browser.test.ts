import { class3B } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, openWindow, picture, sizes } from './browser.ts'
import { headlessPath } from './chromium.ts'
import { cell, GRID, openGrid } from './grid.ts'
import { siteInBrowser } from './site.ts'

/** The visible entries of the menu that a toast covers. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const menu = document.querySelector('nav')
    const end = (menu?.getBoundingClientRect().top ?? 0) + (menu?.clientHeight ?? 0)
    return [...document.querySelectorAll('nav a')].flatMap((link) => {
      const { left, top, bottom, width } = link.getBoundingClientRect()
      const over = bottom > end ? [] : [top + 4, bottom - 4].map((y) => document.elementFromPoint(left + width / 2, y))
      return over.some((one) => one && !one.closest('nav')) ? [link.textContent] : []
    })
  })

/** The entries for which the menu must be scrolled. */
const hidden = (page: Page) =>
  page.evaluate(() => {
    const menu = document.querySelector('nav')
    const end = document.documentElement.style.getPropertyValue('--toasts') ? (menu?.clientHeight ?? 0) : 0
    return [...document.querySelectorAll('nav a')].flatMap((link) => (link.getBoundingClientRect().bottom > end ? [link.textContent] : []))
  })

describe.skipIf(!headlessPath)('the frame', () => {
  const { site, browser, open } = siteInBrowser()

  test('what sends unsaved entries is loaded after the first page is drawn and has asked for its data', async () => {
    const { context, page, faults } = await open('ada', '/')
    const startOf = (path: string) =>
      page.evaluate((part) => performance.getEntriesByType('resource').find(({ name }) => name.includes(part))?.startTime ?? 0, path)
    await expect.poll(() => startOf('/assets/unsaved-notice-')).toBeGreaterThan(0)
    const asked = await startOf('/api/academic-years')
    expect(asked).toBeGreaterThan(0)
    expect(await startOf('/assets/unsaved-notice-')).toBeGreaterThan(asked)
    expect(faults).toEqual([])
    await context.close()
  })

  test('no entry of the menu is covered by toasts, and each can be scrolled to', async () => {
    const { context, page, faults } = await open('okafor', '/years')
    for (const [name, from, to] of [
      ['2026/27', '2026-09-01', '2027-06-30'],
      ['2027/28', '2027-09-01', '2028-06-30'],
    ] as const) {
      await page.getByRole('button', { name: 'Add a year' }).click()
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('First day').fill(from)
      await page.getByLabel('Last day').fill(to)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText(`${name} is saved.`).waitFor()
      // One message leaves all of the menu of an old PC to be seen.
      if (name === '2026/27') await expect.poll(() => hidden(page)).toEqual([])
    }
    expect(await page.getByText(/is saved\.$/).count()).toBe(2)
    await expect.poll(() => covered(page)).toEqual([])
    await page.getByRole('navigation').getByRole('link', { name: 'Sync' }).scrollIntoViewIfNeeded()
    expect(await covered(page)).toEqual([])
    expect(await page.getByText(/is saved\.$/).count()).toBe(2)
    await page.getByRole('navigation').getByRole('link', { name: 'Sync' }).click()
    await page.waitForURL('**/sync')
    expect(faults).toEqual([])
    await context.close()
  })

  /** The files of the font that the page has loaded, by the first character of their range. */
  const loadedFonts = (page: Page) =>
    page.evaluate(() =>
      [...document.fonts].filter(({ status }) => status === 'loaded').map(({ unicodeRange }) => unicodeRange.split('-')[0]),
    )

  test('pages are set in the font that the server sends, with the file of extended letters for a name that has one', async () => {
    const { context, page } = await open('ada', '/account')
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await loadedFonts(page)).toEqual(['U+0'])
    // Łukasz is in the list.
    await page.goto(`${site.url}${GRID}`)
    await cell(page, 5, 0).waitFor()
    await expect.poll(() => loadedFonts(page)).toEqual(['U+0', 'U+100'])
    await context.close()
  })

  test.each([
    ['does not come', null],
    ['comes two seconds later', 2_000],
  ])('a page whose font %s is shown in that of the system, and keeps it', async (_, late) => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'ada')
    await page.route('**/*.woff2', async (route) => {
      if (late === null) return route.abort()
      await new Promise((resolve) => setTimeout(resolve, late))
      return route.continue()
    })
    // A document counts as loaded only with its font.
    await page.goto(`${site.url}/account`, { waitUntil: 'commit' })
    await page.getByRole('heading', { level: 1 }).waitFor()
    const width = () =>
      page.getByRole('heading', { level: 1 }).evaluate((heading) => {
        const text = document.createRange()
        text.selectNodeContents(heading)
        return text.getBoundingClientRect().width
      })
    const before = await width()
    await page.waitForTimeout((late ?? 0) + 500)
    expect(await width()).toBe(before)
    expect(faults).toEqual([])
    await context.close()
  })

  test('text has the size that is set in the browser, and the pages still fit', async () => {
    for (const [viewport, paths] of [
      [sizes.pc, ['/assessments', `/reports/${class3B.id}?view=fill`, GRID]],
      [sizes.phone, ['/years', '/people']],
    ] as const) {
      const { context, page } = await open('okafor', '/', { viewport })
      const cdp = await context.newCDPSession(page)
      const sizeOf = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((it) => getComputedStyle(it).fontSize)
      expect(await sizeOf('body')).toBe('15px')
      await cdp.send('Page.setFontSizes', { fontSizes: { standard: 24 } })
      for (const path of paths) {
        await page.goto(`${site.url}${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        expect(await sizeOf('body')).toBe('22.5px')
        await expectFits(page)
        const cut = await page
          .locator('nav a:visible')
          .evaluateAll((links) => links.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length)
        expect(cut).toBe(0)
        await picture(page, `large-text-${viewport.width}${path.slice(0, 9).replaceAll('/', '-')}`)
      }
      await context.close()
    }
  })

  test('where the chosen term has been deleted, the current one is shown, and the server is not asked without end', async () => {
    const { context, page, faults } = await open('ada', '/')
    await page.getByRole('link', { name: 'Enter marks' }).first().waitFor()
    let asked = 0
    page.on('request', (request) => {
      if (request.url().includes('/api/terms/')) asked += 1
    })
    await page.evaluate(() => sessionStorage.setItem('markbook.term', '00000000-0000-7000-8000-00000000dead'))
    await page.reload()
    await page.getByRole('link', { name: 'Enter marks' }).first().waitFor()
    await page.waitForTimeout(1_000)
    expect(asked).toBeLessThan(5)
    expect(faults).toEqual([])
    await context.close()
  })

  test('another term is shown at once, with the focus on its choice, before the server answers', async () => {
    const { context, page, faults } = await openGrid(site, browser)
    const terms = page.getByLabel('Term', { exact: true })
    await page.route(/\/api\/terms\/[^/]+$/, () => {})
    await terms.focus()
    await terms.selectOption('Trinity')
    await page.getByRole('main').getByText('Trinity, 2025/26').waitFor()
    expect(await terms.evaluate((choice) => choice === document.activeElement)).toBe(true)
    expect(faults).toEqual([])
    await context.close()
  })

  test('after Back to a grid the keys work in the grid, also after a press on a link of the menu', async () => {
    const { context, page, faults } = await openGrid(site, browser)
    await page.getByRole('navigation').getByRole('link', { name: 'Pupils' }).click()
    await page.getByRole('heading', { name: 'Pupils', exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('grid').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.role)).toBe('grid')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('F2')
    expect(await cell(page, 1, 0).locator('input').count()).toBe(1)
    expect(faults).toEqual([])
    await context.close()
  })
})
