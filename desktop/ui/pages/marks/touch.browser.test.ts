import { aoife, elan, mathsExam, mathsHomework, mathsQuiz, mei, sean, zoe } from '@markbook/shared/story/marks'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { cell, openGrid } from '../../tests/grid.ts'
import { siteInBrowser } from '../../tests/site.ts'

const phone = { viewport: sizes.phone, hasTouch: true, isMobile: true } as const

/** Moves a finger from one point to another by browser events, which the browser may take for a scroll. */
async function drag(page: Page, from: readonly [x: number, y: number], to: readonly [x: number, y: number]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: points })
  await send('touchStart', [{ x: from[0], y: from[1] }])
  for (let at = 1; at <= 6; at += 1) {
    const part = (axis: 0 | 1) => from[axis] + ((to[axis] - from[axis]) * at) / 6
    await send('touchMove', [{ x: part(0), y: part(1) }])
  }
  // The finger rests before it is lifted: otherwise the scroll would continue and swallow the next tap.
  await page.waitForTimeout(150)
  await send('touchMove', [{ x: to[0], y: to[1] }])
  await send('touchEnd', [])
  await session.detach()
}
/** The row and column of the cell with the open editor; null where none is open. */
const edited = (page: Page) =>
  page.evaluate(() => {
    const { row, col } = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset ?? {}
    return document.activeElement instanceof HTMLInputElement && row !== undefined ? `${row} ${col}` : null
  })

describe.skipIf(!headlessPath)('marks on a telephone', () => {
  const { site, browser } = siteInBrowser()

  const scoreOf = async (assessment: { id: string }, student: { id: string }) => {
    const grades = await (await site.as('okafor')).grades.list({ query: { assessmentId: assessment.id } })
    return grades.find(({ student_id }) => student_id === student.id)?.score ?? null
  }

  test.each([
    ['en', -1],
    ['ar', 1],
  ] as const)('in %s a swipe goes to the next assessment with what is typed saved, and Next goes down', async (language, forward) => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', phone)
    await page.evaluate((chosen) => localStorage.setItem('markbook.language', chosen), language)
    await page.reload()
    await cell(page, 0, 2).waitFor()
    const score = language === 'en' ? 6 : 5
    await cell(page, 1, 0).tap()
    await expect.poll(() => edited(page)).toBe('1 0')
    await page.keyboard.type(String(score))
    await drag(page, [200, 420], [200 + forward * 120, 428])
    await expect.poll(() => edited(page)).toBe('1 1')
    await expect.poll(() => scoreOf(mathsQuiz, mei)).toBe(score)
    await picture(page, `touch-swiped-${language}`)
    // A mostly vertical move scrolls: the editor and its text stay.
    await page.keyboard.type(String(score + 1))
    await drag(page, [200, 420], [200 + forward * 40, 220])
    expect(await edited(page)).toBe('1 1')
    expect(await page.getByRole('textbox').inputValue()).toBe(String(score + 1))
    await page.keyboard.press('Enter')
    await expect.poll(() => edited(page)).toBe('2 1')
    await expect.poll(() => scoreOf(mathsHomework, mei)).toBe(score + 1)
    await drag(page, [200, 420], [200 - forward * 120, 420])
    await expect.poll(() => edited(page)).toBe('2 0')
    // At the first assessment there is no former one: the text stays in the editor.
    await page.keyboard.type('9')
    await drag(page, [200, 420], [200 - forward * 120, 420])
    expect(await edited(page)).toBe('2 0')
    expect(await page.getByRole('textbox').inputValue()).toBe('9')
    // The buttons do the same, and keep the keyboard open. The pause lets the scroll end, which would swallow the tap.
    await page.waitForTimeout(600)
    await page.locator('[role="columnheader"] button').nth(1).tap()
    await expect.poll(() => edited(page)).toBe('2 1')
    await expect.poll(() => scoreOf(mathsQuiz, aoife)).toBe(9)
    await page.locator('[role="columnheader"] button').nth(0).tap()
    await expect.poll(() => edited(page)).toBe('2 0')
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, `touch-${language}`)
    await page.keyboard.press('Escape')
    await expect.poll(() => edited(page)).toBe(null)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a button goes to the next pupil with what is typed saved, where the keypad has no Next', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', { ...phone, viewport: { width: 360, height: 640 } })
    await cell(page, 3, 0).tap()
    await page.keyboard.type('4')
    const next = page.getByRole('button', { name: 'Next pupil' })
    await next.tap()
    await expect.poll(() => edited(page)).toBe('4 0')
    await page.keyboard.type('3')
    await next.tap()
    await expect.poll(() => edited(page)).toBe('5 0')
    await expect.poll(async () => [await scoreOf(mathsQuiz, sean), await scoreOf(mathsQuiz, elan)]).toEqual([4, 3])
    // In the last row it closes the field.
    await next.tap()
    await expect.poll(() => edited(page)).toBe(null)
    const [own, name] = await Promise.all([next.boundingBox(), page.getByRole('columnheader').first().boundingBox()])
    expect((own?.x ?? 999) + (own?.width ?? 999)).toBeLessThanOrEqual((name?.x ?? 0) + (name?.width ?? 0))
    expect(own?.height).toBeGreaterThanOrEqual(44)
    await picture(page, 'touch-next-pupil')
    expect(faults).toEqual([])
    await context.close()
  })

  test.each([phone, {}])('the dialog of a remark names keys only where there is a keyboard: %j', async (device) => {
    const { context, page } = await openGrid(site, browser, 'ada', device)
    await cell(page, 0, 2).click()
    await page.getByRole('button', { name: 'Remark …' }).click()
    const hint = await page.getByText('Whoever may read the mark reads it.').innerText()
    expect(hint.trim()).toBe(
      device === phone ? 'Whoever may read the mark reads it.' : 'Whoever may read the mark reads it. Ctrl+Enter saves.',
    )
    await context.close()
  })

  test('entries are undone and redone without a keyboard', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', phone)
    const before = await scoreOf(mathsExam, elan)
    await cell(page, 4, 2).tap()
    await page.keyboard.type('34')
    // In Safari a pressed button gets no focus, so that the editor does not lose it.
    await page.getByRole('button', { name: 'Undo' }).dispatchEvent('click')
    await expect.poll(() => edited(page)).toBe(null)
    await page.getByText(/^Taken back/).waitFor()
    await expect.poll(() => scoreOf(mathsExam, elan)).toBe(before)
    await page.getByRole('button', { name: 'Redo' }).tap()
    await expect.poll(() => scoreOf(mathsExam, elan)).toBe(34)
    await page.getByRole('button', { name: 'Undo' }).tap()
    await expect.poll(() => scoreOf(mathsExam, elan)).toBe(before)
    expect(faults).toEqual([])
    await context.close()
  })

  test('text of twice the size stays in its cells, and a mark can be typed', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', phone)
    const before = await cell(page, 0, 0).boundingBox()
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '30px'
      dispatchEvent(new Event('resize'))
    })
    await expect.poll(async () => (await cell(page, 0, 0).boundingBox())?.height).toBe((before?.height ?? 0) * 2 + 1)
    const cut = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('[role="rowheader"], [role="gridcell"], [role="columnheader"]')]
          .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)
          .map(({ textContent }) => textContent),
      )
    await expect.poll(cut).toEqual([])
    await cell(page, 4, 2).tap()
    await page.keyboard.type('35')
    await page.keyboard.press('Enter')
    await expect.poll(() => scoreOf(mathsExam, elan)).toBe(35)
    await expectFits(page)
    await picture(page, 'touch-large-text')
    expect(faults).toEqual([])
    await context.close()
  })

  test.each([['en'], ['ar']] as const)(
    'in %s why a mark is refused is readable in the last column beside the figures',
    async (language) => {
      const { context, page, faults } = await openGrid(site, browser, 'ada', phone)
      await page.evaluate((chosen) => localStorage.setItem('markbook.language', chosen), language)
      await page.reload()
      await cell(page, 1, 1).tap()
      await page.keyboard.type('200')
      const message = page.getByRole('gridcell').getByRole('alert')
      await message.waitFor()
      await picture(page, `touch-wrong-${language}`)
      const [own, grid] = await Promise.all([message.boundingBox(), page.getByRole('grid').boundingBox()])
      expect(own?.x).toBeGreaterThanOrEqual(grid?.x ?? 0)
      expect((own?.x ?? 999) + (own?.width ?? 0)).toBeLessThanOrEqual((grid?.x ?? 0) + (grid?.width ?? 0))
      await page.keyboard.press('Escape')
      expect(faults).toEqual([])
      await context.close()
    },
  )

  test('on a small telephone the menu of a cell is in the window, scrolls to every code, and names no keys', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', { ...phone, viewport: { width: 360, height: 640 } })
    await cell(page, 1, 0).tap()
    const card = await page.getByRole('region', { name: 'The chosen mark' }).boundingBox()
    const lowest = await page.getByRole('button', { name: 'Redo' }).boundingBox()
    const edge = (card?.y ?? 0) + (card?.height ?? 0)
    expect(edge - (lowest?.y ?? 999) - (lowest?.height ?? 999)).toBeGreaterThanOrEqual(8)
    await page.getByRole('button', { name: 'Code …' }).tap()
    const menu = page.getByRole('menu')
    await menu.waitFor()
    await picture(page, 'touch-menu-small')
    const box = await menu.boundingBox()
    expect(box?.y).toBeGreaterThanOrEqual(0)
    expect((box?.y ?? 999) + (box?.height ?? 999)).toBeLessThanOrEqual(640)
    expect(await menu.innerText()).not.toContain('Alt+')
    // The button names codes, so the menu begins with them.
    expect(await menu.getByRole('menuitem').first().innerText()).toContain('abs')
    await menu.getByRole('menuitem', { name: 'Excused' }).tap()
    await expect.poll(() => cell(page, 1, 0).innerText()).toContain('ex')
    await page.getByText('Everything is saved.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).tap()
    await page.getByText(/^Taken back/).waitFor()
    await page.getByText('Everything is saved.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('the preview of a pasted table shows each mark, and first the rows that need attention', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', phone)
    await page.getByRole('button', { name: 'Code …' }).tap()
    await page.getByRole('menuitem', { name: /Paste/ }).tap()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill(`Name\t${mathsQuiz.title}\nÉlan Ó Briain\t7\nNobody Else\t8`)
    const rows = dialog.getByRole('row')
    await expect.poll(() => rows.nth(1).innerText()).toContain('Nobody Else')
    const mark = await dialog.locator('[data-kind="mark"]').first().boundingBox()
    expect((mark?.x ?? 999) + (mark?.width ?? 999)).toBeLessThanOrEqual(390)
    await expectFits(page)
    await picture(page, 'touch-paste')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Close without saving' }).tap()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a press on another cell enters what was typed; in the last row Next closes the editor', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada', phone)
    await cell(page, 4, 2).tap()
    await page.keyboard.type('33')
    await cell(page, 5, 1).tap()
    await expect.poll(() => edited(page)).toBe('5 1')
    await expect.poll(() => scoreOf(mathsExam, elan)).toBe(33)
    await page.keyboard.press('Enter')
    await expect.poll(() => edited(page)).toBe(null)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the panel beside the grid explains a figure from the marks in the grid, also unsaved ones', async () => {
    const { context, page, faults } = await openGrid(site, browser)
    const zoes = 0
    await cell(page, zoes, 5).click()
    const panel = page.getByRole('dialog')
    await panel.getByText('was ill').waitFor()
    await panel.getByText('Year grade').waitFor()
    expect(await panel.innerText()).toContain('(90 × 40 + 71 × 60) ÷ 100 = 78.60')
    const [own, its] = await Promise.all([panel.boundingBox(), cell(page, zoes, 5).boundingBox()])
    expect((its?.x ?? 0) + (its?.width ?? 0)).toBeLessThanOrEqual(own?.x ?? 0)
    await panel.getByRole('textbox', { name: 'Try a mark in Christmas exam, at most 100' }).fill('75')
    await panel.getByText('(90 × 40 + 75 × 60) ÷ 100 = 81.00').waitFor()
    await expectForEverybody(page)
    await picture(page, 'grid-panel-pc')
    expect(await scoreOf(mathsExam, zoe)).toBe(71)
    await panel.getByRole('button', { name: 'As it is' }).click()
    // The grid can still be used, and the panel shows a change before it is saved.
    await page.route('**/api/grades/bulk', (route) => route.abort())
    await cell(page, zoes, 2).click()
    await page.keyboard.type('61')
    await page.keyboard.press('Enter')
    await panel.getByText('(90 × 40 + 61 × 60) ÷ 100 = 72.60').waitFor()
    await page.unroute('**/api/grades/bulk')
    await expect.poll(() => scoreOf(mathsExam, zoe)).toBe(61)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    // By the keyboard: Enter on a figure, or Alt+E in the row.
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await panel.getByRole('heading', { level: 2 }).waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.keyboard.press('Home')
    await page.keyboard.press('Alt+e')
    await panel.getByRole('heading', { level: 2 }).waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })
})
