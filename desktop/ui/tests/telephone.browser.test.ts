import { zoe } from '@markbook/shared/story/marks'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectFits, picture, sizes } from './browser.ts'
import { headlessPath } from './chromium.ts'
import { GRID } from './grid.ts'
import { siteInBrowser } from './site.ts'

const telephone = { viewport: sizes.phone, hasTouch: true, isMobile: true } as const

/** What a finger can hardly meet: controls lower than 40 px, and links in rows lower than that. */
const tooLow = (page: Page) =>
  page
    .locator(
      'button, [class*="_button_"], input:not([type="checkbox"], [type="radio"]), select, textarea, summary, td > a, th > a, li > a, [class*="_toolbar_"] > a, [class*="_wrap_"] > a, [class*="_tabs_"] > a, [class*="_links_"] > a',
    )
    .evaluateAll((controls) =>
      controls.flatMap((control) => {
        const { height, width } = control.getBoundingClientRect()
        return width > 1 && height > 0 && height < 40 ? [`${control.outerHTML.slice(0, 120)}: ${height}`] : []
      }),
    )

/** Fields at which Safari would enlarge the page. */
const enlarging = (page: Page) =>
  page
    .locator('input:not([type="checkbox"], [type="radio"]), select, textarea')
    .evaluateAll((fields) => fields.filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16).map(({ outerHTML }) => outerHTML))

describe.skipIf(!headlessPath)('a telephone', () => {
  const { open, site } = siteInBrowser()

  test('controls are large enough for a finger, and no field makes Safari enlarge the page', async () => {
    const { context, page, faults } = await open('okafor', '/', telephone)
    // A term in which the check finds something.
    await page.evaluate((term) => sessionStorage.setItem('markbook.term', term), michaelmas.id)
    const ofClass = [`/classes/${class3B.id}`, `/results/${class3B.id}/students/${zoe.id}`, `/marks/${class3B.id}/${maths.id}`]
    const ofReports = [`/reports/${class3B.id}`, `/reports/${class3B.id}?view=check`, `/reports/book/${draftReport.id}`, '/overview']
    for (const path of ['/', '/students', '/years', '/people', '/school', ...ofClass, ...ofReports, '/sync']) {
      await page.goto(`${site.url}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      expect(await tooLow(page), path).toEqual([])
      expect(await enlarging(page), path).toEqual([])
      await expectFits(page)
    }
    await page.goto(`${site.url}/students`)
    await page.getByRole('button', { name: 'Import a list' }).tap()
    await page.getByText('Paste rows instead of a file').tap()
    await page.getByLabel('Rows of a spreadsheet').waitFor()
    expect(await tooLow(page)).toEqual([])
    expect(await enlarging(page)).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  test('a dialog with a field is above the keyboard and stays there; a question is in the middle', async () => {
    const { context, page, faults } = await open('okafor', '/', telephone)
    await page.getByRole('button', { name: 'Search' }).tap()
    const dialog = page.getByRole('dialog')
    const field = dialog.getByRole('combobox')
    const top = async () => (await field.boundingBox())?.y
    const before = await top()
    expect(before).toBeLessThan(100)
    await field.pressSequentially('pupils')
    await expect.poll(() => dialog.getByRole('option').count()).toBe(1)
    expect(await top()).toBe(before)
    await picture(page, 'search-phone')
    await page.goto(`${site.url}/classes/${class3B.id}`)
    await page.getByRole('button', { name: 'Delete the class' }).tap()
    await dialog.waitFor()
    expect((await dialog.boundingBox())?.y).toBeGreaterThan(100)
    expect(faults).toEqual([])
    await context.close()
  })

  test('year and term in the head are seen whole, also on a narrow telephone', async () => {
    const { context, page, faults } = await open('okafor', '/', telephone)
    for (const width of [390, 360]) {
      await page.setViewportSize({ width, height: 640 })
      for (const term of ['Michaelmas', 'Trinity']) {
        await page.getByLabel('Term', { exact: true }).selectOption(term)
        const room = await page.locator('header select').evaluateAll((choices) =>
          choices.map((choice) => {
            const { paddingLeft, paddingRight, font } = getComputedStyle(choice)
            const pen = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
            pen.font = font
            const text = (choice as HTMLSelectElement).selectedOptions[0]?.text ?? ''
            return choice.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - pen.measureText(text).width
          }),
        )
        expect(room.length).toBe(2)
        expect(Math.min(...room), `${term}, ${width}`).toBeGreaterThanOrEqual(0)
      }
      await expectFits(page)
    }
    await picture(page, 'head-narrow-phone')
    expect(faults).toEqual([])
    await context.close()
  })

  test.each([
    ['en', 'not saved yet'],
    ['fr', 'pas encore enregistr'],
    ['ar', 'لم يُحفظ بعد'],
  ])('in %s the window says without scrolling that an entry is not saved, and nothing moves under a finger', async (language, words) => {
    const day = '2026-01-12'
    const places = [
      { path: GRID, entry: '[data-row="1"][data-col="0"]' },
      { path: `/attendance/${class3B.id}?day=${day}&lesson=0`, entry: '[data-pupil] [data-code="late"]' },
    ]
    for (const [at, { path, entry }] of places.entries()) {
      const { context, page, faults } = await open('ada', path, { ...telephone, viewport: { width: 360, height: 640 } })
      await page.evaluate((chosen) => localStorage.setItem('markbook.language', chosen), language)
      await page.reload()
      const first = page.locator(entry).first()
      await first.waitFor()
      const title = page.getByRole('heading', { level: 1 })
      /** Measured from the top of the page, since a press may scroll it. */
      const tops = async () => {
        const [scrolled, ...boxes] = await Promise.all([page.evaluate(() => scrollY), title.boundingBox(), first.boundingBox()])
        return boxes.map((box) => (box?.y ?? Number.NaN) + scrolled)
      }
      await page.waitForLoadState('networkidle')
      const before = await tops()
      await context.route('**/api/**', (route) => route.abort())
      await first.tap()
      await page.keyboard.type('3')
      await page.keyboard.press('Enter')
      const line = page.getByRole('banner').getByText(words)
      await line.waitFor()
      await expect.poll(tops).toEqual(before)
      const box = await line.boundingBox()
      expect((box?.y ?? 999) + (box?.height ?? 999)).toBeLessThanOrEqual((before[0] ?? 0) + 6)
      expect(await line.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
      await picture(page, `not-saved-${language}-${at}`)
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test.each([
    ['a telephone', 390],
    ['a small window', 700],
  ])('on %s a message covers neither the row at the top, nor what is typed, nor a menu or dialog, and can be undone', async (_, width) => {
    const { context, page, faults } = await open('okafor', '/subjects', { ...telephone, viewport: { width, height: 844 } })
    const [before, newest] = [`Music ${width}`, `Drama ${width}`]
    const add = async (name: string, code: string) => {
      await page.getByRole('button', { name: 'Add a subject' }).tap()
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Code').fill(code)
      await page.getByRole('button', { name: 'Save' }).tap()
      await page.getByText(`${name} is saved.`).waitFor()
      await dialogsClosed(page)
    }
    await add(before, `M${width}`)
    await add(newest, `D${width}`)
    // The newest alone.
    await page.getByText(`${before} is saved.`).waitFor({ state: 'hidden' })
    const message = page.getByText(`${newest} is saved.`)
    await picture(page, `message-${width}`)
    const boxOf = async (of: Locator) => {
      const { x = Number.NaN, y = Number.NaN, width: wide = Number.NaN, height = Number.NaN } = (await of.boundingBox()) ?? {}
      return { left: x, right: x + wide, bottom: y + height, top: y }
    }
    const toast = page.locator('[class*="_toast_"]').filter({ has: message })
    const box = await boxOf(toast)
    expect(box.top).toBeGreaterThan((await boxOf(page.getByRole('heading', { level: 1 }))).bottom)
    expect([box.left >= 0, box.right <= width, box.bottom <= 844]).toEqual([true, true, true])
    // The lowest row can be scrolled above it.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    expect((await boxOf(page.getByRole('row').last())).bottom).toBeLessThanOrEqual(box.top)
    await page.evaluate(() => scrollTo(0, 0))
    // A keyboard would be over the lower end.
    const search = page.getByRole('banner').getByRole('button', { name: 'Search' })
    await page.evaluate(() => {
      const field = document.createElement('textarea')
      document.querySelector('main')?.append(field)
      field.focus({ preventScroll: true })
    })
    await expect.poll(async () => (await boxOf(toast)).top).toBeGreaterThanOrEqual((await boxOf(page.getByRole('banner'))).bottom)
    expect((await boxOf(toast)).bottom).toBeLessThan(844 / 3)
    await picture(page, `message-typing-${width}`)
    expect(
      await search.evaluate((it) => {
        const { left, top } = it.getBoundingClientRect()
        return it.contains(document.elementFromPoint(left + 4, top + 4))
      }),
    ).toBe(true)
    await page.evaluate(() => document.querySelector('main > textarea')?.remove())
    const isOver = (selector: string) =>
      page.locator(selector).evaluateAll((parts) =>
        parts.map((part) => {
          const { left, top, width, height } = part.getBoundingClientRect()
          return part.contains(document.elementFromPoint(left + width / 2, top + height / 2))
        }),
      )
    await page.getByRole('button', { name: 'Add a subject' }).tap()
    await page.getByLabel('Name').waitFor()
    expect(await isOver('[role="dialog"]:not([aria-modal="false"]) :is(h2, input[maxlength])')).toEqual([true, true, true])
    await page.getByRole('button', { name: 'Cancel' }).tap()
    await dialogsClosed(page)
    await page.getByRole('button', { name: 'Open the menu' }).tap()
    await page.getByRole('navigation').getByRole('link', { name: 'Today' }).waitFor()
    expect(await isOver('nav [class*="_name_"]')).toEqual([true])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Undo' }).tap()
    await page.getByRole('row', { name: new RegExp(newest) }).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('the menu is closed by a press beside it, which presses nothing else, by Esc and by the link to the shown page', async () => {
    const { context, page, faults } = await open('okafor', '/people', telephone)
    const menu = page.getByRole('navigation', { name: 'Pages of the school' })
    const openMenu = async () => {
      await page.getByRole('button', { name: 'Open the menu' }).tap()
      await menu.waitFor()
    }
    const account = await page.getByRole('button', { name: /^Account of/ }).boundingBox()
    await openMenu()
    await picture(page, 'menu-phone')
    await page.touchscreen.tap((account?.x ?? 0) + 10, (account?.y ?? 0) + 10)
    await menu.waitFor({ state: 'hidden' })
    expect(await page.getByRole('menu').count()).toBe(0)
    await openMenu()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    await openMenu()
    await menu.getByRole('link', { name: 'People' }).tap()
    await menu.waitFor({ state: 'hidden' })
    await openMenu()
    await menu.getByRole('link', { name: 'Bin' }).tap()
    await menu.waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: 'Bin', level: 1 }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
