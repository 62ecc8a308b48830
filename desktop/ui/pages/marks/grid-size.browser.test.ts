import { class3B } from '@markbook/shared/story/school-year'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { cell, openGrid } from '../../tests/grid.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('a class of 30 in the grid', () => {
  const { site, browser } = siteInBrowser()
  beforeAll(async () => {
    const head = await site.as('okafor')
    const more = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        head.students.create({ body: { firstName: `Pupil ${at}`, lastName: `Zz ${String(at).padStart(2, '0')}`, gender: 'other' } }),
      ),
    )
    await head.classes.enrollBulk({ params: { id: class3B.id }, body: { studentIds: more.map(({ id }) => id) } })
  })

  /** The number of rows that are completely visible, not covered by head or foot of the grid. */
  const wholeRows = (page: Page) =>
    page.getByRole('grid').evaluate((grid) => {
      const groups = [...grid.querySelectorAll('[role="rowgroup"]')]
      const [head, foot] = [groups.at(0), groups.at(-1)].map((part) => part?.getBoundingClientRect())
      return [...grid.querySelectorAll('[role="rowheader"]')].filter((name) => {
        const { top, bottom } = name.getBoundingClientRect()
        return top >= (head?.bottom ?? 0) - 1 && bottom <= Math.min(foot?.top ?? 0, innerHeight) + 1
      }).length
    })

  test('24 rows and the line about saving are visible at 1366 × 768', async () => {
    const { context, page } = await openGrid(site, browser, 'ada', { viewport: { width: 1366, height: 768 } })
    expect(await wholeRows(page)).toBeGreaterThanOrEqual(24)
    // Few assessments fit, so there is nothing to scroll to the side, where scrollbars take room.
    const grid = await page.getByRole('grid').evaluate((one) => ({ content: one.scrollWidth, room: one.clientWidth }))
    expect(grid.content).toBeLessThanOrEqual(grid.room)
    const saved = await page.getByText('Everything is saved.').boundingBox()
    expect((saved?.y ?? 1_000) + (saved?.height ?? 0)).toBeLessThanOrEqual(768)
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'marks-24-rows')
    await context.close()
  })

  test('a double click on the last visible row opens that row, although the grid scrolls', async () => {
    const { context, page } = await openGrid(site, browser, 'ada', { viewport: { width: 1366, height: 768 } })
    const last = (await wholeRows(page)) - 1
    expect(last).toBeLessThan(29)
    const box = await cell(page, last, 1).boundingBox()
    const at = { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
    await page.mouse.click(at.x, at.y)
    expect((await cell(page, last, 1).boundingBox())?.y).toBe(box?.y)
    await page.mouse.dblclick(at.x, at.y)
    await cell(page, last, 1).getByRole('textbox').waitFor()
    // The active row is scrolled into view with the row after it.
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowDown')
    expect((await cell(page, last, 1).boundingBox())?.y).toBeLessThan(box?.y ?? 0)
    await context.close()
  })

  test('a list of mistakes leaves half of the rows visible, and does not move the grid', async () => {
    const { context, page } = await openGrid(site, browser, 'ada', { viewport: { width: 1366, height: 768 } })
    const top = (await page.getByRole('grid').boundingBox())?.y
    for (let row = 0; row < 8; row += 1) {
      await cell(page, row, 0).click()
      await page.keyboard.type('ill')
      await page.keyboard.press('Enter')
    }
    await page.getByText('8 cells have a mistake').waitFor()
    expect(await wholeRows(page)).toBeGreaterThanOrEqual(12)
    expect((await page.getByRole('grid').boundingBox())?.y).toBe(top)
    expect(await page.getByText('Everything is saved.').count()).toBe(0)
    await picture(page, 'marks-mistakes')
    await context.close()
  })

  test.each([
    ['en', 'light'],
    ['ar', 'dark'],
  ] as const)('on a telephone, in %s, a refused mark moves no cell', async (language, colorScheme) => {
    const { context, page } = await openGrid(site, browser, 'ada', { viewport: sizes.phone, hasTouch: true, isMobile: true, colorScheme })
    await page.evaluate((chosen) => localStorage.setItem('markbook.language', chosen), language)
    await page.reload()
    await cell(page, 0, 2).waitFor()
    // A row that is visible at first, and the last one.
    for (const row of [3, 29]) {
      if (row > 3) await page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, grid.scrollHeight))
      await cell(page, row, 0).tap()
      await page.keyboard.type('999')
      const before = await cell(page, row, 0).boundingBox()
      await page.keyboard.press('Enter')
      await expect.poll(() => page.getByRole('listitem').filter({ hasText: '999' }).count()).toBe(row === 3 ? 1 : 2)
      await expect.poll(() => page.getByRole('banner').locator('[data-tone="warn"]').count()).toBe(1)
      expect(await cell(page, row, 0).boundingBox()).toEqual(before)
      await picture(page, `marks-refused-phone-${language}-${row}`)
      await expectFits(page)
    }
    await expectForEverybody(page)
    await context.close()
  })

  test('beside the panel the head of the page stays one row, and 23 rows are visible', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', { viewport: sizes.pc })
    const head = page.locator('main header').first()
    const height = (await head.boundingBox())?.height
    await cell(page, 0, 5).click()
    await page.getByRole('dialog').getByRole('heading', { level: 2 }).waitFor()
    expect((await head.boundingBox())?.height).toBeLessThanOrEqual(height ?? 0)
    // The marks scroll below the figures, and the scrollbar has the room of a row.
    expect(await wholeRows(page)).toBeGreaterThanOrEqual(23)
    await expectForEverybody(page)
    // Marks that are half covered by the figures, which stay in place while the marks scroll.
    const halfCovered = () =>
      page.getByRole('grid').evaluate((grid) => {
        const row = grid.querySelector('[data-row="0"]')?.closest('[role="row"]')
        const edge = row?.querySelector('[data-col="3"]')?.getBoundingClientRect().left ?? 0
        const marks = [0, 1, 2].map((col) => row?.querySelector(`[data-col="${col}"]`)?.getBoundingClientRect())
        return marks.filter((mark) => mark && mark.left < edge - 4 && mark.right > edge + 4).length
      })
    await expect.poll(halfCovered).toBe(0)
    await picture(page, 'marks-panel-head')
    // Actions that do not fit are in the menu.
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem').first().waitFor()
    await picture(page, 'marks-panel-menu')
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Add an assessment', 'Import or mark sheet', 'Print'])
    await page.getByRole('menuitem', { name: 'Add an assessment' }).click()
    await page.getByRole('dialog', { name: 'New assessment' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test.each([1130, 1240])(
    'in a window of %i px, beside the panel, a whole column of marks is visible between names and figures',
    async (width) => {
      const { context, page } = await openGrid(site, browser, 'ada', { viewport: { width, height: 768 } })
      await cell(page, 0, 5).click()
      await page.getByRole('dialog').getByRole('heading', { level: 2 }).waitFor()
      const whole = () =>
        page.getByRole('grid').evaluate((grid) => {
          const row = grid.querySelector('[data-row="0"]')?.closest('[role="row"]')
          const box = (selector: string) => row?.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect()
          const [from, to] = [box('[role="rowheader"]').right, box('[data-col="3"]').left]
          return [0, 1, 2].map((col) => box(`[data-col="${col}"]`)).filter(({ left, right }) => left >= from - 2 && right <= to + 2).length
        })
      await expect.poll(whole).toBeGreaterThanOrEqual(1)
      await picture(page, `marks-panel-${width}`)
      await expectFits(page)
      await context.close()
    },
  )

  test('a tablet has rows for fingers', async () => {
    const { context, page } = await openGrid(site, browser, 'ada', {
      viewport: { width: 1180, height: 820 },
      hasTouch: true,
      isMobile: true,
    })
    expect((await cell(page, 0, 0).boundingBox())?.height).toBeGreaterThanOrEqual(33)
    await expectFits(page)
    await picture(page, 'marks-tablet')
    await context.close()
  })

  test('fits in dark mode and on a telephone', async () => {
    const dark = await openGrid(site, browser, 'ada', { viewport: { width: 1366, height: 768 }, colorScheme: 'dark' })
    await expectForEverybody(dark.page)
    await picture(dark.page, 'marks-dark')
    await dark.context.close()
    const phone = await openGrid(site, browser, 'ada', { viewport: sizes.phone, hasTouch: true, isMobile: true })
    await expectFits(phone.page)
    const endOf = (part: Locator) => part.evaluate((one) => Math.ceil(one.getBoundingClientRect().right))
    const edge = await endOf(phone.page.getByRole('grid'))
    await expect.poll(() => endOf(cell(phone.page, 0, 2))).toBeLessThanOrEqual(edge)
    await picture(phone.page, 'marks-phone-rows')
    // One row, also on the smallest telephone.
    const headOf = async () => (await phone.page.getByRole('banner').boundingBox())?.height
    expect(await headOf()).toBeLessThanOrEqual(52)
    await phone.page.setViewportSize({ width: 360, height: 640 })
    expect(await headOf()).toBeLessThanOrEqual(52)
    await expectFits(phone.page)
    await phone.context.close()
  })
})
