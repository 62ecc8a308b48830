import { class3B } from '@markbook/shared/story/school-year'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const CARD = 'Address for other computers and telephones'

describe.skipIf(!headlessPath)('the school’s page', () => {
  const { site, open } = siteInBrowser()

  test('says where other computers reach the server, as text, to copy and to scan', async () => {
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

  test('the head says the school days, which the register follows', async () => {
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

  test('what another head saves meanwhile leaves alone what is typed or ticked here and not saved, and is followed by the rest', async () => {
    const okafor = await site.as('okafor')
    await okafor.schools.updateMine({ body: { schoolDays: [1, 2, 3, 4, 5], phone: '01 111' } })
    const { context, page, faults } = await open('okafor', '/school')
    const days = page.getByRole('region', { name: 'School days' })
    const ticked = (name: string) => days.getByRole('checkbox', { name }).isChecked()
    await days.getByRole('checkbox', { name: 'Saturday' }).check()
    await page.getByRole('textbox', { name: 'Address' }).fill('1 New Street')
    await okafor.schools.updateMine({ body: { schoolDays: [1, 2, 3, 4, 7], phone: '01 222' } })
    // Another card is saved, after which the school is read anew.
    await page.getByRole('checkbox', { name: /^An administrator approves/ }).click()
    await expect.poll(() => page.getByRole('textbox', { name: 'Telephone' }).inputValue()).toBe('01 222')
    expect(await page.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('1 New Street')
    expect(await Promise.all(['Friday', 'Saturday', 'Sunday'].map(ticked))).toEqual([false, true, true])
    await picture(page, 'school-followed-pc')
    await days.getByRole('button', { name: 'Save' }).press('Enter')
    await expect.poll(async () => (await okafor.schools.mine()).school_days).toEqual([1, 2, 3, 4, 6, 7])
    // The address alone is sent: a telephone number that came since stays.
    await okafor.schools.updateMine({ body: { phone: '01 333' } })
    await page.getByRole('button', { name: 'Save' }).first().click()
    await expect.poll(async () => (await okafor.schools.mine()).address).toBe('1 New Street')
    expect((await okafor.schools.mine()).phone).toBe('01 333')
    await expect.poll(() => page.getByRole('textbox', { name: 'Telephone' }).inputValue()).toBe('01 333')
    expect(faults).toEqual([])
    await context.close()
  })

  test('teachers read the school days and do not change them', async () => {
    const { context, page } = await open('ada', '/school')
    const card = page.getByRole('region', { name: 'School days' })
    await card.getByRole('checkbox', { name: 'Monday' }).waitFor()
    expect(await card.getByRole('checkbox', { name: 'Monday' }).isDisabled()).toBe(true)
    expect(await card.getByRole('button').count()).toBe(0)
    await context.close()
  })

  test('reads on a telephone in the dark; teachers are shown no address', async () => {
    const { context, page } = await open('okafor', '/school', { viewport: sizes.phone, colorScheme: 'dark' })
    await page.getByRole('region', { name: CARD }).getByRole('img').scrollIntoViewIfNeeded()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'school-address-phone')
    await context.clearCookies()
    await site.signIn(context, 'ada')
    await page.reload()
    await page.getByText('Kind:').waitFor()
    expect(await page.getByRole('region', { name: CARD }).count()).toBe(0)
    await context.close()
  })
})
