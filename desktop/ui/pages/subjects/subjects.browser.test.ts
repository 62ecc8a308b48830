import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('the subjects page', () => {
  const { site, open } = siteInBrowser()

  test('the head adds a subject, moves it up, and marks it as not taught', async () => {
    const { context, page, faults } = await open('okafor', '/subjects')
    await page.getByRole('button', { name: 'Add a subject' }).click()
    await page.getByLabel('Name').fill('Music')
    await page.getByLabel('Code').fill('MU')
    await expectForEverybody(page)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Move Music up' }).click()
    const rows = page.getByRole('row')
    await expect.poll(() => rows.nth(4).innerText()).toContain('Music')
    await page.getByRole('button', { name: 'Change Music' }).click()
    await page.getByLabel('Is taught').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => rows.nth(4).innerText()).toContain('not taught')
    await picture(page, 'subjects-pc')
    const list = await (await site.as('okafor')).subjects.list()
    expect(list.map(({ code }) => code)).toEqual(['MA', 'EN', 'GA', 'MU', 'SC'])
    expect(faults).toEqual([])
    await context.close()
  })

  test('a code that is taken is reported beside the form, and the input stays', async () => {
    const { context, page } = await open('okafor', '/subjects')
    await page.getByRole('button', { name: 'Add a subject' }).click()
    await page.getByLabel('Name').fill('More maths')
    await page.getByLabel('Code').fill('MA')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('already has a subject with that code')
    expect(await page.getByLabel('Name').inputValue()).toBe('More maths')
    await context.close()
  })

  test('fits a telephone in dark mode, and is accessible', async () => {
    const { context, page } = await open('okafor', '/subjects', { viewport: sizes.phone, colorScheme: 'dark' })
    await page.getByRole('button', { name: 'Change Mathematics' }).waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'subjects-phone')
    await context.close()
  })
})
