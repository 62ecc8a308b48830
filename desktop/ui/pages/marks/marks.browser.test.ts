import { aoife, elan, lukasz, mathsExam, mathsHomework, mathsQuiz, mei, sean, zoe } from '@markbook/shared/story/marks'
import { class3B, english, michaelmas } from '@markbook/shared/story/school-year'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { cell, GRID, openGrid, textOf } from '../../tests/grid.ts'
import { siteInBrowser } from '../../tests/site.ts'

/** As Ctrl+V does, without a clipboard of the machine. */
const paste = (page: Page, text: string) =>
  page.getByRole('grid').evaluate((grid, given) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', given)
    grid.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, text)

describe.skipIf(!headlessPath)('the mark grid', () => {
  const { site, browser, open } = siteInBrowser()

  const opened = (person: 'ada' | 'byrne' | 'okafor' = 'ada', options: BrowserContextOptions = {}) =>
    openGrid(site, browser, person, options)
  const scoreOf = async (assessmentId: string, studentId: string) =>
    (await (await site.as('okafor')).grades.list({ query: { assessmentId } })).find(({ student_id }) => student_id === studentId)?.score

  test('the stream of marks opens once, when the pointer comes to the link, and the grid has the focus when its page opens', async () => {
    const { context, page } = await open('ada', '/marks')
    const streams: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/grades/events')) streams.push(request.url())
    })
    await page.getByRole('combobox', { name: 'Term' }).selectOption({ label: 'Michaelmas' })
    await page.getByRole('link', { name: 'Mathematics' }).hover()
    await expect.poll(() => streams).toEqual([expect.stringContaining(michaelmas.id)])
    await page.getByRole('link', { name: 'Mathematics' }).click()
    await page.getByRole('grid').waitFor()
    await expect.poll(() => textOf(page, 0, 2)).toBe('71')
    expect(streams).toHaveLength(1)
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    await context.close()
  })

  test('a teacher opens a class and enters marks with the keyboard alone', async () => {
    const { context, page, faults } = await open('ada', '/marks')
    await picture(page, 'marks-choose')
    await page.getByRole('link', { name: 'Mathematics' }).click()
    await page.getByRole('combobox', { name: 'Term' }).selectOption({ label: 'Michaelmas' })
    await page.getByRole('grid').waitFor()
    await expect.poll(() => textOf(page, 0, 2)).toBe('71')
    await picture(page, 'marks-pc')
    await expectForEverybody(page)
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('9,5')
    await picture(page, 'marks-typing')
    await page.keyboard.press('Enter')
    await page.keyboard.type('6')
    await page.keyboard.press('Tab')
    await page.keyboard.type('57.5')
    await page.keyboard.press('Enter')
    await expect.poll(() => scoreOf(mathsHomework.id, zoe.id)).toBe(9.5)
    await expect.poll(() => page.getByText('Everything is saved.').count()).toBe(1)
    expect(faults).toEqual([])
    await context.close()
  })

  test('an invalid entry is marked at once, is not sent, and blocks leaving the page', async () => {
    const { context, page } = await opened()
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Home')
    await page.keyboard.type('20,5')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('above the maximum, 20')
    await picture(page, 'marks-wrong')
    await expectForEverybody(page)
    await page.keyboard.press('Enter')
    expect(await cell(page, 5, 0).getAttribute('data-look')).toBe('wrong')
    await page.getByText('1 cell has a mistake and is not saved.').waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'above the maximum, 20' }).innerText()).toContain('Łukasz')
    await expect.poll(() => page.getByText('Everything is saved.').count()).toBe(0)
    await picture(page, 'marks-mistake')
    expect(await scoreOf(mathsQuiz.id, lukasz.id)).toBe(9.25)
    await page.getByRole('link', { name: 'Classes' }).click()
    await page.getByRole('dialog').getByText('Leave this page?').waitFor()
    expect(await page.getByRole('dialog').innerText()).toMatch(/Łukasz[\s\S]*20,5[\s\S]*above the maximum, 20/)
    expect(await page.getByRole('dialog').innerText()).not.toContain('server')
    await page.getByRole('button', { name: 'Stay here' }).click()
    await cell(page, 5, 0).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => textOf(page, 5, 0)).toBe('9.25')
    await context.close()
  })

  test('what is no mark is refused in its cell: no part of it is saved', async () => {
    const { context, page } = await opened()
    for (const [row, text] of [
      [1, '-5'],
      [2, 'a7'],
      [3, '1/2'],
    ] as const) {
      await cell(page, row, 1).click()
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
      expect(await cell(page, row, 1).innerText()).toContain(text)
      await page
        .getByRole('listitem')
        .filter({ hasText: `${text}.` })
        .waitFor()
    }
    await page.getByText('3 cells have a mistake and are not saved.').waitFor()
    await picture(page, 'marks-refused')
    for (const row of [1, 2, 3]) {
      await cell(page, row, 1).click()
      await page.keyboard.press('Delete')
    }
    await expect.poll(() => page.getByText('Everything is saved.').count()).toBe(1)
    await context.close()
  })

  test('Delete takes a mark away, and Ctrl+Z brings it back', async () => {
    const { context, page } = await opened()
    const before = await scoreOf(mathsHomework.id, mei.id)
    await cell(page, 1, 1).click()
    await page.keyboard.press('Delete')
    await page.getByText('1 mark was taken away. Undo (Ctrl+Z) brings it back.').waitFor()
    await expect.poll(() => scoreOf(mathsHomework.id, mei.id)).toBeUndefined()
    await expect.poll(() => textOf(page, 1, 1)).toBe('–')
    await picture(page, 'marks-cleared')
    await page.keyboard.press('Control+z')
    await expect.poll(() => scoreOf(mathsHomework.id, mei.id)).toBe(before)
    await expect.poll(() => textOf(page, 1, 1)).toBe(String(before))
    await context.close()
  })

  test('what was entered can be taken back after a reload, and entered again', async () => {
    const { context, page } = await opened()
    const before = await scoreOf(mathsHomework.id, mei.id)
    await cell(page, 1, 1).click()
    await page.keyboard.type('3.5')
    await page.keyboard.press('Enter')
    await expect.poll(() => scoreOf(mathsHomework.id, mei.id)).toBe(3.5)
    await page.reload()
    await expect.poll(() => cell(page, 1, 1).innerText()).toContain('3.5')
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+z')
    await page.getByText('Taken back. Chen Mei').waitFor()
    await expect.poll(() => scoreOf(mathsHomework.id, mei.id)).toBe(before)
    await page.reload()
    await expect.poll(() => cell(page, 1, 1).innerText()).toContain(String(before))
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+y')
    await page.getByText('Entered again. Chen Mei').waitFor()
    await expect.poll(() => scoreOf(mathsHomework.id, mei.id)).toBe(3.5)
    await page.keyboard.press('Control+z')
    await expect.poll(() => scoreOf(mathsHomework.id, mei.id)).toBe(before)
    await context.close()
  })

  test('the browser’s Back saves the cell that is being typed', async () => {
    const { context, page } = await open('ada', '/classes')
    await page.goto(`${site.url}${GRID}`)
    await page.getByRole('grid').waitFor()
    await page.getByRole('link', { name: 'Classes' }).click()
    await page.getByRole('heading', { name: 'Classes' }).waitFor()
    await page.goBack()
    await expect.poll(() => textOf(page, 0, 2)).toBe('71')
    await cell(page, 4, 1).click()
    await page.keyboard.type('4,5')
    await page.goForward()
    await page.getByRole('heading', { name: 'Classes' }).waitFor()
    await expect.poll(() => scoreOf(mathsHomework.id, elan.id)).toBe(4.5)
    await context.close()
  })

  test('a pasted block is previewed beside its pupils, and one Ctrl+Z undoes it', async () => {
    const { context, page } = await opened()
    await cell(page, 1, 0).click()
    await paste(page, '11\t3\r\n12,5\t11\r\nx\t5\r\n\r\n14\r\n1\r\n')
    await page.getByRole('dialog').waitFor()
    await picture(page, 'marks-paste')
    await expectForEverybody(page)
    expect(await page.getByRole('dialog').innerText()).toContain('2 cells cannot be saved')
    expect(await page.getByRole('dialog').innerText()).toContain('1 row is below the last pupil')
    await page.getByRole('button', { name: 'Save 5 marks' }).click()
    await expect.poll(() => scoreOf(mathsQuiz.id, aoife.id)).toBe(12.5)
    await expect.poll(() => scoreOf(mathsQuiz.id, lukasz.id)).toBe(14)
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    await page.keyboard.press('Control+z')
    await expect.poll(() => scoreOf(mathsQuiz.id, aoife.id)).toBe(20)
    await expect.poll(() => scoreOf(mathsHomework.id, mei.id)).toBe(6)
    await context.close()
  })

  test('as in a spreadsheet a block is copied by its menu, cut, filled down, and takes what is typed or pasted, each undone at once', async () => {
    const { context, page } = await opened()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const shown = () => Promise.all([1, 2, 3].map((row) => textOf(page, row, 0)))
    const before = await shown()
    const undone = async () => {
      await page.keyboard.press('Control+z')
      await expect.poll(shown).toEqual(before)
    }
    await cell(page, 1, 0).hover()
    await page.mouse.down()
    await cell(page, 3, 0).hover()
    await page.mouse.up()
    await cell(page, 2, 0).dispatchEvent('contextmenu')
    await page.getByRole('menuitem', { name: 'Copy' }).click()
    await page.getByText('3 marks are copied.').waitFor()
    await page.keyboard.press('Control+x')
    await page.getByText('3 marks were taken away and are copied', { exact: false }).waitFor()
    await expect.poll(shown).toEqual(['–', '–', '–'])
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(before.join('\n'))
    await expect.poll(() => scoreOf(mathsQuiz.id, aoife.id)).toBe(undefined)
    await undone()
    await page.keyboard.press('Control+d')
    await expect.poll(shown).toEqual([before[0], before[0], before[0]])
    await undone()
    await page.keyboard.type('7,5')
    await page.keyboard.press('Control+Enter')
    await expect.poll(shown).toEqual(['7.5', '7.5', '7.5'])
    await expect.poll(() => scoreOf(mathsQuiz.id, aoife.id)).toBe(7.5)
    await undone()
    await page.evaluate(() => navigator.clipboard.writeText('8'))
    await page.keyboard.press('Control+v')
    await expect.poll(shown).toEqual(['8', '8', '8'])
    await undone()
    // What is typed is taken when the menu of another cell is opened, by the right button or a finger that is held.
    await page.keyboard.type('9')
    await cell(page, 0, 1).dispatchEvent('contextmenu')
    await page.getByRole('menuitem', { name: 'Copy' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(shown).toEqual([before[0], before[1], '9'])
    await page.keyboard.press('Control+z')
    await expect.poll(shown).toEqual(before)
    await context.close()
  })

  test('a pasted table with names goes to who is named, in whatever order, and faults are put right in the preview', async () => {
    const { context, page } = await opened()
    const before = await Promise.all([zoe, mei].map(({ id }) => scoreOf(mathsQuiz.id, id)))
    await cell(page, 0, 0).click()
    await paste(page, 'Name\tQuiz 1\r\nMurphy, Sean\t11\r\nMurphy\t13\r\nLukas Wojcik\t1l\r\nSomebody Else\t9\r\n')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('each mark goes to the pupil who is named').waitFor()
    await picture(page, 'marks-paste-names')
    await expectForEverybody(page)
    await dialog.getByText('nobody in this class has this name').waitFor()
    await dialog.getByLabel('Pupil of “Murphy”', { exact: true }).selectOption({ label: 'Murphy Aoife' })
    await dialog.getByLabel('Lukas Wojcik: mark in Quiz 1').fill('10')
    await dialog.getByRole('button', { name: 'Save 3 marks' }).click()
    await expect.poll(() => scoreOf(mathsQuiz.id, sean.id)).toBe(11)
    await expect.poll(() => scoreOf(mathsQuiz.id, aoife.id)).toBe(13)
    await expect.poll(() => scoreOf(mathsQuiz.id, lukasz.id)).toBe(10)
    // Nothing went by position.
    expect(await Promise.all([zoe, mei].map(({ id }) => scoreOf(mathsQuiz.id, id)))).toEqual(before)
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    await page.keyboard.press('Control+z')
    await expect.poll(() => scoreOf(mathsQuiz.id, aoife.id)).toBe(20)
    await context.close()
  })

  test('an import is previewed, and each row names its pupil', async () => {
    const { context, page } = await opened()
    await page.getByRole('button', { name: 'Import or mark sheet' }).click()
    const dialog = page.getByRole('dialog')
    const buffer = Buffer.from('Surname;First name\nlast_name;first_name\n')
    await page.getByLabel('File (.xlsx or .csv)').setInputFiles({ name: 'marks.csv', mimeType: 'text/csv', buffer })
    await dialog.getByRole('button', { name: 'See what would happen' }).click()
    await dialog.getByRole('alert').waitFor()
    const marks = Buffer.from('last_name;first_name;Quiz 1 (/20)\nChen;Mei;21\n')
    await page.getByLabel('File (.xlsx or .csv)').setInputFiles({ name: 'marks.csv', mimeType: 'text/csv', buffer: marks })
    await dialog.getByRole('button', { name: 'See what would happen' }).click()
    await dialog
      .getByRole('row', { name: /2 Chen, Mei/ })
      .getByText('cannot be taken')
      .waitFor()
    await expectForEverybody(page)
    await picture(page, 'marks-import-outcome')
    await context.close()
  })

  test('remark, exclusion and history, with the keyboard alone', async () => {
    const { context, page, faults } = await opened()
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Alt+r')
    await page.getByRole('textbox', { name: 'Remark' }).fill('Well prepared.')
    await page.keyboard.press('Control+Enter')
    const remark = async () =>
      (await (await site.as('ada')).grades.list({ query: { assessmentId: mathsQuiz.id } })).find((row) => row.student_id === mei.id)
    await expect.poll(remark).toMatchObject({ remarks: 'Well prepared.' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    await page.keyboard.press('Alt+x')
    await page.getByRole('textbox', { name: 'Reason' }).fill('came late')
    await picture(page, 'marks-exclude')
    await page.keyboard.press('Enter')
    await expect.poll(remark).toMatchObject({ is_excluded: true, exclusion_reason: 'came late' })
    await page.getByText('left out: came late').first().waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    await page.keyboard.press('Alt+h')
    await page.getByRole('dialog').getByRole('list', { name: 'History' }).getByRole('listitem').nth(2).waitFor()
    await picture(page, 'marks-history')
    await expectForEverybody(page)
    await page.getByRole('dialog').getByRole('button', { name: /^Undo/ }).first().click()
    await expect.poll(remark).toMatchObject({ is_excluded: false })
    await page.keyboard.press('Escape')
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menu').waitFor()
    await picture(page, 'marks-menu')
    // Over plain http a browser may refuse.
    await page.evaluate(() => {
      Object.defineProperty(window, 'isSecureContext', { value: false })
      document.execCommand = () => false
    })
    await page.getByRole('menuitem', { name: 'Copy' }).click()
    await page.getByText('The browser did not copy it.').waitFor()
    // The heads are no marks.
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Control+c')
    await page.getByText('The browser did not copy it.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('the column menu fills the empty cells of an assessment', async () => {
    const { context, page } = await opened('okafor')
    await page.getByRole('grid').focus()
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('menuitem', { name: 'Fill the empty cells' }).click()
    await page.getByLabel('The mark that they all get').fill('40')
    await page.keyboard.press('Enter')
    await expect.poll(() => scoreOf(mathsExam.id, elan.id)).toBe(40)
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    await page.keyboard.press('Control+z')
    await expect.poll(() => scoreOf(mathsExam.id, elan.id)).toBeUndefined()
    await page.getByRole('columnheader').getByRole('button', { name: 'Quiz 1' }).click()
    await page.getByRole('menuitem', { name: 'Change or leave out' }).click()
    await page.getByRole('dialog').getByLabel('Title').waitFor()
    await context.close()
  })

  test('a teacher of another subject sees the marks read-only', async () => {
    const { context, page } = await open('ada', `/marks/${class3B.id}/${english.id}?term=${michaelmas.id}`)
    await page.getByText('you can read its marks and not change them').waitFor()
    await expect.poll(() => textOf(page, 0, 1)).toBe('62')
    await page.getByRole('grid').focus()
    await page.keyboard.type('9')
    expect(await page.getByRole('textbox').count()).toBe(0)
    await context.close()
  })

  test('prints every row, and speaks French', async () => {
    const { context, page } = await open('ada', GRID, { locale: 'fr-FR' })
    await page.getByRole('grid', { name: 'Notes : Mathematics, 3B' }).waitFor()
    await expect.poll(() => textOf(page, 3, 1)).toMatch(/^\d,\d$|^\d$/)
    await page.getByText('Signes et touches').click()
    await picture(page, 'marks-french')
    // A browser prints what is there when the listeners have returned.
    const printed = await page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'))
      return document.querySelectorAll('table tbody tr').length
    })
    expect(printed).toBe(7)
    await page.emulateMedia({ media: 'print' })
    await picture(page, 'marks-print')
    await context.close()
  })

  test('nothing is cut off at 200% zoom', async () => {
    const { context, page } = await opened('ada', { viewport: { width: 683, height: 384 } })
    await expectFits(page)
    await picture(page, 'marks-zoomed')
    await context.close()
  })

  test('fits a telephone in dark mode', async () => {
    const { context, page } = await opened('ada', { viewport: sizes.phone, colorScheme: 'dark', hasTouch: true })
    await picture(page, 'marks-phone')
    await cell(page, 1, 1).tap()
    await page.getByRole('textbox').fill('7')
    await picture(page, 'marks-phone-typing')
    await page.keyboard.press('Enter')
    await expectForEverybody(page)
    await expectFits(page)
    await context.close()
  })

  test('typed after the grid was scrolled away: the cell comes back, and the mark is saved', async () => {
    const okafor = await site.as('okafor')
    const many = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        okafor.students.create({ body: { firstName: `Pupil ${at}`, lastName: `Zz ${at}`, gender: 'other' } }),
      ),
    )
    await okafor.classes.enrollBulk({ params: { id: class3B.id }, body: { studentIds: many.map(({ id }) => id) } })
    const { context, page } = await opened()
    await cell(page, 5, 1).click()
    await page.mouse.move(400, 500)
    await page.mouse.wheel(0, 4_000)
    await cell(page, 65, 1).waitFor()
    await expect.poll(() => cell(page, 8, 1).count()).toBe(0)
    await page.keyboard.type('7')
    await page.keyboard.type('5')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    await expect.poll(() => scoreOf(mathsHomework.id, lukasz.id)).toBe(7)
    expect(await cell(page, 6, 1).getAttribute('data-mode')).toBe('active')
    await context.close()
  })
})
