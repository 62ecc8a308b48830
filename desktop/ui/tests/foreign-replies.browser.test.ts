import { mathsExam, mathsQuiz, zoe } from '@markbook/shared/story/marks'
import { class3A, class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, picture } from './browser.ts'
import { headlessPath } from './chromium.ts'
import { cell, GRID, textOf } from './grid.ts'
import { siteInBrowser } from './site.ts'

/** The longest pause before another try, and more. */
const SENT = { timeout: 45_000 }
const body = '<html><body><h1>Sign in to the network of the hotel</h1></body></html>'

describe.skipIf(!headlessPath)('what a network answers in place of the server, with a page and 200', () => {
  const { site, open } = siteInBrowser()

  /** Answers requests that write, and leaves the others to the server. Returns a function that ends it. */
  const answer = async (page: Page, path: string, text = body) => {
    await page.route(path, (route) =>
      route.request().method() === 'GET' ? route.continue() : route.fulfill({ status: 200, contentType: 'text/html', body: text }),
    )
    return () => page.unroute(path)
  }
  /** The same for all requests that write, or a stopped server where there is no text. */
  const away = async (page: Page, text: string | null) => {
    if (text !== null) return answer(page, '**/api/**', text)
    await site.stop()
    return site.start
  }
  const scoreOf = async (studentId: string) =>
    (await (await site.as('okafor')).grades.list({ query: { assessmentId: mathsQuiz.id } })).find((mark) => mark.student_id === studentId)
      ?.score

  const examOfZoe = async () =>
    (await (await site.as('okafor')).grades.list({ query: { assessmentId: mathsExam.id } })).find((mark) => mark.student_id === zoe.id)
      ?.score
  /** The active cell, as «row col». */
  const activeCell = (page: Page) =>
    page.getByRole('grid').evaluate((grid) => {
      const { row, col } = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')?.dataset ?? {}
      return `${row} ${col}`
    })

  test.each([
    ['a page', body],
    ['half of an answer', '[{"id":"5'],
  ])('no mark is taken for saved: %s', async (_, text) => {
    const { context, page } = await open('ada', GRID)
    await expect.poll(() => textOf(page, 0, 2)).toBe('71')
    const end = await answer(page, '**/api/grades/bulk', text)
    await cell(page, 0, 0).click()
    const mark = text === body ? '7' : '8'
    await page.keyboard.type(mark)
    await page.keyboard.press('Enter')
    await page.getByText('1 mark is on this device').waitFor()
    expect(await cell(page, 0, 0).innerText()).toContain(mark)
    await end()
    await expect.poll(() => scoreOf(zoe.id), SENT).toBe(Number(mark))
    await context.close()
  })

  test('no removal of a mark', async () => {
    const { context, page } = await open('ada', GRID)
    await expect.poll(() => textOf(page, 0, 2)).toBe('71')
    const end = await answer(page, '**/api/grades/*')
    await cell(page, 0, 0).click()
    await page.keyboard.press('Delete')
    await page.getByText('1 mark is on this device').waitFor()
    await end()
    await expect.poll(() => scoreOf(zoe.id), SENT).toBeUndefined()
    await context.close()
  })

  test.each([
    ['a page', body],
    ['half of an answer', '[{"id":"5'],
    ['nothing', null],
  ])('no undo of a mark, which waits: %s', async (_, text) => {
    const { context, page } = await open('ada', GRID)
    await expect.poll(() => textOf(page, 0, 2)).toBe('71')
    await cell(page, 0, 0).click()
    await page.keyboard.type('7')
    await page.keyboard.press('Enter')
    await expect.poll(() => scoreOf(zoe.id)).toBe(7)
    await cell(page, 4, 2).click()
    const end = await away(page, text)
    await page.keyboard.press('Control+z')
    await page.getByText('Taken back. Adeyemi Zoë').waitFor()
    await expect.poll(() => activeCell(page)).toBe('0 0')
    await page.getByText('1 mark is on this device').waitFor()
    expect((await textOf(page, 0, 0))?.trim()).not.toBe('7')
    expect(await page.getByText('Somebody has changed it since').count()).toBe(0)
    await picture(page, `undo-away-${text === null}`)
    await end()
    await expect.poll(() => scoreOf(zoe.id), SENT).toBeUndefined()

    // Only the server can bring back a mark that it has removed: the step stays until it answers.
    await cell(page, 0, 2).click()
    await page.keyboard.press('Delete')
    await expect.poll(examOfZoe).toBeUndefined()
    const endAgain = await away(page, text)
    await page.keyboard.press('Control+z')
    await page.getByText('Not taken back yet').waitFor()
    await endAgain()
    await page.keyboard.press('Control+z')
    await page.getByText('Taken back. Adeyemi Zoë').waitFor()
    await expect.poll(examOfZoe).toBe(71)
    await context.close()
  })

  test('no remark, and no attendance', async () => {
    const quinn = await site.as('quinn')
    const of3A = { studentGroupId: class3A.id, termId: michaelmas.id, reportType: 'term' as const }
    await quinn.reports.generate({ body: of3A })
    const { context, page } = await open('quinn', '/')
    await page.evaluate((term) => sessionStorage.setItem('markbook.term', term), michaelmas.id)
    await page.goto(`${site.url}/reports/${class3A.id}?view=fill`)
    const end = await answer(page, '**/api/**')
    await page.getByLabel('Remark: Fatima Haddad').fill('Asks good questions.')
    await page.getByText('On this device, not saved yet').waitFor()
    await page.goto(`${site.url}/attendance/${class3A.id}?day=2025-11-24`)
    await page.getByRole('button', { name: 'Everybody is here' }).click()
    await page.getByText('on this device', { exact: false }).first().waitFor()
    await end()
    const remarks = async () => (await quinn.reports.list({ query: of3A })).map(({ class_teacher_remark }) => class_teacher_remark)
    await expect.poll(remarks, SENT).toContain('Asks good questions.')
    const query = { from: '2025-11-24', to: '2025-11-24' }
    await expect.poll(async () => (await quinn.attendance.read({ params: { classId: class3A.id }, query })).registers.length, SENT).toBe(1)
    await context.close()
  })

  test.each([
    ['pupil', '/students', 'Add a pupil', '**/api/students'],
    ['assessment', GRID, 'Add an assessment', '**/api/assessments'],
  ])('a form whose reply is lost creates nothing twice: %s', async (what, path, button, api) => {
    const { context, page } = await open('ada', path)
    let isLost = false
    await page.route(api, async (route) => {
      if (isLost || route.request().method() === 'GET') return route.continue()
      isLost = true
      await route.fetch()
      await route.fulfill({ status: 200, contentType: 'text/html', body })
    })
    const dialog = page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: 'Save', exact: true })
    const fillIn = async () => {
      await page.getByRole('button', { name: button }).first().click()
      if (what === 'assessment') return dialog.getByLabel('Title').fill('Test 12')
      await dialog.getByLabel('First name').fill('Nuala')
      await dialog.getByLabel('Last name').fill('Twomey')
      await dialog.getByLabel('Gender').selectOption('female')
    }
    const okafor = await site.as('okafor')
    const pupils = () => okafor.students.list({ query: { search: 'Twomey' } })
    const tests = async () =>
      (await okafor.assessments.list({ query: { termId: michaelmas.id, subjectId: maths.id } })).filter(({ title }) => title === 'Test 12')
    const made = async () => (what === 'pupil' ? await pupils() : await tests()).length
    await fillIn()
    await save.click()
    await page.getByRole('alert').filter({ hasText: 'could not be understood' }).waitFor()
    await save.click()
    await dialogsClosed(page)
    expect(await made()).toBe(1)
    // One that is meant to be added again is.
    await fillIn()
    await save.click()
    await dialogsClosed(page)
    expect(await made()).toBe(2)
    await context.close()
  })

  test('no form, which stays open and says why', async () => {
    const { context, page } = await open('ada', GRID)
    const end = await answer(page, '**/api/assessments')
    await page.getByRole('button', { name: 'Add an assessment' }).click()
    await page.getByLabel('Title').fill('Test 9')
    await page.getByRole('dialog').getByLabel('Class or set').selectOption(class3B.id)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: 'could not be understood' }).waitFor()
    await end()
    await page.getByRole('button', { name: 'Save' }).click()
    const listed = async () =>
      (await (await site.as('ada')).assessments.list({ query: { termId: michaelmas.id, subjectId: maths.id } })).map(({ title }) => title)
    await expect.poll(listed).toContain('Test 9')
    await context.close()
  })
})
