import { naturalId } from '@markbook/shared/ids'
import { mathsExam, mei, zoe } from '@markbook/shared/story/marks'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const ofClass = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' as const }

describe.skipIf(!headlessPath)('report books go out as they were shown', () => {
  const { site, browser } = siteInBrowser()

  const open = async (path: string) => {
    const window = await openWindow(browser)
    await window.context.addInitScript(
      (chosen) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', chosen),
      michaelmas.id,
    )
    await site.signIn(window.context, 'byrne')
    await window.page.goto(`${site.url}${path}`)
    return window
  }
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
  /** The books of the class, up to date, without the ones that were sent before. */
  const freshBooks = async () => {
    const byrne = await site.as('byrne')
    const { reports } = await byrne.reports.generate({ body: ofClass })
    return reports.filter(({ status }) => status !== 'sent_to_ministry')
  }
  const bookOf = async (studentId: string) => (await freshBooks()).find(({ student_id }) => student_id === studentId)?.id ?? ''
  const standing = async () => (await site.as('byrne')).reports.standing({ query: ofClass })
  const mark = async (score: number) =>
    (await site.as('ada')).grades.update({ params: { id: naturalId('grade', mathsExam.id, zoe.id) }, body: { score } })

  test('a PDF is made of what was typed just before, or it is said that this is not saved', async () => {
    const { context, page, faults } = await open(`/reports/book/${await bookOf(zoe.id)}`)
    const order: string[] = []
    const isWrite = (method: string) => method === 'PATCH'
    page.on('response', (response) => isWrite(response.request().method()) && order.push('saved'))
    page.on('request', (request) => request.url().includes('/pdf/generate') && order.push('drawn'))
    await page.route(/\/api\/report-entries\//, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 600))
      await route.continue()
    })
    await page.getByLabel('Remark: Mathematics').fill('Typed just before.')
    const made = page.waitForResponse((response) => response.url().includes('/pdf/generate'))
    await button(page, 'Make the PDF').click()
    expect((await made).status()).toBe(201)
    expect(order).toEqual(['saved', 'drawn'])

    await page.unroute(/\/api\/report-entries\//)
    await page.route(/\/api\/report-entries\//, (route) =>
      route.fulfill({ status: 403, json: { code: 'forbidden', message: 'You may not do that.' } }),
    )
    await page.getByLabel('Remark: Mathematics').fill('Refused.')
    await button(page, 'Make the PDF').click()
    await page.getByText('Something that was typed into a report book is not saved.', { exact: false }).waitFor()
    expect(order).toEqual(['saved', 'drawn', 'saved'])
    await expectForEverybody(page)
    await picture(page, 'as-shown-unsaved')
    expect(faults.filter((fault) => !fault.includes('403'))).toEqual([])
    await context.close()
  })

  test('bringing up to date is the primary action while the results have changed', async () => {
    await freshBooks()
    await mark(40)
    const { context, page } = await open(`/reports/${class3B.id}`)
    const primaries = page.locator('main button[class*="primary"]')
    await page.getByText(/The results have changed since \d of these books (was|were) made/).waitFor()
    await button(page, /^Publish \d drafts$/).waitFor()
    expect(await primaries.allInnerTexts()).toEqual(['Bring up to date'])
    await picture(page, 'as-shown-bring')
    await page.goto(
      `${site.url}/reports/book/${(await standing()).find(({ is_behind, status }) => is_behind && status === 'draft')?.report_id}`,
    )
    await page.getByText('The results have changed since this book was made', { exact: false }).waitFor()
    expect((await primaries.allInnerTexts()).filter((text) => text !== 'Make the PDF')).toEqual(['Bring up to date'])
    await context.close()
  })

  test('the dialog of one book offers to make its older PDF anew, and a closed book says where it is older', async () => {
    const byrne = await site.as('byrne')
    const [params, other] = [{ id: await bookOf(mei.id) }, { id: await bookOf(zoe.id) }]
    for (const { id } of [params, other]) {
      await byrne.reports.publish({ params: { id } })
      await byrne.reportFiles.generatePdf({ params: { id } })
      await byrne.reports.update({ params: { id }, body: { conduct: 'Changed after the PDF.' } })
    }
    const pdfs = async () => (await byrne.reports.get({ params })).pdfs.map(({ id }) => id)
    const [former] = await pdfs()
    const { context, page, faults } = await open(`/reports/book/${params.id}?pdf=${former}`)
    await page.getByText('This book was changed after its last PDF was made.', { exact: false }).waitFor()
    await button(page, 'Close for good').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 book was changed after its last PDF was made.', { exact: false }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'as-shown-older-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'as-shown-older-phone')
    await page.setViewportSize(sizes.pc)
    await dialog.getByRole('button', { name: 'Make the PDF anew first' }).click()
    await dialog.getByText('1 PDF is made.').waitFor()
    await dialog.getByText('was changed after its last PDF', { exact: false }).waitFor({ state: 'detached' })
    await dialog.getByRole('checkbox').check()
    await dialog.getByRole('button', { name: 'Close for good' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('This book is closed for good and stays as it is.').waitFor()
    const [made] = (await pdfs()).filter((id) => id !== former)
    // «Download» is beside the PDF that is shown.
    await expect.poll(() => new URL(page.url()).searchParams.get('pdf')).toBe(made)
    expect((await standing()).find(({ report_id }) => report_id === params.id)).toMatchObject({ paper: { is_older: false } })
    expect(await page.getByText('the PDF is older than the book', { exact: false }).count()).toBe(0)

    await page.goto(`${site.url}/reports/book/${other.id}`)
    await button(page, 'Close for good').click()
    await dialog.getByText('1 book was changed after its last PDF was made.', { exact: false }).waitFor()
    await dialog.getByRole('checkbox').check()
    await dialog.getByRole('button', { name: 'Close for good' }).click()
    await page.getByText('and then closed for good: the PDF is older than the book', { exact: false }).waitFor()
    await page.reload()
    await page.getByText('and then closed for good: the PDF is older than the book', { exact: false }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'as-shown-closed-older')
    expect(faults).toEqual([])
    await context.close()
  })

  test('nothing is closed where a mark was saved while the dialog was open, and older PDFs are made first', async () => {
    const byrne = await site.as('byrne')
    for (const { id, status } of await freshBooks()) {
      if (status === 'draft') await byrne.reports.publish({ params: { id } })
    }
    const books = await freshBooks()
    const [first, second] = books
    for (const { id } of [first, second].flatMap((one) => one ?? [])) {
      await byrne.reportFiles.generatePdf({ params: { id } })
      await byrne.reports.update({ params: { id }, body: { conduct: 'Changed after the PDF, too.' } })
    }
    const { context, page, faults } = await open(`/reports/${class3B.id}`)
    const close = `Close ${books.length} books for good`
    await button(page, close).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 books were changed after their last PDF was made.', { exact: false }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'as-shown-many-pc')
    await dialog.getByRole('button', { name: 'Make these PDFs anew first' }).click()
    await dialog.getByText('2 PDFs are made.').waitFor()
    const typed = dialog.getByRole('textbox')
    await typed.fill(String(books.length))
    const mathsOf = (await byrne.reports.entries({ query: ofClass })).find(
      ({ report_book_id, subject }) => report_book_id === first?.id && subject.code === 'MA',
    )
    await (await site.as('ada')).reports.updateEntry({
      params: { entryId: mathsOf?.id ?? '' },
      body: { teacherRemark: 'While it was open.' },
    })
    await dialog.getByRole('button', { name: close }).click()
    await dialog.getByText('While this was open, 1 book or the results of its marks changed. Nothing was done.', { exact: false }).waitFor()
    expect((await standing()).filter(({ status }) => status === 'published')).toHaveLength(books.length)
    expect(await typed.inputValue()).toBe('')
    await expectForEverybody(page)
    await picture(page, 'as-shown-changed-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await page.setViewportSize(sizes.pc)

    // A mark that is saved between the comparison and the request: the server refuses.
    await typed.fill(String(books.length))
    let before = true
    await page.route(/\/send-to-ministry/, async (route) => {
      if (before)
        await (await site.as('ada')).reports.updateEntry({ params: { entryId: mathsOf?.id ?? '' }, body: { teacherRemark: 'Later.' } })
      before = false
      await route.continue()
    })
    await dialog.getByRole('button', { name: close }).click()
    await dialog.getByText(`${books.length - 1} books are closed for good.`).waitFor()
    await dialog.getByText('This report was changed since you looked at it.', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    expect(faults.filter((fault) => !fault.includes('409'))).toEqual([])
    await context.close()
  })

  test('a book that was behind when it was closed is not said to have changed afterwards', async () => {
    const byrne = await site.as('byrne')
    const open3B = (await byrne.reports.list({ query: ofClass })).filter(({ status }) => status === 'published')
    const ada = await site.as('ada')
    for (const { id, student_id: studentId } of open3B) {
      const marks = await ada.grades.list({ query: { assessmentId: mathsExam.id } })
      const own = marks.find(({ student_id }) => student_id === studentId)
      if (own) await ada.grades.update({ params: { id: own.id }, body: { score: 1 } })
      else await ada.grades.create({ body: { assessmentId: mathsExam.id, studentId, score: 1 } })
      await byrne.reports.sendToMinistry({ params: { id } })
    }
    const before = (await standing()).filter(({ was_behind }) => was_behind)
    expect(before.length).toBeGreaterThan(0)
    const { context, page } = await open(`/reports/${class3B.id}`)
    await page.getByText(/^The results had already changed when \d of these books (was|were) closed for good/).waitFor()
    await expectForEverybody(page)
    await picture(page, 'as-shown-before-pc')
    await page.goto(`${site.url}/reports/book/${before[0]?.report_id}`)
    await page.getByText('The results had already changed when this book was closed for good.', { exact: false }).waitFor()
    expect(await page.getByText('have changed since this book', { exact: false }).count()).toBe(0)
    await context.close()
  })
})
