import { buffer } from 'node:stream/consumers'
import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, mei, zoe } from '@markbook/shared/story/marks'
import { sentReport } from '@markbook/shared/story/reports'
import { class3B, english, michaelmas, trinity } from '@markbook/shared/story/school-year'
import { unzipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasPoppler, textOfPdf } from '../../../../server/documents/drawing/pdf-text.fixtures.ts'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const ofClass = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' as const }

describe.skipIf(!headlessPath)('report books and PDFs older than the marks', () => {
  const { site, browser } = siteInBrowser()

  const open = async (person: 'byrne' | 'okafor', path: string, term = michaelmas.id) => {
    const { context, page, faults } = await openWindow(browser)
    // As a PC, which shows PDFs; the browser of the tests shows none.
    await context.addInitScript(() => Object.defineProperty(navigator, 'pdfViewerEnabled', { value: true }))
    await context.addInitScript((chosen) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', chosen), term)
    await site.signIn(context, person)
    await page.goto(`${site.url}${path}`)
    return { context, page, faults }
  }
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
  const jobOver = async (id: string) => {
    const byrne = await site.as('byrne')
    await expect.poll(async () => (await byrne.jobs.get({ params: { id } })).status, { timeout: 20_000 }).toBe('done')
  }

  test('PDFs are in the language of the school, and one print can be in another', async () => {
    const okafor = await site.as('okafor')
    const byrne = await site.as('byrne')
    await byrne.reports.generate({ body: ofClass })
    await okafor.schools.updateMine({ body: { documentLanguage: 'fr' } })
    const [draft] = (await byrne.reports.list({ query: ofClass })).filter(({ student }) => student.id === elan.id)
    const { context, page, faults } = await open('byrne', `/reports/book/${draft?.id}`)
    const language = page.getByRole('combobox', { name: 'Language of the print' })
    const made = () => page.waitForResponse((response) => response.url().includes('/pdf/generate'))
    await expect.poll(() => language.inputValue()).toBe('fr')
    // The head changes the language meanwhile: the PDF is in the one that this window shows.
    await okafor.schools.updateMine({ body: { documentLanguage: 'en' } })
    const [own] = await Promise.all([made(), press(page, 'Make the PDF')])
    expect([own.status(), new URL(own.url()).search]).toEqual([201, '?language=fr'])
    await okafor.schools.updateMine({ body: { documentLanguage: 'fr' } })
    await page.getByTitle(/^Report book of .* as a PDF$/).waitFor()
    await language.selectOption('ar')
    await expectForEverybody(page)
    await picture(page, 'book-language-pc')
    const [arabic] = await Promise.all([made(), press(page, 'Make the PDF')])
    expect([arabic.status(), new URL(arabic.url()).search]).toEqual([201, '?language=ar'])
    const textOf = async (pdf: unknown) => {
      const pdfId = (pdf as { id: string }).id
      const bytes = (await byrne.reportFiles.downloadPdf({ params: { id: draft?.id ?? '', pdfId } })) as Uint8Array
      return hasPoppler ? textOfPdf(bytes) : null
    }
    if (hasPoppler) {
      expect(await textOf(await own.json())).toContain('Professeur principal')
      expect(await textOf(await arabic.json())).toContain('بطاقة تقرير')
    }

    await page.goto(`${site.url}/reports/${class3B.id}`)
    await press(page, 'Print the class')
    const dialog = page.getByRole('dialog', { name: 'Print the report books' })
    const inDialog = dialog.getByRole('combobox', { name: 'Language of the print' })
    await expect.poll(() => inDialog.inputValue()).toBe('fr')
    await inDialog.selectOption('en')
    await expectForEverybody(page)
    await picture(page, 'print-language-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await page.setViewportSize(sizes.pc)
    const printed = page.waitForRequest((request) => request.url().includes('/api/reports/print'))
    await dialog.getByRole('button', { name: 'Make it' }).click()
    expect(new URL((await printed).url()).searchParams.get('language')).toBe('en')
    await okafor.schools.updateMine({ body: { documentLanguage: null } })
    expect(faults).toEqual([])
    await context.close()
  })

  test('why PDFs were not made is said in the language of the reader, and those that were are counted', async () => {
    const byrne = await site.as('byrne')
    const { reports } = await byrne.reports.generate({ body: ofClass })
    const id = '0193a5f0-0000-7000-8000-000000000001'
    const failures = [
      { id: reports[0]?.id, code: 'jobs.report_gone', message: 'This report was deleted, or is of another class now.' },
      { id, code: 'jobs.storage_full', message: 'The disk of the server is full, so the rest was not made.' },
    ]
    const job = { id, status: 'failed', done: 3, total: reports.length, result_url: null, failures }
    const { context, page } = await openWindow(browser)
    await context.addInitScript((chosen) => {
      localStorage.setItem('markbook.language', 'fr')
      sessionStorage.setItem('markbook.term', chosen)
    }, michaelmas.id)
    await site.signIn(context, 'byrne')
    await page.route('**/api/jobs/*/events', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: `data: ${JSON.stringify(job)}\n\n` }),
    )
    await page.goto(`${site.url}/reports/${class3B.id}?job=${id}`)
    const reasons = page.getByRole('listitem').filter({ hasText: /disque|supprimé/ })
    await reasons.first().waitFor()
    expect(await reasons.allInnerTexts()).toEqual([
      expect.stringContaining('Ce bulletin a été supprimé, ou appartient maintenant à une autre classe.'),
      expect.stringContaining('disque'),
    ])
    await page.getByText('2 PDF', { exact: false }).waitFor()
    await context.close()
  })

  test('older PDFs are downloaded after a question, or made again', async () => {
    const byrne = await site.as('byrne')
    await byrne.reports.generate({ body: ofClass })
    await jobOver((await byrne.reportFiles.generatePdfs({ body: ofClass })).job_id)
    const ada = await site.as('ada')
    await ada.grades.update({ params: { id: naturalId('grade', mathsExam.id, zoe.id) }, body: { score: 1 } })
    const [draft] = (await byrne.reports.list({ query: ofClass })).filter(({ student }) => student.id === elan.id)
    await byrne.reports.update({ params: { id: draft?.id ?? '' }, body: { conduct: 'Changed' } })

    const { context, page, faults } = await open('byrne', `/reports/${class3B.id}`)
    await press(page, 'More')
    await page.getByRole('menuitem', { name: 'Download all PDFs' }).click()
    const dialog = page.getByRole('dialog', { name: 'Download all PDFs' })
    await dialog.getByText(/books? (has|have) a PDF that is older/).waitFor()
    await dialog.getByText(/still holds? earlier results/).waitFor()
    await expectForEverybody(page)
    await picture(page, 'papers-older-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await page.setViewportSize(sizes.pc)
    const taken = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Take them as they are' }).click()
    await taken
    await dialog.waitFor({ state: 'detached' })

    await press(page, 'More')
    await page.getByRole('menuitem', { name: 'Download all PDFs' }).click()
    const anew = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Make them anew, then download' }).click()
    const file = await anew
    expect(file.suggestedFilename()).toBe('3B_2025-26_Michaelmas_Report-books.zip')
    expect(Object.keys(unzipSync(await buffer(await file.createReadStream()))).length).toBeGreaterThan(4)
    const rows = await byrne.reports.standing({ query: ofClass })
    const open3B = rows.filter(({ status }) => status !== 'sent_to_ministry')
    expect(open3B.filter(({ is_behind, paper }) => is_behind || paper === null || paper.is_older)).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  test('the page, Today and the dialogs say that results have changed since the report books were made', async () => {
    const byrne = await site.as('byrne')
    await byrne.reports.generate({ body: ofClass })
    const ada = await site.as('ada')
    await ada.grades.update({ params: { id: naturalId('grade', mathsExam.id, zoe.id) }, body: { score: 97 } })
    const { context, page, faults } = await open('byrne', '/')
    const own = page.getByRole('region', { name: 'Report books of 3B' })
    const older = own.getByRole('link', { name: /^3B: \d books? (is|are) older than the marks$/ })
    await older.waitFor()
    await expectForEverybody(page)
    await picture(page, 'behind-today-pc')
    await older.click()
    await page.getByText(/The results have changed since \d of these books (was|were) made/).waitFor()
    await page
      .getByRole('row', { name: /Adeyemi/ })
      .getByText('results have changed', { exact: true })
      .waitFor()
    await expectForEverybody(page)
    await picture(page, 'behind-books-pc')
    await press(page, /^Publish \d drafts$/)
    const publish = page.getByRole('dialog', { name: 'Publish the report books?' })
    await publish.getByText(/The results have changed since \d books? (was|were) made; (it goes|they go) out/).waitFor()
    await publish.getByText(/^Missing marks: \d$/).waitFor()
    await expectForEverybody(page)
    await picture(page, 'behind-publish-pc')
    await publish.getByRole('link', { name: 'See them in the check' }).click()
    await page.getByRole('heading', { name: 'Out of date' }).waitFor()
    await publish.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Bring up to date' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Bring up to date' }).click()
    await page.getByRole('heading', { name: 'Out of date' }).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('the page of one report book says so in its dialog', async () => {
    const byrne = await site.as('byrne')
    const { reports } = await byrne.reports.generate({ body: ofClass })
    const zoes = reports.find(({ student_id }) => student_id === zoe.id)
    const ada = await site.as('ada')
    await ada.grades.update({ params: { id: naturalId('grade', mathsExam.id, zoe.id) }, body: { score: 12 } })
    const { context, page, faults } = await open('byrne', `/reports/book/${zoes?.id}`)
    await page.getByText('The results have changed since this book was made', { exact: false }).waitFor()
    await press(page, 'Publish')
    const publish = page.getByRole('dialog', { name: 'Publish the report book of Zoë Adeyemi?' })
    await publish.getByText('The results have changed since 1 book was made; it goes out with those of before').waitFor()
    await expectForEverybody(page)
    await picture(page, 'behind-book-pc')
    await publish.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('1 book is published.').waitFor()
    await press(page, 'Close for good')
    await page.getByRole('dialog').getByText('The results have changed since 1 book was made', { exact: false }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('one sent report book without a PDF is printed alone', async () => {
    const { context, page, faults } = await open('byrne', `/reports/book/${sentReport.id}`)
    await page.getByText('No PDF was made of this book before it was closed for good.', { exact: false }).waitFor()
    await press(page, 'Print this book')
    await page.getByRole('dialog').getByLabel('Paper').selectOption('Letter')
    await expectForEverybody(page)
    await picture(page, 'print-one-book-pc')
    const printed = page.waitForResponse((response) => response.url().includes('/api/reports/print'))
    await page.getByRole('dialog').getByRole('button', { name: 'Make it' }).click()
    const { searchParams } = new URL((await printed).url())
    expect([searchParams.get('studentId'), searchParams.get('paper'), searchParams.get('twoSided')]).toEqual([
      sentReport.student_id,
      'Letter',
      null,
    ])
    const bytes = await (await printed).body()
    expect(bytes.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
    await page
      .getByRole('dialog')
      .getByTitle(/^Report book of .* as a PDF$/)
      .waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a sent report book says that the present marks give other results, and which of its PDFs is a draft', async () => {
    const byrne = await site.as('byrne')
    const { reports } = await byrne.reports.generate({ body: ofClass })
    const params = { id: reports.find(({ student_id }) => student_id === mei.id)?.id ?? '' }
    await byrne.reportFiles.generatePdf({ params })
    await byrne.reports.publish({ params })
    await byrne.reportFiles.generatePdf({ params })
    await byrne.reports.sendToMinistry({ params })
    const ada = await site.as('ada')
    await ada.grades.update({ params: { id: naturalId('grade', mathsExam.id, mei.id) }, body: { score: 3 } })
    const { context, page, faults } = await open('byrne', `/reports/book/${params.id}`)
    await page.getByText('The results have changed since this book was closed for good.', { exact: false }).waitFor()
    const papers = page.getByRole('region', { name: 'On paper' }).getByRole('listitem')
    const [newest, ...before] = await papers.allInnerTexts()
    expect(newest).not.toContain('draft')
    expect(before.length).toBeGreaterThan(0)
    expect(before.filter((text) => !text.includes('draft'))).toEqual([])
    await expectForEverybody(page)
    await picture(page, 'sent-differs-book-pc')
    await page.getByRole('link', { name: 'See the present results' }).click()
    await page.waitForURL(`**/results/${class3B.id}/students/${mei.id}`)
    await page.goto(`${site.url}/reports/${class3B.id}`)
    await page.getByText(/The results have changed since \d of these books (was|were) closed for good/).waitFor()
    await page.getByRole('row', { name: /Chen/ }).getByText('results have changed since').waitFor()
    await expectForEverybody(page)
    await picture(page, 'sent-differs-books-pc')
    expect(faults).toEqual([])
    await context.close()
  })

  test('a subject without an assessment is shown by the check and on Today', async () => {
    const inTrinity = { ...ofClass, termId: trinity.id }
    await (await site.as('byrne')).reports.generate({ body: inTrinity })
    const { context, page, faults } = await open('okafor', '/', trinity.id)
    await page.getByRole('listitem').filter({ hasText: '3B' }).getByText('no assessment in English').waitFor()
    await expectForEverybody(page)
    await picture(page, 'unassessed-today-pc')
    await page.goto(`${site.url}/reports/${class3B.id}?view=check`)
    const found = page.getByRole('region', { name: 'Subjects without an assessment' })
    await found.waitFor()
    // The headline counts what the cards below it count.
    const kinds = await page
      .getByRole('region')
      .filter({ has: page.getByRole('listitem') })
      .allInnerTexts()
    const counts = kinds.map((text) => Number(/^\d+$/m.exec(text)?.[0]))
    const lead = await page.getByText(/^There are \d+ things to look at/).innerText()
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(Number(/\d+/.exec(lead)?.[0]))
    await found.getByRole('link', { name: 'To the assessments: English' }).click()
    await page.waitForURL(`**/assessments?subject=${english.id}`)
    expect(faults).toEqual([])
    await context.close()
  })
})
