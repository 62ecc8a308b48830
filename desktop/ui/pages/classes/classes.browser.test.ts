import { class3B } from '@markbook/shared/story/school-year'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { openSite, type Site } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('the page of a class', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([openSite(), openBrowser()])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  test('shows what each pupil takes, and gives several subjects to several pupils at once, by keyboard', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'byrne')
    await page.goto(`${site.url}/classes/${class3B.id}`)
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
    await row('Wójcik, Łukasz').getByText('every subject of the class').waitFor()
    await page.getByRole('button', { name: 'Give subjects to several' }).press('Enter')
    const dialog = page.getByRole('dialog')
    const give = dialog.getByRole('button', { name: 'Give them to those ticked' })
    expect(await give.isDisabled()).toBe(true)
    await dialog.getByLabel('Irish').press('Space')
    await dialog.getByLabel('Science').press('Space')
    await dialog.getByLabel(/Wójcik, Łukasz/).press('Space')
    await dialog.getByLabel(/Chen, Mei/).press('Space')
    // They take every subject: nobody loses one unless that is wanted, and then it is said of whom.
    await dialog.getByText('2 of those ticked take every subject of the class').waitFor()
    expect(await give.isDisabled()).toBe(true)
    await dialog.getByLabel(/they then take only what is ticked/).press('Space')
    await dialog.getByText('2 pupils take only Irish, Science from now on').waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'classes-give-pc')
    await page.keyboard.press('Enter')
    await page.getByText('Irish, Science: given to 2 pupils.').first().waitFor()
    await row('Wójcik, Łukasz').getByText('Irish, Science', { exact: true }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'classes-class-pc')
    await row('Wójcik, Łukasz').getByRole('button', { name: 'Subjects of Łukasz Wójcik' }).click()
    await dialog.getByLabel('Science').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row('Wójcik, Łukasz').getByText('Irish', { exact: true }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a teacher of one subject sees it too and changes nothing; it reads on a telephone and at 200 %', async () => {
    const { context, page } = await openWindow(browser, { viewport: sizes.phone, colorScheme: 'dark' })
    await site.signIn(context, 'ada')
    await page.goto(`${site.url}/classes/${class3B.id}`)
    await page.getByText('every subject of the class').first().waitFor()
    expect(await page.getByRole('button', { name: /Give subjects|Subjects of/ }).count()).toBe(0)
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'classes-class-phone')
    await context.clearCookies()
    await site.signIn(context, 'byrne')
    await page.reload()
    await page.getByRole('button', { name: 'Give subjects to several' }).click()
    await page.getByRole('dialog').getByLabel('Irish', { exact: true }).waitFor()
    await expectFits(page)
    await picture(page, 'classes-give-phone')
    await page.setViewportSize({ width: 683, height: 384 })
    await expectFits(page)
    await context.close()
  })

  test('the head makes a class and says whose it is', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'okafor')
    await page.goto(`${site.url}/classes`)
    await page.getByRole('button', { name: 'Add a class' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('1Z')
    await dialog.getByLabel('Class teacher').selectOption('Ada Nowak')
    await dialog.getByRole('group', { name: 'Subjects that the class teacher teaches in it' }).waitFor()
    await dialog.getByLabel('Irish').check()
    await expectForEverybody(page)
    await picture(page, 'class-new')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Ada Nowak class teacher Irish/ }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
