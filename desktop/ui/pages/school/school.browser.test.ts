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
