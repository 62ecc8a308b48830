import { mathsHomework, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUCKET } from '../../../../server/features/reports/files/paths.ts'
import type { BadLine } from '../../../../server/testing/bad-line.ts'
import { expectForEverybody, openBrowser, openWindow, picture } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { cell, GRID } from '../../tests/grid.ts'
import { joinedUnder } from '../../tests/joined.ts'
import { openSite, type Site } from '../../tests/site.ts'

/** The line below the grid about the selected mark. */
const chosen = (page: Page) => page.getByRole('region', { name: 'The chosen mark' })
const where = (page: Page) => page.getByRole('list', { name: 'Where the marks are' })
const line = (page: Page) => page.locator('header a[href="/sync"]')
/** Longer than the pause before a cut connection is tried again. */
const HEALED = { timeout: 60_000 }

describe.skipIf(!headlessPath)('the location of a mark', () => {
  let centre: Site
  let box: Site
  let laptop: Site
  let toCentre: BadLine
  let toSchool: BadLine
  let browser: Browser
  beforeAll(async () => {
    const named = (name: string, prefix: string) => ({ NODE_NAME: name, COOKIE_PREFIX: prefix })
    ;[centre, box, laptop, browser] = await Promise.all([
      openSite({ env: named('The ministry', 'centre') }),
      openSite({ story: false, env: named('The office', 'box') }),
      openSite({ story: false, env: named('Ada’s laptop', 'laptop') }),
      openBrowser(),
    ])
    toCentre = await joinedUnder(centre, box)
    toSchool = await joinedUnder(box, laptop, people.ada.id)
  })
  afterAll(async () => {
    await browser.close()
    await laptop.close()
    await toSchool.close()
    await box.close()
    await toCentre.close()
    await centre.close()
  })

  const gridAt = async (site: Site) => {
    const opened = await openWindow(browser)
    await site.signIn(opened.context, 'ada')
    await opened.page.goto(`${site.url}${GRID}`)
    await opened.page.getByRole('grid').waitFor()
    // A reload would remove this property: the test stays on one page.
    await opened.page.evaluate(() => Object.assign(window, { isTheSame: true }))
    return opened
  }
  const typed = async (page: Page, mark: string) => {
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type(mark)
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowUp')
  }
  const isTheSame = (page: Page) => page.evaluate(() => 'isTheSame' in window)

  test('at a school, while the connection is down and once it is back, without a reload', async () => {
    const { context, page, faults } = await gridAt(box)
    await expect.poll(() => where(page).innerText(), HEALED).toMatch(/All \d+ marks are at the ministry/)
    await expect.poll(() => line(page).innerText(), HEALED).toBe('All marks are at the ministry')
    await picture(page, 'where-ministry')
    toCentre.cut()
    await typed(page, '8,5')
    await expect.poll(() => chosen(page).innerText()).toContain('at school, waits for the ministry')
    expect(await cell(page, 0, 1).innerText()).toMatch(/↑[\s\S]*8\.5/)
    await expect.poll(() => where(page).innerText(), HEALED).toMatch(/1 at school, waits for the ministry[\s\S]*\d+ at the ministry/)
    await expect.poll(() => line(page).innerText(), HEALED).toBe('Offline: 1 mark waits')
    await expectForEverybody(page)
    await picture(page, 'where-school')
    toCentre.mend()
    await expect.poll(() => chosen(page).innerText(), HEALED).toContain('at the ministry')
    expect(await chosen(page).innerText()).not.toContain('waits')
    expect(await cell(page, 0, 1).innerText()).not.toContain('↑')
    await expect.poll(() => where(page).innerText(), HEALED).toMatch(/All \d+ marks are at the ministry/)
    await expect.poll(() => line(page).innerText(), HEALED).toBe('All marks are at the ministry')
    expect(await isTheSame(page)).toBe(true)
    const there = await (await centre.as('okafor')).grades.list({ query: { assessmentId: mathsHomework.id } })
    expect(there.find(({ student_id }) => student_id === zoe.id)?.score).toBe(8.5)
    expect(faults).toEqual([])
    await context.close()
  })

  test('on a laptop: on this computer, then at school, then at the ministry, as the school reports it', async () => {
    const { context, page, faults } = await gridAt(laptop)
    await expect.poll(() => line(page).innerText(), HEALED).toBe('All marks are at the ministry')
    await expect.poll(() => where(page).innerText(), HEALED).toMatch(/All \d+ marks are at the ministry/)
    toCentre.cut()
    toSchool.cut()
    await typed(page, '7')
    await expect.poll(() => chosen(page).innerText()).toContain('on this computer, waits for the school')
    await expect.poll(() => where(page).innerText(), HEALED).toMatch(/1 on this computer, waits for the school[\s\S]*\d+ at the ministry/)
    await expect.poll(() => line(page).innerText(), HEALED).toBe('Offline: 1 mark waits')
    await picture(page, 'where-laptop')
    toSchool.mend()
    await expect.poll(() => chosen(page).innerText(), HEALED).toMatch(/at school(?!, waits)/)
    await expect.poll(() => where(page).innerText(), HEALED).toMatch(/1 at school[\s\S]*\d+ at the ministry/)
    await expect.poll(() => line(page).innerText(), HEALED).toBe('All marks are at school')
    await picture(page, 'where-laptop-school')
    toCentre.mend()
    await expect.poll(() => chosen(page).innerText(), HEALED).toContain('at the ministry')
    await expect.poll(() => where(page).innerText(), HEALED).toMatch(/All \d+ marks are at the ministry/)
    await expect.poll(() => line(page).innerText(), HEALED).toBe('All marks are at the ministry')
    expect(await isTheSame(page)).toBe(true)
    expect(faults).toEqual([])
    await context.close()
  })

  test('waiting PDFs are shown in the header, in the list of waiting changes, and on the page of their report book', async () => {
    const { context, page, faults } = await openWindow(browser)
    await box.signIn(context, 'byrne')
    await page.goto(`${box.url}/sync`)
    await expect.poll(() => line(page).innerText(), HEALED).toBe('All marks are at the ministry')
    toCentre.cut()
    const { id } = await (await box.as('byrne')).reportFiles.generatePdf({ params: { id: draftReport.id } })
    await expect.poll(() => line(page).innerText(), HEALED).toBe('Offline: 1 change and 1 file wait')
    await page.getByRole('row').filter({ hasText: 'Report book, PDF' }).filter({ hasText: 'to be sent' }).waitFor()
    await expect.poll(() => page.getByText('Nothing waits.').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Decide them' }).count()).toBe(0)
    await expectForEverybody(page)
    await picture(page, 'where-files')
    await page.goto(`${box.url}/reports/book/${draftReport.id}`)
    await page.getByText('This paper is not at the ministry yet.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'where-book')
    toCentre.mend()
    await expect.poll(() => line(page).innerText(), HEALED).toBe('All marks are at the ministry')
    await expect.poll(() => page.getByText('not at the ministry yet').count(), HEALED).toBe(0)
    expect((await (await centre.as('byrne')).reportFiles.downloadPdf.raw({ params: { id: draftReport.id, pdfId: id } })).status).toBe(200)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a report book whose PDF has not arrived says so, and does not offer it', async () => {
    const byrne = await centre.as('byrne')
    const { file_path } = await byrne.reportFiles.latestPdf({ params: { id: draftReport.id } })
    // The state between the arrival of a row and of its file.
    await centre.running().node.services.files.remove(BUCKET, file_path)
    const { context, page } = await openWindow(browser)
    await centre.signIn(context, 'byrne')
    await page.goto(`${centre.url}/reports/book/${draftReport.id}`)
    await page.getByText('This paper has not come here yet').waitFor()
    const item = page.getByRole('listitem').filter({ hasText: 'has not come yet' })
    expect(await item.getByRole('button', { name: 'Show' }).isDisabled()).toBe(true)
    await picture(page, 'where-book-away')
    await context.close()
  })
})
