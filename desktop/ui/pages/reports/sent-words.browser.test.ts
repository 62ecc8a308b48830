import { sentReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { describe, expect, test } from 'vitest'
import { dialogsClosed } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('the last state of a report book', () => {
  const { site, open } = siteInBrowser()

  const texts = async (isJoined: boolean) => {
    const { context, page } = await open('byrne', '/account')
    await context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)
    const status = async () => {
      const own = await (await context.request.get(`${site.url}/api/sync/status`)).json()
      return isJoined ? { ...own, state: 'connected' } : own
    }
    await page.route('**/api/sync/status', async (route) => route.fulfill({ json: await status() }))
    await page.route('**/api/sync/events', async (route) => {
      const body = `data: ${JSON.stringify(await status())}\n\n`
      await route.fulfill({ body, contentType: 'text/event-stream' })
    })
    const seen: string[] = []
    const look = async (path: string) => {
      await page.goto(`${site.url}${path}`)
      await page
        .getByText(isJoined ? /^(1 )?sent to the ministry$/ : /^(1 )?closed for good$/)
        .first()
        .waitFor()
      seen.push(await page.locator('main').innerText())
    }
    for (const path of [`/reports/book/${sentReport.id}`, '/', `/reports/${class3B.id}`]) await look(path)
    await page.unroute('**/api/sync/events')
    await page.route('**/api/sync/*', (route) => route.abort())
    await look(`/reports/${class3B.id}`)
    for (const name of [/^Publish \d/, 'Bring up to date']) {
      const more = page.getByRole('button', { name: 'More' })
      const action = page.getByRole('button', { name }).or(page.getByRole('menuitem', { name }))
      if (!(await action.first().isVisible())) await more.click()
      await action.first().click()
      seen.push(await page.getByRole('dialog').innerText())
      await page.keyboard.press('Escape')
      await dialogsClosed(page)
    }
    await context.close()
    return seen.join('\n')
  }

  test('is «closed for good» on all pages where no centre gets the books, else «sent to the ministry»', async () => {
    expect(await texts(false)).not.toMatch(/\bsent\b|ministry/)
    expect(await texts(true)).not.toMatch(/closed for good/)
  })
})
