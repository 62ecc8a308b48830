import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const inTerm = (context: BrowserContext) =>
  context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)
const panelOf = (page: Page) => page.getByRole('dialog')
const outcome = async (page: Page) => (await panelOf(page).locator('dl').innerText()).replace(/\s+/g, ' ')

describe.skipIf(!headlessPath)('the panel of a figure', () => {
  const { site, browser } = siteInBrowser()

  test('explains a figure beside it, shows the result of another mark, and writes nothing', async () => {
    const { context, page, faults } = await openWindow(browser)
    await inTerm(context)
    await site.signIn(context, 'byrne')
    const written: string[] = []
    page.on('request', (request) => request.method() !== 'GET' && written.push(request.url()))
    await page.goto(`${site.url}/results/${class3B.id}`)
    const figure = page.getByTitle('Explain Mathematics of Zoë Adeyemi')
    await figure.click()
    const panel = panelOf(page)
    await panel.getByText('was ill').waitFor()
    await panel.getByText('Year grade').waitFor()
    const [own, its] = await Promise.all([panel.boundingBox(), figure.boundingBox()])
    expect((its?.x ?? 0) + (its?.width ?? 0)).toBeLessThanOrEqual(own?.x ?? 0)
    expect(await outcome(page)).toBe(
      'Coursework average 90.00 Exam average 71.00 Result of the term 78.60 B Overall 65.73 Year grade 71.80 B Year overall 63.47',
    )
    await expectForEverybody(page)
    await picture(page, 'panel-pc')
    const exam = panel.getByRole('textbox', { name: 'Try a mark in Christmas exam, at most 100' })
    await exam.fill('75')
    // 90·0.4 + 75·0.6 = 81; (81 + 63.6 + 55) / 3 = 66.53; the year: (81 + 65) / 2 = 73, and (73 + 63.6 + 55) / 3 = 63.87.
    await expect
      .poll(() => outcome(page))
      .toBe(
        'Coursework average 90.00 Exam average 75.00 now 71.00 Result of the term 81.00 A now 78.60 Overall 66.53 now 65.73 Year grade 73.00 B now 71.80 Year overall 63.87 now 63.47',
      )
    await panel.getByText('Only tried: nothing is saved.').waitFor()
    expect(await panel.innerText()).toContain('(90 × 40 + 75 × 60) ÷ 100 = 81.00')
    await picture(page, 'panel-tried-pc')
    // With the excluded quiz, 4 of 20: (20 + 90) / 2 = 55; 55·0.4 + 75·0.6 = 67.
    await panel.getByRole('checkbox', { name: 'Quiz 1: counts' }).check()
    await expect.poll(() => outcome(page)).toContain('Result of the term 67.00 C now 78.60')
    await exam.fill('101')
    await panel.getByText('This is above the maximum, 100.').waitFor()
    await expectForEverybody(page)
    await exam.fill('inc')
    await panel.getByText('A mark in this subject is still to come.').waitFor()
    await panel.getByRole('button', { name: 'As it is' }).click()
    await expect.poll(() => outcome(page)).toContain('Result of the term 78.60 B Overall')
    await panel.getByRole('button', { name: 'History of the mark in Christmas exam' }).click()
    await panel.getByRole('list', { name: 'History' }).getByText('recorded').waitFor()
    await picture(page, 'panel-history-pc')
    // Another figure is explained in the same panel, also by the keyboard.
    const other = page.getByTitle('Explain Irish of Aoife Murphy')
    await other.press('Enter')
    await panel.getByRole('heading', { name: 'Aoife Murphy: Irish' }).waitFor()
    await panel.getByText('Result of the term').first().waitFor()
    const [there, that] = await Promise.all([panel.boundingBox(), other.boundingBox()])
    expect((that?.x ?? 0) + (that?.width ?? 0)).toBeLessThanOrEqual(there?.x ?? 0)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await expect.poll(() => other.evaluate((button) => button === document.activeElement)).toBe(true)
    expect(written).toEqual([])
    const marks = await (await site.as('byrne')).grades.list({ query: { assessmentId: mathsExam.id } })
    expect(marks.find(({ student_id }) => student_id === zoe.id)).toMatchObject({ score: 71 })
    expect(faults).toEqual([])
    await context.close()
  })

  test.each(['en-IE', 'fr-FR'])('beside it the results of a pupil are whole, in %s', async (locale) => {
    const { context, page, faults } = await openWindow(browser, { locale })
    await inTerm(context)
    await site.signIn(context, 'byrne')
    await page.goto(`${site.url}/results/${class3B.id}/students/${zoe.id}`)
    await page
      .getByRole('button', { name: /Mathematics/ })
      .first()
      .click()
    await panelOf(page)
      .getByText(/78[.,]60/)
      .first()
      .waitFor()
    await expectFits(page)
    expect(faults).toEqual([])
    await context.close()
  })

  test('adds no entry to the browser’s history when closed by its cross or by Back, and the page does not scroll', async () => {
    const { context, page } = await openWindow(browser, { viewport: { width: 1366, height: 360 } })
    await inTerm(context)
    await site.signIn(context, 'byrne')
    const places = [`/results/${class3B.id}`, `/results/${class3B.id}?view=year`, `/results/${class3B.id}/students/${zoe.id}`]
    for (const place of places) {
      await page.goto(`${site.url}/students`)
      await page.goto(`${site.url}${place}`)
      const figure = (at: number) => page.locator('[data-figure]').nth(at)
      await figure(0).click()
      await panelOf(page).waitFor()
      await expect.poll(() => new URL(page.url()).search, { message: place }).toContain('explain=')
      await page.goBack()
      await panelOf(page).waitFor({ state: 'detached' })
      await figure(0).click()
      await panelOf(page).waitFor()
      const about = await panelOf(page).innerText()
      await figure(1).click()
      await expect.poll(() => panelOf(page).innerText()).not.toBe(about)
      const scrolled = () => page.evaluate(() => window.scrollY)
      const opened = await scrolled()
      await page.evaluate(() => window.scrollBy(0, 30))
      const before = await scrolled()
      expect(before, place).not.toBe(opened)
      await panelOf(page).getByRole('button', { name: 'Close' }).click()
      await panelOf(page).waitFor({ state: 'detached' })
      await expect.poll(() => page.url()).toBe(`${site.url}${place}`)
      await page.waitForTimeout(200)
      expect(await scrolled(), place).toBe(before)
      await page.goBack()
      await expect.poll(() => new URL(page.url()).pathname, { message: place }).toBe('/students')
    }
    await context.close()
  })

  test('covers the page from below on a telephone, and is right to left in Arabic', async () => {
    const { context, page, faults } = await openWindow(browser, { viewport: sizes.phone, hasTouch: true })
    await inTerm(context)
    await context.addInitScript(() => localStorage.setItem('markbook.language', 'ar'))
    await site.signIn(context, 'byrne')
    await page.goto(`${site.url}/results/${class3B.id}?pupil=${zoe.id}&explain=${maths.id}`)
    const panel = panelOf(page)
    await panel.getByText('78.60').first().waitFor()
    const box = await panel.boundingBox()
    expect(box?.x).toBe(0)
    expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(sizes.phone.height)
    await panel.getByRole('textbox').last().fill('75')
    await panel.getByText('81.00').first().waitFor()
    await expectFits(page)
    await expectForEverybody(page)
    await picture(page, 'panel-phone-arabic')
    // Back closes it and changes the address: after a reload it stays closed.
    await page.goto(`${site.url}/results/${class3B.id}`)
    await page.locator('[data-figure]').first().click()
    await panel.getByText('78.60').first().waitFor()
    await page.goBack()
    await panel.waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${site.url}/results/${class3B.id}`)
    await page.goForward()
    await panel.getByText('78.60').first().waitFor()
    await page.setViewportSize(sizes.pc)
    await expect.poll(async () => (await panel.boundingBox())?.x).toBe(0)
    expect((await panel.boundingBox())?.width).toBe(400)
    await picture(page, 'panel-pc-arabic')
    expect(faults).toEqual([])
    await context.close()
  })
})
