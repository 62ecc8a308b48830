import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { cell, openGrid } from '../../tests/grid.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('search and keys', () => {
  const { site, browser } = siteInBrowser()

  test('finds a pupil, the marks of a class and a page by a few letters and the keyboard alone', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'ada')
    await page.goto(site.url)
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Search' })
    await dialog.getByRole('option', { name: 'Report books' }).waitFor()
    await picture(page, 'search-empty')
    await page.keyboard.type('zoe')
    // Two pupils have the same name; the class tells them apart.
    await dialog.getByRole('option', { name: 'Adeyemi Zoë 3B' }).waitFor()
    await picture(page, 'search-pupil')
    await expectForEverybody(page)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/students\//)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('math 3b')
    await dialog.getByRole('option', { name: '3B · Mathematics' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/marks\//)
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('qqqq')
    await dialog.getByText('Nothing is called so.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('keys that are typed before the dialog has the focus are in its field, and not in the grid', async () => {
    const { context, page } = await openGrid(site, browser)
    await cell(page, 0, 1).click()
    const before = await page.getByRole('grid').innerText()
    await page.evaluate(async () => {
      const target = document.activeElement ?? document.body
      const press = (key: string, ctrlKey = false) =>
        target.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }))
      press('k', true)
      // React has rendered the dialog, but it gets the focus only in the next frame.
      await Promise.resolve()
      for (const key of ['6', 'Backspace', 'r', 'e']) press(key)
    })
    const dialog = page.getByRole('dialog', { name: 'Search' })
    await expect.poll(() => dialog.getByRole('combobox').evaluate((input) => input === document.activeElement)).toBe(true)
    await page.keyboard.type('p')
    expect(await dialog.getByRole('combobox').inputValue()).toBe('rep')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByRole('grid').innerText()).toBe(before)
    await context.close()
  })

  test('Ctrl+K in a cell saves its mark; ? types into a cell, and elsewhere shows the keys', async () => {
    const { context, page } = await openGrid(site, browser)
    await cell(page, 0, 1).click()
    await page.keyboard.type('6')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => cell(page, 0, 1).innerText()).toContain('6')
    await page.getByText('Everything is saved.').waitFor()
    await page.getByRole('grid').focus()
    await page.keyboard.type('?')
    expect(await page.getByRole('dialog', { name: 'Keys' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Today' }).click()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await keys.getByText('find a page, a class, a pupil').waitFor()
    await picture(page, 'keys')
    // The dialog is higher than the window: it shows its beginning, although its last button has the focus.
    const [title, end] = await Promise.all([
      keys.getByRole('heading', { name: 'Keys' }).boundingBox(),
      keys.getByRole('button').boundingBox(),
    ])
    expect(title?.y).toBeGreaterThanOrEqual((await keys.boundingBox())?.y ?? 0)
    expect((end?.y ?? 0) + (end?.height ?? 0)).toBeLessThanOrEqual(sizes.pc.height)
    await expectForEverybody(page)
    await keys.getByRole('button', { name: 'Close' }).click()
    await context.close()
  })

  test('on a telephone in the dark, the head finds pages of the school, and actions', async () => {
    const { context, page } = await openWindow(browser, { viewport: sizes.phone, colorScheme: 'dark' })
    await site.signIn(context, 'okafor')
    await page.goto(site.url)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox', { name: 'Page, class, pupil or action' }).waitFor()
    await page.keyboard.type('bin')
    await page.getByRole('option', { name: 'Bin' }).waitFor()
    await picture(page, 'search-phone')
    await expectFits(page)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/bin/)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox', { name: 'Page, class, pupil or action' }).waitFor()
    await page.keyboard.type('sign out')
    await page.getByRole('option', { name: 'Sign out' }).click()
    await page.waitForURL(/\/sign-in/)
    await context.close()
  })
})
