import { class3A, class3B, maths, michaelmas, trinity } from '@markbook/shared/story/school-year'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

/** Whether the browser says that it shows PDFs; the one of the tests shows none. */
const hasViewer = (context: BrowserContext, has: boolean) =>
  context.addInitScript((value) => Object.defineProperty(navigator, 'pdfViewerEnabled', { value, configurable: true }), has)
const inMichaelmas = (context: BrowserContext) =>
  context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)
const ofClass = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' as const }

describe.skipIf(!headlessPath)('report books', () => {
  const { site, browser } = siteInBrowser()

  const press = async (page: Page, name: string | RegExp) => {
    // A dialog that closes returns the focus to the element that had it.
    await dialogsClosed(page)
    await page.getByRole('button', { name }).press('Enter')
  }

  const choose = async (page: Page, name: string) => {
    await press(page, 'More')
    await page.getByRole('menuitem', { name }).press('Enter')
  }

  test('a class teacher makes the report books, fills them in by keyboard, checks, looks at a PDF, publishes and sends', async () => {
    const { context, page, faults } = await openWindow(browser)
    await inMichaelmas(context)
    await site.signIn(context, 'byrne')
    await page.goto(`${site.url}/reports`)
    await page.waitForURL(`**/reports/${class3B.id}`)

    await press(page, 'Bring up to date')
    await expectForEverybody(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Bring up to date' }).press('Enter')
    await page.getByRole('link', { name: 'Wójcik, Łukasz' }).waitFor()
    await dialogsClosed(page)
    await expectForEverybody(page)
    // Élan has no exam in mathematics; Łukasz has marks in all his subjects.
    const bookOf = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name }) })
    await bookOf('Ó Briain, Élan').getByText('†').waitFor()
    expect(await bookOf('Wójcik, Łukasz').getByText('†').count()).toBe(0)
    await page.getByText(/^† rests on coursework or exam alone.*an average has this sign if one of its results has it$/).waitFor()
    await picture(page, 'reports-books-pc')

    await page.getByRole('link', { name: 'Fill in' }).press('Enter')
    const rowOf = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) })
    await rowOf('Ó Briain, Élan').getByText('†').waitFor()
    expect(await rowOf('Wójcik, Łukasz').getByText('†').count()).toBe(0)
    await page.getByLabel('Remark: Zoë Adeyemi').focus()
    await page.keyboard.type('Zoë works with care.')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Remark: Mei Chen')
    await page.keyboard.type('a st')
    await page.getByRole('option', { name: 'A steady term.' }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'reports-fill-pc')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await page.getByLabel('Remark: Mei Chen').inputValue()).toBe('A steady term.')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Good')
    await page.keyboard.press('Tab')
    await page.keyboard.type('101')
    await page.keyboard.press('Control+ArrowUp')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Attendance in percent: Zoë Adeyemi')
    await page.getByText('Attendance is a percentage from 0 to 100.').waitFor()
    await page.getByText('1 entry is in this window alone and not saved yet').waitFor()
    await page.keyboard.type('98,5')
    await page.keyboard.press('Enter')
    await page.keyboard.type('97')
    await page.keyboard.press('Enter')
    const books = async () => (await site.as('byrne')).reports.list({ query: ofClass })
    await expect
      .poll(async () => (await books()).slice(0, 2).map((book) => [book.class_teacher_remark, book.conduct, book.attendance_percentage]))
      .toEqual([
        ['Zoë works with care.', null, 98.5],
        ['A steady term.', 'Good', 97],
      ])
    await page.getByText('Everything is saved on this server').waitFor()

    await page.getByLabel('Fill in').selectOption('English')
    await page.getByLabel('Letter: Zoë Adeyemi').selectOption('A')
    await page.getByLabel('Remark: Zoë Adeyemi').focus()
    await page.keyboard.type('Reads much.')
    await page.keyboard.press('Enter')
    const english = async () =>
      (await (await site.as('byrne')).reports.entries({ query: ofClass })).find(({ subject }) => subject.code === 'EN')
    await expect.poll(english).toMatchObject({ letter_grade: 'A', teacher_remark: 'Reads much.', student: { first_name: 'Zoë' } })
    await picture(page, 'reports-fill-subject-pc')

    await page.getByRole('link', { name: 'Check' }).press('Enter')
    await page.getByRole('heading', { name: 'Missing marks' }).waitFor()
    // Outliers come before missing parts, and the missing marks of one assessment are one line.
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts()
    expect(headings.indexOf('Missing marks')).toBeLessThan(headings.indexOf('No remark of the class teacher'))
    const lacking = page.getByRole('region', { name: 'Missing marks' })
    expect(await lacking.getByText('Élan Ó Briain').first().isVisible()).toBe(false)
    await lacking.getByText('Christmas exam, Mathematics').click()
    await lacking.getByText('Élan Ó Briain').first().waitFor()
    await expectForEverybody(page)
    await picture(page, 'reports-check-pc')
    await page.getByRole('link', { name: 'Write it: Seán Murphy' }).first().press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Remark: Seán Murphy')

    await page.getByRole('link', { name: 'Books', exact: true }).press('Enter')
    await press(page, 'Publish 5 drafts')
    await page.getByRole('dialog').getByRole('button', { name: 'Publish 5 drafts' }).press('Enter')
    await page.getByText('5 books are published.').waitFor()
    expect(await page.getByText('Publishing …').count()).toBe(0)
    await expectForEverybody(page)
    await page.getByRole('button', { name: 'Close' }).press('Enter')

    expect(
      await page
        .locator('main')
        .getByRole('button', { name: /for good|Bring|Print|More/ })
        .allInnerTexts(),
    ).toHaveLength(4)
    await choose(page, 'Make all PDFs')
    await page.getByText('5 PDFs are made.').waitFor()
    await page.getByText('Aoife Murphy: This report book is closed for good and can no longer be changed.').waitFor()
    await choose(page, 'Download all PDFs')
    const papers = page.getByRole('dialog', { name: 'Download all PDFs' })
    await papers.getByText('1 book was closed for good before a PDF of it was made.', { exact: false }).waitFor()
    const zip = page.waitForEvent('download')
    await papers.getByRole('button', { name: 'Take them as they are' }).press('Enter')
    expect((await zip).suggestedFilename()).toBe('3B_2025-26_Michaelmas_Report-books.zip')

    await press(page, 'Close 5 books for good')
    const send = page.getByRole('dialog').getByRole('button', { name: 'Close 5 books for good' })
    expect(await send.isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'See them in the check' }).waitFor()
    await page.getByText('This server is joined to no centre', { exact: false }).waitFor()
    await page.keyboard.press('Escape')
    // On a small telephone the dialog begins with its warning, and not with its field.
    await page.setViewportSize({ width: 360, height: 480 })
    await press(page, 'Close 5 books for good')
    const warning = page.getByText('This cannot be undone')
    await warning.waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('dialog')
    expect((await warning.boundingBox())?.y).toBeGreaterThan(0)
    await page.keyboard.press('Escape')
    await page.setViewportSize(sizes.pc)
    // The findings are loaded, and shown above the field with a link to the check.
    await press(page, 'Close 5 books for good')
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
    await page.keyboard.type('4')
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).pathname).toBe(`/reports/${class3B.id}`)
    await page.getByLabel('Type the number of books (5) to go on').fill('5')
    await expectForEverybody(page)
    await picture(page, 'reports-send-pc')
    await page.keyboard.press('Enter')
    await page.getByText('5 books are closed for good.').waitFor()
    // Once is enough.
    expect(await page.getByRole('dialog').innerText()).not.toMatch(/sent|centre/)
    await page.getByRole('button', { name: 'Close' }).first().press('Enter')
    await expect.poll(async () => new Set((await books()).map(({ status }) => status))).toEqual(new Set(['sent_to_ministry']))
    // Many states of a report book do not wrap the cell beside them.
    const place = page.getByRole('cell', { name: /^\d+ of \d+$/ }).first()
    expect(await place.evaluate((cell) => getComputedStyle(cell).whiteSpace)).toBe('nowrap')
    expect(faults).toEqual([])
    await context.close()
  })

  test('the PDF of a report book is shown before it is printed, and the class as one document', async () => {
    const head = await site.as('okafor')
    const of3A = { ...ofClass, studentGroupId: class3A.id }
    const { reports } = await head.reports.generate({ body: of3A })
    const { context, page, faults } = await openWindow(browser)
    await hasViewer(context, true)
    await inMichaelmas(context)
    await site.signIn(context, 'quinn')
    await page.goto(`${site.url}/reports/book/${reports[0]?.id}`)
    const loaded = page.waitForResponse((response) => /\/pdf\/[^/]+\/download$/.test(response.url()))
    await page.getByRole('button', { name: 'Make the PDF' }).click()
    const answer = await loaded
    expect(answer.headers()['content-type']).toBe('application/pdf')
    expect((await answer.body()).subarray(0, 5).toString()).toBe('%PDF-')
    const frame = page.locator('iframe')
    await frame.waitFor()
    expect(await frame.getAttribute('src')).toMatch(/^blob:/)
    await expectForEverybody(page)
    await picture(page, 'reports-book-pc')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    expect((await saved).suggestedFilename()).toMatch(/^\p{L}+_\p{L}+_2025-26_Michaelmas_Report-book\.pdf$/u)
    await page.getByLabel('Remark: Mathematics').fill('Exact.')
    await page.getByText('✓ Saved').waitFor()
    await page.getByText('This book was changed after its last PDF was made.', { exact: false }).waitFor()

    await page.getByRole('link', { name: 'All books of the class' }).click()
    await page.getByRole('button', { name: 'Print the class' }).click()
    const printed = page.waitForResponse((response) => response.url().includes('/api/reports/print'))
    await page.getByRole('button', { name: 'Make it' }).click()
    expect(new URL((await printed).url()).searchParams.get('twoSided')).toBe('true')
    expect((await (await printed).body()).subarray(0, 5).toString()).toBe('%PDF-')
    await page.locator('iframe').waitFor()
    await expectForEverybody(page)
    await picture(page, 'reports-print-pc')

    // Where the browser has no viewer, as on Android, nothing is shown that could not be printed.
    await hasViewer(context, false)
    await page.goto(`${site.url}/reports/${class3A.id}`)
    await page.getByRole('button', { name: 'Print the class' }).click()
    await page.getByRole('button', { name: 'Make it' }).click()
    const made = page.getByRole('dialog')
    await made.getByText('This browser shows no PDF in a page.', { exact: false }).waitFor()
    expect(await made.getByRole('button', { name: 'Print' }).count()).toBe(0)
    expect(await page.locator('iframe').count()).toBe(0)
    const download = page.waitForEvent('download')
    await made.getByRole('button', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toMatch(/\.pdf$/)

    await page.goto(`${site.url}/reports/${class3A.id}?type=year_end`)
    await page.getByRole('button', { name: 'Make the report books' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make the report books' }).click()
    await page.getByRole('link', { name: 'Kelly, Oisín' }).click()
    await page
      .getByText(/^result of the year/)
      .first()
      .waitFor()
    expect(await page.getByText(/^coursework/).count()).toBe(0)
    await page.goBack()
    await page.getByRole('link', { name: 'Check' }).click()
    await page.getByRole('heading', { name: 'No remark in a subject' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Out of date' }).count()).toBe(0)
    for (const { id } of await head.reports.list({ query: { ...ofClass, studentGroupId: class3A.id, reportType: 'year_end' } })) {
      await head.reports.publish({ params: { id } })
      await head.reports.sendToMinistry({ params: { id } })
    }
    await page.reload()
    await page.getByText('These books are closed for good and stay as they were then', { exact: false }).waitFor()
    expect(await page.getByText('can be published').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the teacher of one subject writes its remarks, sees no other actions, and is told beside the marks of books that were sent', async () => {
    const { context, page } = await openWindow(browser)
    await inMichaelmas(context)
    await site.signIn(context, 'ada')
    await page.goto(`${site.url}/reports/${class3B.id}`)
    await page.getByLabel('Remark: Élan Ó Briain').waitFor()
    expect(await page.getByLabel('Fill in').locator('option').allInnerTexts()).toEqual(['Mathematics'])
    expect(await page.getByRole('button', { name: /Publish|Send|Print/ }).count()).toBe(0)
    await expectForEverybody(page)
    await page.goto(`${site.url}/marks/${class3B.id}/${maths.id}?term=${michaelmas.id}`)
    const sent = page.getByText(/report books? (is|are) closed for good/)
    await sent.waitFor()
    // In the line below the grid, which is in the window with any number of pupils.
    const topOf = async (text: Locator) => (await text.boundingBox())?.y ?? Number.NaN
    expect(Math.abs((await topOf(sent)) - (await topOf(page.getByText('Everything is saved.', { exact: true }))))).toBeLessThan(8)
    // Books that are sent while the grid is open.
    await page.clock.install()
    await page.route('**/api/reports/sent?*', (route) => route.fulfill({ json: { sent: 0 } }))
    await page.reload()
    await page.getByRole('grid').waitFor()
    await expect.poll(() => sent.count()).toBe(0)
    await page.unroute('**/api/reports/sent?*')
    await page.clock.fastForward(61_000)
    await sent.waitFor()
    await context.close()
  })

  test('an attendance above 100 keeps the page open with an explanation until it is corrected', async () => {
    const of3A = { ...ofClass, studentGroupId: class3A.id }
    const [book] = (await (await site.as('okafor')).reports.generate({ body: of3A })).reports
    const { context, page, faults } = await openWindow(browser)
    await inMichaelmas(context)
    await site.signIn(context, 'quinn')
    await page.goto(`${site.url}/reports/book/${book?.id}`)
    await page.getByText('Class 3A · Michaelmas 2025/26').waitFor()
    await page.getByText(/^Position in class: \d of \d$/).waitFor()
    const attendance = page.getByLabel('Attendance in percent: Fatima Haddad')
    await attendance.fill('101')
    await page.getByRole('link', { name: 'All books of the class' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByText('Correct it, or empty the field.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'reports-leaving-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'reports-leaving-phone')
    await page.setViewportSize(sizes.pc)
    await page.keyboard.press('Escape')
    await expect.poll(() => attendance.evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await attendance.inputValue()).toBe('101')
    await page.getByRole('link', { name: 'Results' }).first().click()
    await dialog.getByRole('button', { name: 'Stay here' }).press('Enter')
    await attendance.fill('99,5')
    await page.getByRole('link', { name: 'All books of the class' }).click()
    await page.waitForURL(`**/reports/${class3A.id}`)
    const [params, quinn] = [{ id: book?.id ?? '' }, await site.as('quinn')]
    await expect.poll(async () => (await quinn.reports.get({ params })).attendance_percentage).toBe(99.5)

    await page.goto(`${site.url}/reports/${class3A.id}?view=fill`)
    await attendance.fill('4000')
    await page.getByLabel('Term', { exact: true }).selectOption({ label: 'Hilary' })
    await dialog.getByRole('button', { name: 'Stay here' }).click()
    expect(await page.getByLabel('Term', { exact: true }).locator('option:checked').innerText()).toBe('Michaelmas')
    expect(await attendance.inputValue()).toBe('4000')
    await page.getByLabel('Fill in').selectOption('Mathematics')
    await dialog.getByRole('button', { name: 'Leave without it' }).click()
    await page.getByLabel('Remark: Fatima Haddad').waitFor()
    expect(await page.getByLabel('Letter: Fatima Haddad').count()).toBe(1)
    expect(faults).toEqual([])
    await context.close()
  })

  test('in a term without an assessment no report books are offered', async () => {
    const head = await site.as('okafor')
    const group = await head.classes.create({ body: { name: '3C', academicYearId: class3B.academic_year_id } })
    const { context, page } = await openWindow(browser)
    await context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), trinity.id)
    await site.signIn(context, 'okafor')
    await page.goto(`${site.url}/reports/${group.id}`)
    await page.getByText('There is no assessment for this class in this term yet').waitFor()
    expect(await page.getByRole('button', { name: 'Make the report books' }).count()).toBe(0)
    await expectForEverybody(page)
    await head.classes.remove({ params: { classId: group.id } })
    await context.close()
  })

  test('Enter confirms dialogs whose action does no harm', async () => {
    const { context, page } = await openWindow(browser)
    await inMichaelmas(context)
    await site.signIn(context, 'quinn')
    await page.goto(`${site.url}/reports/${class3A.id}`)
    // Every pupil has a report book with the present results: there is nothing to update.
    await expect.poll(() => page.getByRole('button', { name: 'Bring up to date' }).isDisabled()).toBe(true)
    const head = await site.as('okafor')
    const { id: studentId } = await head.students.create({ body: { firstName: 'Lea', lastName: 'Zeller', gender: 'female' } })
    await head.classes.enroll({ params: { id: class3A.id }, body: { studentId } })
    await page.reload()
    await page.getByText('1 pupil of the class has no book yet.').waitFor()
    await expectForEverybody(page)
    await press(page, 'Bring up to date')
    const agree = page.getByRole('dialog', { name: 'Bring up to date' }).getByRole('button', { name: 'Bring up to date' })
    await expect.poll(() => agree.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByText('books are up to date').waitFor()
    await page.getByRole('dialog', { name: 'Bring up to date' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Zeller, Lea' }).waitFor()
    expect(await page.getByText('has no book yet').count()).toBe(0)
    await context.close()
  })

  test('a report book that was sent meanwhile says so, shows what was typed, and is locked', async () => {
    const head = await site.as('okafor')
    const of3A = { ...ofClass, studentGroupId: class3A.id }
    const [first] = (await head.reports.generate({ body: of3A })).reports
    const { context, page } = await openWindow(browser)
    await inMichaelmas(context)
    await site.signIn(context, 'quinn')
    await page.goto(`${site.url}/reports/${class3A.id}?view=fill`)
    const remark = page.getByLabel('Remark: Fatima Haddad')
    await remark.waitFor()
    const params = { id: first?.id ?? '' }
    await head.reports.publish({ params })
    await head.reports.sendToMinistry({ params })
    await remark.fill('Too late.')
    await page.keyboard.press('Enter')
    await expect.poll(() => remark.evaluate((box: HTMLTextAreaElement) => box.readOnly)).toBe(true)
    await page.getByText('What you typed here was not taken.').waitFor()
    expect(await remark.inputValue()).toBe('Too late.')
    await context.close()
  })

  test('fits a telephone and 200 % zoom, in dark mode', async () => {
    const { context, page } = await openWindow(browser, { viewport: sizes.phone, colorScheme: 'dark' })
    await inMichaelmas(context)
    await site.signIn(context, 'okafor')
    const [book] = await (await site.as('okafor')).reports.list({ query: { ...ofClass, studentGroupId: class3A.id } })
    const pages = [`${class3B.id}`, `${class3A.id}?view=fill`, `${class3A.id}?view=check`, `book/${book?.id}`]
    for (const [at, path] of pages.entries()) {
      await page.goto(`${site.url}/reports/${path}`)
      await page
        .getByText(/Kelly|Wójcik|Adeyemi/)
        .locator('visible=true')
        .first()
        .waitFor()
      await expectForEverybody(page)
      await expectFits(page)
      await picture(page, `reports-phone-${at}`)
      await page.setViewportSize({ width: 683, height: 384 })
      await expectFits(page)
      await page.setViewportSize(sizes.phone)
    }
    await context.close()
  })

  test('has no English words in French', async () => {
    const { context, page } = await openWindow(browser, { locale: 'fr-FR' })
    await inMichaelmas(context)
    await site.signIn(context, 'okafor')
    await page.goto(`${site.url}/reports/${class3A.id}`)
    await page.getByRole('button', { name: 'Mettre à jour' }).waitFor()
    await page.getByRole('link', { name: 'Remplir' }).click()
    await page.getByLabel('Appréciation : Fatima Haddad').waitFor()
    await picture(page, 'reports-french')
    const shown = await page.locator('main').innerText()
    expect(shown).toContain('Tout s’enregistre')
    expect(shown).not.toMatch(/Remark|Conduct|Attendance|Check/)
    await context.close()
  })
})
