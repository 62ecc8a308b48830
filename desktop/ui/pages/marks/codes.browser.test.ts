import { lukasz, mathsHomework, mei, zoe } from '@markbook/shared/story/marks'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { cell, openGrid, textOf } from '../../tests/grid.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('codes in the mark grid', () => {
  const { site, browser, open } = siteInBrowser()

  const gradeOf = async (assessment: { id: string }, student: { id: string }) => {
    const all = await (await site.as('okafor')).grades.list({ query: { assessmentId: assessment.id } })
    const found = all.find(({ student_id }) => student_id === student.id)
    return found && [found.score, found.status]
  }
  const type = async (page: Page, row: number, col: number, text: string) => {
    await cell(page, row, col).click()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  const saved = (page: Page) => expect.poll(() => page.locator('main').innerText()).toContain('Everything is saved.')

  test('are typed like marks, shown in the cells and saved; an unknown code is an invalid entry', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada')
    await type(page, 0, 1, 'abs')
    await type(page, 1, 1, '7 late')
    await type(page, 2, 0, 'ill')
    await expect.poll(() => textOf(page, 0, 1)).toBe('abs')
    await expect.poll(() => textOf(page, 1, 1)).toBe('7 late')
    await expect.poll(() => gradeOf(mathsHomework, zoe)).toEqual([null, 'abs'])
    await expect.poll(() => gradeOf(mathsHomework, mei)).toEqual([7, 'late'])
    expect(await page.locator('main').innerText()).toContain('This is neither a number, such as 12.5 or 12,5, nor a code, such as abs.')
    // The line below the grid explains the code, and shows no maximum without a score.
    const line = page.getByRole('region', { name: 'The chosen mark' })
    await cell(page, 0, 1).click()
    await expect.poll(() => line.innerText()).toMatch(/: abs\s*Absent/)
    await cell(page, 1, 1).click()
    await expect.poll(() => line.innerText()).toMatch(/: 7 late \/ 10\s*Late/)
    await picture(page, 'marks-codes')
    await expectForEverybody(page)
    await cell(page, 2, 0).click()
    await page.keyboard.press('Escape')
    // A number replaces the code.
    await type(page, 0, 1, '9')
    await expect.poll(() => gradeOf(mathsHomework, zoe)).toEqual([9, null])
    await page.keyboard.press('Control+z')
    await expect.poll(() => gradeOf(mathsHomework, zoe)).toEqual([null, 'abs'])
    await cell(page, 0, 1).click()
    await page.keyboard.press('Delete')
    await expect.poll(() => gradeOf(mathsHomework, zoe)).toBeUndefined()
    await page.keyboard.press('Control+z')
    await expect.poll(() => gradeOf(mathsHomework, zoe)).toEqual([null, 'abs'])
    expect(faults).toEqual([])
    await context.close()
  })

  test('a column with codes among the marks can be pasted', async () => {
    const { context, page } = await openGrid(site, browser, 'ada')
    await cell(page, 1, 0).click()
    await page.getByRole('grid').evaluate((grid) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', '12\nEX\n15 late\nsick')
      grid.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Save 3 marks').waitFor()
    await picture(page, 'marks-codes-paste')
    await dialog.getByRole('button', { name: 'Save 3 marks' }).click()
    await expect.poll(() => textOf(page, 3, 0)).toBe('15 late')
    await expect.poll(() => textOf(page, 2, 0)).toBe('ex')
    await saved(page)
    await context.close()
  })

  test('on a telephone, whose number keys have no letters, a code is chosen in the menu of the cell', async () => {
    const { context, page } = await openGrid(site, browser, 'ada', { viewport: sizes.phone, hasTouch: true, isMobile: true })
    await cell(page, 4, 0).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Code …' }).click()
    await page.getByRole('menuitem', { name: 'Incomplete' }).waitFor()
    await picture(page, 'marks-codes-phone')
    await page.getByRole('menuitem', { name: 'Incomplete' }).click()
    await expect.poll(() => textOf(page, 4, 0)).toBe('inc')
    await saved(page)
    await expectFits(page)
    await context.close()
  })

  test('a button below the grid acts on the cell that is selected, however soon it is pressed', async () => {
    const { context, page } = await openGrid(site, browser)
    await cell(page, 2, 1).click()
    await page.getByRole('region', { name: 'The chosen mark' }).getByText('Murphy Aoife, Homework').waitFor()
    const buttons = page.getByRole('region', { name: 'The chosen mark' }).getByRole('button')
    await buttons.getByText('Remark …').evaluate((button) => {
      const down = new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true })
      document.querySelector('[role="grid"]')?.dispatchEvent(down)
      ;(button as HTMLElement).click()
    })
    await page.getByRole('dialog', { name: 'Remark on the mark of Seán Murphy' }).waitFor()
    await context.close()
  })

  test('the head adds a code of the school, and a teacher types it', async () => {
    const { context, page, faults } = await open('okafor', '/scale')
    await page.getByRole('button', { name: 'Add a code' }).click()
    await page.getByRole('textbox', { name: 'Code in row 5' }).fill('abs')
    await page.getByRole('textbox', { name: 'Meaning in row 5' }).fill('No paper')
    await page.getByText('Row 5: this code is there already.').waitFor()
    await page.getByRole('textbox', { name: 'Code in row 5' }).fill('np')
    await page.getByRole('combobox', { name: 'Effect of row 5' }).selectOption('zero')
    await picture(page, 'school-codes')
    await expectForEverybody(page)
    await page.getByRole('region', { name: 'Codes in place of marks' }).getByRole('button', { name: 'Save' }).click()
    await page.getByText('The codes are saved.').waitFor()
    await context.close()
    const grid = await openGrid(site, browser, 'ada')
    await type(grid.page, 5, 1, 'NP')
    await expect.poll(() => textOf(grid.page, 5, 1)).toBe('0 np')
    await expect.poll(() => gradeOf(mathsHomework, lukasz)).toEqual([0, 'np'])
    expect([...faults, ...grid.faults]).toEqual([])
    await grid.context.close()
    const head = await open('okafor', '/scale')
    await head.page.getByRole('button', { name: 'Remove the code np' }).click()
    await head.page.getByRole('region', { name: 'Codes in place of marks' }).getByRole('button', { name: 'Save' }).click()
    await head.page.getByText('Marks have the code np').waitFor()
    await head.context.close()
  })
})
