import { sean } from '@markbook/shared/story/marks'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from './browser.ts'
import { headlessPath } from './chromium.ts'
import { GRID } from './grid.ts'
import { siteInBrowser } from './site.ts'

const SAID = 'This is 2025/26, and not the current year 2040/41.'
const COUNTS = 'What you enter here counts for 2025/26.'

describe.skipIf(!headlessPath)('a year that is not the current one', () => {
  const { site, open } = siteInBrowser()
  const chosenYear = (page: Page) => page.getByLabel('Year', { exact: true }).locator('option:checked').innerText()

  test('grid, report books, register, assessments, overview and pupils say so, and lead back to the current year', async () => {
    const okafor = await site.as('okafor')
    const days = { startDate: '2040-09-01', endDate: '2041-06-30' }
    const term = { name: 'michaelmas', ...days, examWeight: 60, courseworkWeight: 40 }
    await okafor.academicYears.create({ body: { name: '2040/41', ...days, gradingModel: 'term_based', isActive: true, terms: [term] } })
    const { context, page, faults } = await open('okafor', '/students')
    await page.getByRole('heading', { name: 'Pupils' }).waitFor()
    expect(await chosenYear(page)).toBe('2040/41')
    expect(await page.getByText('and not the current year').count()).toBe(0)

    const books = `/reports/${class3B.id}`
    const places = [
      { path: GRID, counts: true, ends: '/marks' },
      { path: books, counts: false, ends: '/reports' },
      { path: `${books}?view=fill`, counts: true, ends: '/reports' },
      { path: `/reports/book/${draftReport.id}`, counts: true, ends: '/reports' },
      { path: `/classes/${class3B.id}`, counts: false, ends: '/classes' },
      { path: `/attendance/${class3B.id}`, counts: true, ends: '/attendance' },
      { path: '/assessments', counts: true, ends: '/assessments' },
      { path: '/overview', counts: false, ends: '/overview' },
      { path: '/students', counts: false, ends: '/students' },
      { path: `/students/${sean.id}`, counts: false, ends: `/students/${sean.id}` },
    ]
    for (const { path, counts, ends } of places) {
      await page.evaluate((id) => sessionStorage.setItem('markbook.term', id), michaelmas.id)
      await page.goto(`${site.url}${path}`)
      await page.getByText(SAID).waitFor()
      expect(await page.getByText(COUNTS).count(), path).toBe(counts ? 1 : 0)
      await expectForEverybody(page)
      const name = `other-year-${path.split('?')[0]?.split('/').slice(1, 3).join('-').slice(0, 20)}${counts ? '-counts' : ''}`
      await picture(page, `${name}-pc`)
      await page.setViewportSize(sizes.phone)
      await expectFits(page)
      await picture(page, `${name}-phone`)
      await page.setViewportSize(sizes.pc)
      await page.getByRole('button', { name: 'Show 2040/41' }).click()
      await page.getByText(SAID).waitFor({ state: 'detached' })
      await expect.poll(() => new URL(page.url()).pathname).toBe(ends)
      await expect.poll(() => chosenYear(page)).toBe('2040/41')
      // The former page is shown while the next one is loaded.
      await expect.poll(() => page.getByText('the year chosen above is').count(), { message: path }).toBe(0)
    }
    expect(faults).toEqual([])
    await context.close()
  })
})
