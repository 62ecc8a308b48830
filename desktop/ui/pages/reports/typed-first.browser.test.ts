import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openWindow } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const ofClass = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' as const }

describe.skipIf(!headlessPath)('what was typed into the books of a class', () => {
  const { site, browser } = siteInBrowser()
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

  test('is saved before they are published, made as PDFs and printed', async () => {
    await (await site.as('byrne')).reports.generate({ body: ofClass })
    const { context, page, faults } = await openWindow(browser)
    await context.addInitScript((chosen) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', chosen), michaelmas.id)
    await site.signIn(context, 'byrne')
    await page.goto(`${site.url}/reports/${class3B.id}?view=fill`)
    const order: string[] = []
    page.on('response', (response) => response.request().method() === 'PATCH' && order.push('saved'))
    page.on('request', (request) => request.url().includes('/api/reports/generate-pdfs') && order.push('drawn'))
    page.on('request', (request) => request.url().includes('/api/reports/print') && order.push('printed'))
    await page.route(/\/api\/reports\/[0-9a-f-]{36}$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue()
    })
    const remark = page
      .locator('main')
      .getByLabel(/^Remark: /)
      .and(page.locator(':enabled'))
      .first()
    const type = async (text: string) => {
      await page.getByRole('link', { name: 'Fill in' }).click()
      await remark.fill(text)
      await page.getByRole('link', { name: 'Books', exact: true }).click()
    }
    const publish = page.getByRole('dialog', { name: /^Publish/ })
    await type('Typed before publishing.')
    await button(page, /^Publish \d drafts$/).click()
    await page.getByText('Saving …').first().waitFor()
    expect(await publish.count()).toBe(0)
    await publish.waitFor()
    expect(order).toEqual(['saved'])
    await publish.getByRole('button', { name: 'Cancel' }).click()

    await type('Typed before the PDFs.')
    await button(page, 'More').click()
    await page.getByRole('menuitem', { name: 'Make all PDFs' }).click()
    await expect.poll(() => order).toEqual(['saved', 'saved', 'drawn'])

    await type('Typed before printing.')
    await button(page, 'Print the class').click()
    await button(page, 'Make it').click()
    await expect.poll(() => order).toEqual(['saved', 'saved', 'drawn', 'saved', 'printed'])
    expect(faults).toEqual([])
    await context.close()
  })
})
