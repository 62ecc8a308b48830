import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parentsOf } from '../../../../server/replication/identity/enrolment.ts'
import { setPeer } from '../../../../server/store/peer-row.ts'
import { asSystem } from '../../../../server/store/tx.ts'
import { expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { type Joined, underTheMinistry } from '../../tests/joined.ts'

describe.skipIf(!headlessPath)('a school whose rows differ from those at the ministry', () => {
  let joined: Joined
  let browser: Browser
  beforeAll(async () => {
    ;[joined, browser] = await Promise.all([underTheMinistry(), openBrowser()])
  })
  afterAll(async () => {
    await browser.close()
    await joined.close()
  })

  const found = { found_at: new Date(Date.now() - 3_600_000).toISOString(), merged_at: null, merges: 0 }
  /** Stores a difference between the school's server and the ministry's. */
  const finds = (healed_at: string | null) => {
    const { store } = joined.box.running().node.services
    return store.write(asSystem(), async (tx) => {
      const [parent] = await parentsOf(tx)
      const tables = [{ table: 'grade', here: 38, there: 44 }]
      await setPeer(tx, parent?.id ?? '', { difference: { ...found, healed_at, tables }, ...(healed_at && { compared_at: healed_at }) })
    })
  }

  test('the head reads what differs, in the words of the school, and that it is corrected automatically', async () => {
    const { box } = joined
    await finds(null)
    const { context, page, faults } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync`)
    await page.getByText('Not all is the same at the ministry').first().waitFor()
    await page.getByText('this computer and The ministry were found to have different records', { exact: false }).waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'Mark' }).innerText()).toMatch(/Mark\s+38\s+44/)
    await expectForEverybody(page)
    await picture(page, 'sync-differs')
    await finds(new Date().toISOString())
    await page.getByText('Was not the same at both ends, and is mended').first().waitFor()
    await page.getByText('All marks are at the ministry').first().waitFor()
    await page.getByText('Seen to be the same').waitFor()
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await expectForEverybody(page)
    await picture(page, 'sync-mended-phone')
    expect(faults).toEqual([])
    await context.close()
  })

  test('also in French', async () => {
    const { box } = joined
    await finds(null)
    const { context, page } = await openWindow(browser, { locale: 'fr-FR' })
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync`)
    await page.getByText('Tout n’est pas pareil au ministère').first().waitFor()
    await page.getByText('Cet ordinateur et The ministry n’ont pas les mêmes données', { exact: false }).waitFor()
    await context.close()
  })
})
