import { class3B } from '@markbook/shared/story/school-year'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const CARD = 'Address for other computers and telephones'

describe.skipIf(!headlessPath)('the school’s page', () => {
  const { site, open } = siteInBrowser()

  test('shows the server’s address for other computers as text, to copy and as a QR code', async () => {
    const { context, page, faults } = await open('okafor', '/school')
    const card = page.getByRole('region', { name: CARD })
    await card.getByText('it answers on its own computer alone').waitFor()
    site.running().node.services.presence = { urls: () => ['https://192.168.1.20:3000', 'https://10.0.0.4:3000'] }
    await page.reload()
    await card.getByText('https://192.168.1.20:3000', { exact: true }).waitFor()
    await card.getByRole('img', { name: 'https://192.168.1.20:3000 as a QR code' }).waitFor()
    await card.getByText('https://10.0.0.4:3000').waitFor()
    await expectForEverybody(page)
    await card.getByRole('button', { name: 'Copy the address' }).press('Enter')
    await page.getByText('The address is copied.').first().waitFor()
    await card.scrollIntoViewIfNeeded()
    await picture(page, 'school-address-pc')
    expect(faults).toEqual([])
    await context.close()
  })

  test('the head sets the school days, which the register uses', async () => {
    const { context, page, faults } = await open('okafor', '/school')
    const card = page.getByRole('region', { name: 'School days' })
    const tick = (name: string) => card.getByRole('checkbox', { name })
    const save = card.getByRole('button', { name: 'Save' })
    const stored = async () => (await (await site.as('ada')).schools.mine()).school_days
    expect(await tick('Friday').isChecked()).toBe(true)
    expect(await save.isDisabled()).toBe(true)
    for (const name of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']) await tick(name).uncheck()
    await card.getByText('Choose at least one day.').waitFor()
    expect(await save.isDisabled()).toBe(true)
    for (const name of ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday']) await tick(name).check()
    await card.scrollIntoViewIfNeeded()
    await expectForEverybody(page)
    await picture(page, 'school-days-pc')
    await save.press('Enter')
    await page.getByText('School days: Monday, Tuesday, Wednesday, Thursday and Sunday.').first().waitFor()
    expect(await stored()).toEqual([1, 2, 3, 4, 7])
    await page.setViewportSize(sizes.phone)
    await card.scrollIntoViewIfNeeded()
    await expectFits(page)
    await picture(page, 'school-days-phone')
    await page.setViewportSize(sizes.pc)

    await page.goto(`${site.url}/attendance/${class3B.id}?day=2026-01-15`)
    await page.getByRole('heading', { name: 'Register of Thursday 15 Jan 2026' }).waitFor()
    expect(await page.getByText('is not a school day').count()).toBe(0)
    await page.getByRole('button', { name: 'The school day after' }).click()
    await page.getByRole('heading', { name: 'Register of Sunday 18 Jan 2026' }).waitFor()
    expect(await page.getByText('is not a school day').count()).toBe(0)
    await page.getByRole('button', { name: 'The school day before' }).click()
    await page.getByRole('heading', { name: 'Register of Thursday 15 Jan 2026' }).waitFor()
    await page.goto(`${site.url}/attendance/${class3B.id}?day=2026-01-16`)
    await page.getByText('Friday 16 Jan 2026 is not a school day.', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Go to Sunday 18 Jan 2026' }).click()
    await page.getByRole('heading', { name: 'Register of Sunday 18 Jan 2026' }).waitFor()

    await page.goto(`${site.url}/school`)
    await tick('Sunday').uncheck()
    await save.click()
    await page.getByText('School days: Monday, Tuesday, Wednesday and Thursday.').first().waitFor()
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await expect.poll(stored).toEqual([1, 2, 3, 4, 7])
    await expect.poll(() => tick('Sunday').isChecked()).toBe(true)
    expect(faults).toEqual([])
    await context.close()
  })

  test('what another head saves does not change unsaved input, and updates the other fields', async () => {
    const okafor = await site.as('okafor')
    await okafor.schools.updateMine({ body: { schoolDays: [1, 2, 3, 4, 5], phone: '01 111' } })
    const { context, page, faults } = await open('okafor', '/school')
    const days = page.getByRole('region', { name: 'School days' })
    const ticked = (name: string) => days.getByRole('checkbox', { name }).isChecked()
    await days.getByRole('checkbox', { name: 'Saturday' }).check()
    await page.getByRole('textbox', { name: 'Address' }).fill('1 New Street')
    await okafor.schools.updateMine({ body: { schoolDays: [1, 2, 3, 4, 7], phone: '01 222' } })
    // Saving another card reads the school again.
    await page.getByRole('checkbox', { name: /^An administrator approves/ }).click()
    await expect.poll(() => page.getByRole('textbox', { name: 'Telephone' }).inputValue()).toBe('01 222')
    expect(await page.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('1 New Street')
    expect(await Promise.all(['Friday', 'Saturday', 'Sunday'].map(ticked))).toEqual([false, true, true])
    await picture(page, 'school-followed-pc')
    await days.getByRole('button', { name: 'Save' }).press('Enter')
    await expect.poll(async () => (await okafor.schools.mine()).school_days).toEqual([1, 2, 3, 4, 6, 7])
    // Only the address is sent: a new telephone number stays.
    await okafor.schools.updateMine({ body: { phone: '01 333' } })
    await page.getByRole('button', { name: 'Save' }).first().click()
    await expect.poll(async () => (await okafor.schools.mine()).address).toBe('1 New Street')
    expect((await okafor.schools.mine()).phone).toBe('01 333')
    await expect.poll(() => page.getByRole('textbox', { name: 'Telephone' }).inputValue()).toBe('01 333')
    expect(faults).toEqual([])
    await context.close()
  })

  test('the head chooses the language of documents, and undoes it; a teacher can read it', async () => {
    const { context, page, faults } = await open('okafor', '/school')
    const card = page.getByRole('region', { name: 'Printed documents' })
    const language = card.getByRole('combobox', { name: 'Language' })
    const stored = async () => (await (await site.as('ada')).schools.mine()).document_language
    expect(await language.inputValue()).toBe('en')
    expect(await language.getByRole('option').allTextContents()).toEqual(['العربية', 'English', 'Français'])
    await language.selectOption('fr')
    await page.getByText('Documents are printed in this language: Français.').first().waitFor()
    expect(await stored()).toBe('fr')
    await card.scrollIntoViewIfNeeded()
    await expectForEverybody(page)
    await picture(page, 'school-documents-pc')
    await page.setViewportSize(sizes.phone)
    await card.scrollIntoViewIfNeeded()
    await expectFits(page)
    await picture(page, 'school-documents-phone')
    await page.setViewportSize(sizes.pc)
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await expect.poll(stored).toBe('en')
    await expect.poll(() => language.inputValue()).toBe('en')
    expect(faults).toEqual([])
    await context.close()

    const teacher = await open('ada', '/school')
    expect(await teacher.page.getByRole('region', { name: 'Printed documents' }).getByRole('combobox').isDisabled()).toBe(true)
    await teacher.context.close()
  })

  test('teachers can read the school days, and not change them', async () => {
    const { context, page } = await open('ada', '/school')
    const card = page.getByRole('region', { name: 'School days' })
    await card.getByRole('checkbox', { name: 'Monday' }).waitFor()
    expect(await card.getByRole('checkbox', { name: 'Monday' }).isDisabled()).toBe(true)
    expect(await card.getByRole('button').count()).toBe(0)
    await context.close()
  })

  test('in French a colon after a name has its space', async () => {
    const { context, page } = await open('okafor', '/school', { locale: 'fr-FR' })
    await expect.poll(() => page.getByText(/^Type/).innerText()).toMatch(/^Type\u00a0: /)
    await context.close()
  })

  test('fits a telephone in dark mode; teachers see no address', async () => {
    const { context, page } = await open('okafor', '/school', { viewport: sizes.phone, colorScheme: 'dark' })
    await page.getByRole('region', { name: CARD }).getByRole('img').scrollIntoViewIfNeeded()
    await picture(page, 'school-address-phone')
    // A control that lies half under the bar at the top counts as too small.
    await page.evaluate(() => scrollTo(0, 0))
    await expectForEverybody(page)
    await expectFits(page)
    await context.clearCookies()
    await site.signIn(context, 'ada')
    await page.reload()
    await page.getByText('Kind:').waitFor()
    expect(await page.getByRole('region', { name: CARD }).count()).toBe(0)
    await context.close()
  })
})
