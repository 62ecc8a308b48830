import { mathsQuiz, zoe } from '@markbook/shared/story/marks'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from './browser.ts'
import { headlessPath } from './chromium.ts'
import { cell, openGrid } from './grid.ts'
import { siteInBrowser } from './site.ts'

describe.skipIf(!headlessPath)('in Arabic', () => {
  const { site, browser } = siteInBrowser()
  const arabic = { locale: 'ar-TN' }

  const startOf = async (place: Locator) => {
    const box = await place.boundingBox()
    return (box?.x ?? 0) + (box?.width ?? 0)
  }
  const active = (page: Page) =>
    page.getByRole('grid').evaluate((grid) => {
      const { row, col } = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')?.dataset ?? {}
      return `${row}/${col}`
    })

  test('the grid begins at the right: columns, arrow keys, scrolling, and Arabic digits', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', { ...arabic, viewport: sizes.phone })
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual(['ar', 'rtl'])
    expect(await startOf(cell(page, 0, 0))).toBeGreaterThan(await startOf(cell(page, 0, 1)))
    await cell(page, 0, 0).click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowLeft')
    expect(await active(page)).toBe('0/1')
    await page.keyboard.press('ArrowRight')
    expect(await active(page)).toBe('0/0')
    // On a telephone the last column is out of view until the keyboard goes there.
    await page.keyboard.press('End')
    const shown = async (place: Locator) => {
      const [box, grid] = [await place.boundingBox(), await page.getByRole('grid').boundingBox()]
      return box !== null && grid !== null && box.x >= grid.x - 1 && box.x + box.width <= grid.x + grid.width + 1
    }
    const last = (await active(page)).split('/')[1]
    await expect.poll(() => shown(cell(page, 0, Number(last)))).toBe(true)
    await page.keyboard.press('Home')
    await expect.poll(() => shown(cell(page, 0, 0))).toBe(true)
    await page.keyboard.press('F2')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('٧٫٥')
    await page.keyboard.press('Enter')
    await expect.poll(() => cell(page, 0, 0).innerText()).toMatch(/7[.,٫]5/)
    const head = await site.as('okafor')
    const marks = () => head.grades.list({ query: { assessmentId: mathsQuiz.id } })
    await expect.poll(async () => (await marks()).find(({ student_id }) => student_id === zoe.id)?.score).toBe(7.5)
    // A mark and its code are shown in the order in which they are typed.
    await page.keyboard.type('5 late')
    await page.keyboard.press('Enter')
    await expect.poll(() => cell(page, 1, 0).innerText()).toContain('5 late')
    const isInOrder = await cell(page, 1, 0).evaluate((place) => {
      const text = [...place.querySelectorAll('span')].find(({ textContent }) => textContent === '5 late')?.firstChild
      const range = document.createRange()
      const leftOf = (at: number) => {
        if (text) range.setStart(text, at)
        if (text) range.setEnd(text, at + 1)
        return range.getBoundingClientRect().left
      }
      return leftOf(0) < leftOf(2)
    })
    expect(isInOrder).toBe(true)
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'arabic-grid-phone')
    expect(faults).toEqual([])
    await context.close()
  })

  test('typed text keeps the direction of its own letters', async () => {
    const { context, page, faults } = await openWindow(browser, arabic)
    await context.addInitScript((id) => sessionStorage.setItem('markbook.term', id), michaelmas.id)
    await site.signIn(context, 'okafor')
    /** Whether the first letter is painted to the left of the second. */
    const isFromTheLeft = (place: Locator, first: string, second: string) =>
      place.evaluate(
        (element, letters) => {
          const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
          for (let text = texts.nextNode(); text; text = texts.nextNode()) {
            const [one, other] = letters.map((letter) => {
              const at = text?.textContent?.indexOf(letter) ?? -1
              if (!text || at < 0) return null
              const range = document.createRange()
              range.setStart(text, at)
              range.setEnd(text, at + 1)
              return range.getBoundingClientRect().left
            })
            if (typeof one === 'number' && typeof other === 'number') return one < other
          }
          throw new Error('The letters are in no text.')
        },
        [first, second],
      )
    await page.goto(`${site.url}/results/${class3B.id}?view=summary`)
    const letter = page.getByRole('columnheader', { name: 'A+' }).first()
    await letter.waitFor()
    expect(await isFromTheLeft(letter, 'A', '+')).toBe(true)
    await page.goto(`${site.url}/people`)
    const message = page.getByText('I start in September.')
    await message.waitFor()
    expect(await isFromTheLeft(message, 'I', '.')).toBe(true)
    const request = page.getByText('tomas.keane@mail.example').locator('xpath=..')
    const [name, address] = await Promise.all([request.locator('strong').boundingBox(), request.locator('bdi').first().boundingBox()])
    expect(name?.x).toBeGreaterThan(address?.x ?? Number.POSITIVE_INFINITY)
    await page.goto(`${site.url}/scale`)
    const typed = page.locator('tbody input').first()
    await expect.poll(() => typed.inputValue()).toBe('A+')
    // The browser does not say where it paints the letters of a field.
    expect(await typed.evaluate((field) => getComputedStyle(field).unicodeBidi)).toBe('plaintext')
    await page.goto(`${site.url}/school`)
    expect(
      await page
        .locator('textarea')
        .first()
        .evaluate((field) => getComputedStyle(field).unicodeBidi),
    ).toBe('plaintext')
    // The new value is shown on the side to which Arabic is read.
    await (await site.as('okafor')).students.update({ params: { id: zoe.id }, body: { firstName: 'Zoey' } })
    await page.goto(`${site.url}/history?entity=student&id=${zoe.id}`)
    const change = page.getByRole('listitem').filter({ hasText: 'Zoey' }).first()
    await change.waitFor()
    expect(await change.innerText()).toMatch(/Zoë\s*←\s*Zoey/)
    await (await site.as('okafor')).students.update({ params: { id: zoe.id }, body: { firstName: 'Zoë' } })
    // Long names are cut at their own end.
    await page.goto(`${site.url}/results/${class3B.id}`)
    const pupil = page.getByRole('link', { name: 'Adeyemi, Zoë' })
    await pupil.evaluate((link) => {
      ;(link as HTMLElement).style.width = '50px'
    })
    const begin = await pupil.evaluate((link) => {
      const range = document.createRange()
      range.setStart(link.firstChild ?? link, 0)
      range.setEnd(link.firstChild ?? link, 1)
      return range.getBoundingClientRect().left - link.getBoundingClientRect().left
    })
    expect(begin).toBeGreaterThanOrEqual(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the sign-in page and the daily pages fit and are complete', async () => {
    const { context, page, faults } = await openWindow(browser, arabic)
    await page.goto(`${site.url}/sign-in`)
    expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl')
    await expectForEverybody(page)
    await picture(page, 'arabic-sign-in')
    await site.signIn(context, 'okafor')
    for (const [name, path] of Object.entries({
      today: '/',
      grid: '/marks',
      results: `/results/${class3B.id}`,
      reports: `/reports/${class3B.id}`,
      years: '/years',
      people: '/people',
      sync: '/sync',
    })) {
      await page.goto(`${site.url}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      await expectForEverybody(page)
      await expectFits(page)
      await picture(page, `arabic-${name}`)
    }
    expect(faults).toEqual([])
    await context.close()
  })
})
