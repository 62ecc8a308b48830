import { naturalId } from '@markbook/shared/ids'
import { aoife, elan, lukasz, mathsQuiz, mei, sean, zoe } from '@markbook/shared/story/marks'
import { maths, michaelmas } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectForEverybody, picture } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { cell, GRID, openGrid, textOf } from '../../tests/grid.ts'
import { siteInBrowser } from '../../tests/site.ts'

const AWAY = { timeout: 45_000 }

describe.skipIf(!headlessPath)('concurrent marks, and marks without a server', () => {
  const { site, browser } = siteInBrowser()

  const opened = (person: 'ada' | 'byrne') => openGrid(site, browser, person)
  const scoreOf = async (studentId: string) =>
    (await (await site.as('okafor')).grades.list({ query: { assessmentId: mathsQuiz.id } })).find(
      ({ student_id }) => student_id === studentId,
    )?.score
  /** The marks written for a pupil in the quiz, with their authors, oldest first. */
  const written = async (studentId: string) => {
    const query = { entity: 'grade' as const, id: naturalId('grade', mathsQuiz.id, studentId) }
    const entries = await (await site.as('okafor')).history.list({ query })
    return entries
      .reverse()
      .filter(({ actor, changes }) => actor && 'score' in changes)
      .map(({ actor, changes }) => [actor?.first_name, changes['score']?.after])
  }
  /** Types a mark of the quiz for the pupil in this row. */
  const type = async (page: Page, row: number, mark: string) => {
    await cell(page, row, 0).click()
    await page.keyboard.type(mark)
    await page.keyboard.press('Enter')
  }
  /** The history of the mark as this person sees it. */
  const pastOf = async (page: Page, row: number) => {
    await cell(page, row, 0).click()
    await page.keyboard.press('Alt+h')
    await page.getByRole('dialog').getByRole('list', { name: 'History' }).getByRole('listitem').nth(2).waitFor()
    const text = await page.getByRole('dialog').innerText()
    await page.keyboard.press('Escape')
    return text
  }

  test('two browsers enter the same mark: one decides the conflict, the other sees the result, and the history has both', async () => {
    const [mine, theirs] = [await opened('ada'), await opened('byrne')]
    await mine.page.getByRole('grid').focus()
    await mine.page.keyboard.type('5')
    await theirs.page.getByRole('grid').focus()
    await theirs.page.keyboard.type('11')
    await theirs.page.keyboard.press('Enter')
    await expect.poll(() => mine.page.getByRole('alert').innerText()).toContain('has saved 11')
    await picture(mine.page, 'marks-meanwhile')
    expect(await mine.page.getByRole('textbox').inputValue()).toBe('5')
    const before = await mine.page.getByRole('grid').boundingBox()
    await mine.page.keyboard.press('Enter')
    // Both values are shown, and nothing was sent.
    await mine.page.getByRole('button', { name: 'Write 5' }).waitFor()
    await mine.page.getByRole('button', { name: 'Leave 11' }).waitFor()
    // The question does not move the grid.
    expect((await mine.page.getByRole('grid').boundingBox())?.y).toBe(before?.y)
    await picture(mine.page, 'marks-conflict')
    await expectForEverybody(mine.page)
    expect(await scoreOf(zoe.id)).toBe(11)
    await mine.page.getByRole('button', { name: 'Write 5' }).click()
    await theirs.page.getByText('now 5, saved by Ada Nowak').waitFor()
    await expect.poll(() => textOf(theirs.page, 0, 0)).toBe('⊘')
    await expect.poll(() => cell(theirs.page, 0, 0).innerText()).toContain('5')
    expect(await scoreOf(zoe.id)).toBe(5)
    expect(await written(zoe.id)).toEqual([
      ['Cathal', 11],
      ['Ada', 5],
    ])
    for (const { page } of [mine, theirs]) {
      const past = await pastOf(page, 0)
      expect(past).toMatch(/Ada Nowak[\s\S]*11[\s\S]*5[\s\S]*Cathal Byrne[\s\S]*11/)
    }
    expect([...mine.faults, ...theirs.faults]).toEqual([])
    await mine.context.close()
    await theirs.context.close()
  })

  test('two browsers enter the same cell offline: the first mark is saved, the second is a conflict that can be discarded', async () => {
    const [mine, theirs] = [await opened('ada'), await opened('byrne')]
    await site.restart(async () => {
      await type(mine.page, 3, '13')
      await type(theirs.page, 3, '16')
      for (const { page } of [mine, theirs]) {
        await page.getByText('1 mark is on this device and not saved yet').waitFor()
        expect(await cell(page, 3, 0).getAttribute('data-look')).toBe('unsaved')
      }
      // His connection returns later.
      await theirs.context.setOffline(true)
    })
    await expect.poll(() => scoreOf(sean.id), AWAY).toBe(13)
    await theirs.context.setOffline(false)
    await theirs.page.getByRole('button', { name: 'Write 16' }).waitFor({ timeout: 45_000 })
    expect(await scoreOf(sean.id)).toBe(13)
    await theirs.page.getByRole('button', { name: 'Leave 13' }).click()
    await expect.poll(() => theirs.page.getByText('Everything is saved.').count()).toBe(1)
    for (const { page } of [mine, theirs]) await expect.poll(() => textOf(page, 3, 0)).toBe('13')
    expect(await written(sean.id)).toEqual([['Ada', 13]])
    await mine.context.close()
    await theirs.context.close()
  })

  test('after a restart of the server saved marks are there, and marks that were typed meanwhile arrive once', async () => {
    const { context, page } = await opened('ada')
    const before = await page.getByRole('grid').boundingBox()
    await type(page, 5, '10')
    await expect.poll(() => scoreOf(lukasz.id)).toBe(10)
    // Typed while the server stops: the page cannot know whether it was saved.
    await type(page, 4, '12,5')
    await site.restart(async () => {
      await type(page, 1, '15')
      await page.keyboard.type('19.5')
      await page.keyboard.press('Enter')
      await page.getByText(/[23] marks are on this device and not saved yet/).waitFor()
      expect(await cell(page, 1, 0).getAttribute('data-look')).toBe('unsaved')
      expect((await page.getByRole('grid').boundingBox())?.y).toBe(before?.y)
      await picture(page, 'marks-away')
    })
    await expect.poll(() => scoreOf(mei.id), AWAY).toBe(15)
    await expect.poll(() => page.getByText('Everything is saved.').count(), AWAY).toBe(1)
    const marks = ['15', '19.5', '13', '12.5', '10']
    const shown = () => Promise.all([1, 2, 3, 4, 5].map((row) => textOf(page, row, 0)))
    expect(await shown()).toEqual(marks)
    // The page shows what the server has.
    await page.reload()
    await expect.poll(shown).toEqual(marks)
    expect(await written(mei.id)).toEqual([['Ada', 15]])
    expect(await written(aoife.id)).toEqual([['Ada', 19.5]])
    expect(await written(lukasz.id)).toEqual([['Ada', 10]])
    await context.close()
  })

  test('marks of a window that was closed offline are shown on every page of the next one, and saved from there', async () => {
    const { context, page } = await opened('ada')
    await site.restart(async () => {
      await page.getByRole('grid').focus()
      await page.keyboard.type('6')
      await page.keyboard.press('Enter')
      await page.getByText('1 mark is on this device and not saved yet').waitFor()
      await page.close({ runBeforeUnload: false })
    })
    const again = await context.newPage()
    await again.goto(`${site.url}/`)
    await expect.poll(() => scoreOf(zoe.id), AWAY).toBe(6)
    await expect.poll(() => again.getByText('not saved yet').count()).toBe(0)
    await context.close()
  })

  test('the page does not say that all is saved while another window has unsaved marks; they are sent once it is closed', async () => {
    const { context, page } = await opened('ada')
    await page.route('**/api/grades/bulk', (route) => route.abort())
    await type(page, 4, '14')
    await page.getByText('1 mark is on this device and not saved yet').waitFor()
    const other = await context.newPage()
    await other.goto(`${site.url}${GRID}`)
    await other.getByText('Another window of this browser has marks that are not saved yet.').waitFor()
    await other.getByRole('banner').getByText('Another window has entries that are not saved yet').waitFor()
    expect(await other.getByText('Everything is saved').count()).toBe(0)
    await picture(other, 'marks-other-window')
    await page.close()
    await other.getByText('Everything is saved.').waitFor(AWAY)
    expect(await textOf(other, 4, 0)).toBe('14')
    await context.close()
  })

  test('marks typed while the server is away wait on every page and after a reload, and are sent once it is back', async () => {
    const { context, page } = await opened('ada')
    await page.route('**/api/grades**', (route) => route.abort())
    await type(page, 3, '11')
    await page.getByText('1 mark is on this device and not saved yet').waitFor()
    // Leaving the page does not ask: the marks are sent from every page.
    await page.getByRole('link', { name: 'Today' }).click()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await page.getByRole('main').getByText('1 mark is on this device and not saved yet').waitFor()
    await page.getByRole('banner').getByText('1 entry is on this device and not saved yet').waitFor()
    await picture(page, 'home-unsaved')
    await expectForEverybody(page)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByRole('main').getByText('1 mark is on this device and not saved yet').waitFor()
    expect(await scoreOf(sean.id)).not.toBe(11)
    await page.unroute('**/api/grades**')
    await expect.poll(() => scoreOf(sean.id), AWAY).toBe(11)
    await expect.poll(() => page.getByText('not saved yet').count()).toBe(0)
    await context.close()
  })

  test('a mark that somebody else changed meanwhile waits for a decision, with a link to it on every page', async () => {
    const { context, page } = await opened('ada')
    await page.route('**/api/grades**', (route) => route.abort())
    await type(page, 2, '12')
    await page.getByText('1 mark is on this device and not saved yet').waitFor()
    await (await site.as('okafor')).grades.bulk({ body: { assessmentId: mathsQuiz.id, grades: [{ studentId: aoife.id, score: 3 }] } })
    await page.getByRole('link', { name: 'Classes' }).click()
    await page.unroute('**/api/grades**')
    const notice = page.getByRole('main').getByText('1 mark is on this device and waits for you.')
    await notice.waitFor(AWAY)
    await picture(page, 'classes-undecided')
    await page.getByRole('link', { name: 'Mathematics, 3B' }).click()
    await page.getByRole('button', { name: 'Write 12' }).click()
    await expect.poll(() => scoreOf(aoife.id), AWAY).toBe(12)
    await context.close()
  })

  test('a mark and a remark stay with their pupil while somebody else adds and deletes an assessment', async () => {
    const { context, page, faults } = await opened('ada')
    const okafor = await site.as('okafor')
    const heads = page.locator('[data-row="-1"]')
    const add = () =>
      okafor.assessments.create({
        body: { title: 'Diagnostic', assessmentType: 'coursework', maxScore: 10, termId: michaelmas.id, subjectId: maths.id, sortOrder: 0 },
      })
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('role'))
    await cell(page, 4, 0).click()
    await page.keyboard.type('1')
    const { id } = await add()
    await expect.poll(() => heads.first().innerText()).toContain('Diagnostic')
    await page.keyboard.type('3')
    await page.keyboard.press('Enter')
    await expect.poll(() => scoreOf(elan.id)).toBe(13)
    expect(await okafor.grades.list({ query: { assessmentId: id } })).toEqual([])
    // Deletes a mark while its remark is being written.
    await cell(page, 4, 0).click()
    await page.keyboard.type('7')
    await page.keyboard.press('Alt+r')
    await page.getByRole('textbox', { name: 'Remark' }).fill('Well prepared.')
    await expect.poll(async () => (await okafor.grades.list({ query: { assessmentId: id } })).length).toBe(1)
    await okafor.assessments.remove({ params: { id } })
    await page.getByText('What you were entering for Ó Briain Élan, Diagnostic, is not saved.').waitFor()
    await dialogsClosed(page)
    await expect.poll(focused).toBe('grid')
    await picture(page, 'marks-gone')
    // Deletes the last column while a mark is typed into it.
    const last = await add()
    await okafor.assessments.update({ params: { id: last.id }, body: { sortOrder: 99 } })
    await expect.poll(() => heads.last().innerText()).toContain('Diagnostic')
    await page.locator('[data-row="2"]').nth(3).click()
    await page.keyboard.type('6')
    await okafor.assessments.remove({ params: { id: last.id } })
    await page.getByText('What you were entering for Murphy Aoife, Diagnostic, is not saved.').waitFor()
    expect(await focused()).toBe('grid')
    expect(faults).toEqual([])
    await context.close()
  })

  test('Enter that ends the composition of a text does not enter the mark', async () => {
    const { context, page } = await opened('ada')
    await cell(page, 4, 1).click()
    await page.keyboard.press('F2')
    const session = await context.newCDPSession(page)
    await session.send('Input.imeSetComposition', { text: 'abs', selectionStart: 3, selectionEnd: 3 })
    await page.getByRole('textbox').dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })
    expect(await cell(page, 4, 1).getAttribute('data-mode')).toBe('editing')
    await page.keyboard.press('Escape')
    await context.close()
  })
})
