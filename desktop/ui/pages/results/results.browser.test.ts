import { writeFileSync } from 'node:fs'
import { elan, zoe } from '@markbook/shared/story/marks'
import { class3A, class3B, english, hilary, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasPoppler, textOfPdf, wordsOfPdf } from '../../../../server/documents/drawing/pdf-text.fixtures.ts'
import { dialogsClosed, expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const inTerm = (context: BrowserContext, { id }: { id: string }) =>
  context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), id)
const rowsOf = (page: Page) => page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.querySelector('th')?.textContent))

const family = `Featherstonehaugh-${'Cholmondeley-'.repeat(6)}Pons`

/** Fails unless all words are within the landscape sheet, with the `wanted` words and the whole last name. */
async function expectWholeOnPaper(page: Page, name: string, wanted: readonly string[]): Promise<void> {
  const paper = await page.pdf({ preferCSSPageSize: true })
  const folder = process.env['PICTURES']
  if (folder) writeFileSync(`${folder}/${name}.pdf`, paper)
  if (!hasPoppler) return
  const { width, height, words } = wordsOfPdf(paper)
  expect(width).toBeGreaterThan(height)
  for (const { left, right, top, bottom } of words) {
    expect(Math.min(left, top)).toBeGreaterThan(10)
    expect(right).toBeLessThan(width - 10)
    expect(bottom).toBeLessThan(height - 10)
  }
  const text = textOfPdf(paper)
  for (const one of wanted) expect(text).toContain(one)
  for (const part of ['Featherstonehaugh', 'Pons, Bo']) expect(text).toContain(part)
  expect(text.split('Cholmondeley')).toHaveLength(7)
}

describe.skipIf(!headlessPath)('results', () => {
  const { site, browser } = siteInBrowser()

  test('a class: columns sort, each figure is explained, and the address has the state of the page', async () => {
    const { context, page, faults } = await openWindow(browser)
    await inTerm(context, michaelmas)
    await site.signIn(context, 'byrne')
    await page.goto(`${site.url}/results`)
    await page.waitForURL(`**/results/${class3B.id}`)
    await page.getByRole('link', { name: 'Ó Briain, Élan' }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'results-term-pc')
    const summary = await (await site.as('byrne')).calculations.classSummary({
      query: { termId: michaelmas.id, studentGroupId: class3B.id },
    })
    const means = await page.getByRole('row', { name: /^Mean/ }).getByRole('cell').allInnerTexts()
    const shown = [...summary.subjects.filter(({ ranked_students: ranked }) => ranked > 0), summary]
    expect(means.map((mean) => mean.trim()).filter(Boolean)).toEqual(shown.map(({ class_average }) => class_average?.toFixed(2)))
    await page.getByRole('img', { name: 'Distribution of Mathematics: F 1, D 1, C 1, B 1, A 1, A+ 1' }).waitFor()
    // Élan has no exam in mathematics, so that his average is partial too.
    const elansAverage = page.getByRole('row', { name: /Élan/ }).locator('[data-figure$="overall"], td').nth(-2)
    expect(await elansAverage.innerText()).toContain('†')
    await page.getByRole('button', { name: 'Overall' }).press('Enter')
    await expect.poll(async () => (await rowsOf(page))[0]).toBe('Murphy, Aoife')
    expect(new URL(page.url()).searchParams.get('sort')).toBe('overall')
    await page.getByRole('button', { name: 'Overall' }).press('Enter')
    await expect.poll(async () => (await rowsOf(page))[0]).toBe('Wójcik, Łukasz')

    const figure = page.getByTitle('Explain Mathematics of Zoë Adeyemi')
    await figure.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('was ill').waitFor()
    const said = await dialog.innerText()
    expect(said).toContain('mark excluded')
    expect(said).toContain('Coursework average: (90 × 1) ÷ 1 = 90.00')
    expect(said).toContain('(90 × 40 + 71 × 60) ÷ 100 = 78.60')
    expect(said).toContain('78.60 reaches 70, which is B (Very good).')
    await expectForEverybody(page)
    await picture(page, 'results-explain-pc')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => figure.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.getByTitle('Explain Overall of Zoë Adeyemi').press('Enter')
    await dialog.getByText('3 pupils have a higher average: position 4 of 6.').waitFor()
    expect(await dialog.innerText()).toContain('(78.60 + 63.60 + 55.00) ÷ 3 = 65.73')
    await page.keyboard.press('Escape')
    await page.goto(`${site.url}/results/${class3B.id}?pupil=${elan.id}&explain=${maths.id}`)
    await page.getByText('no mark yet').waitFor()
    await page.getByText('there is no exam average, so coursework counts alone').waitFor()
    // A code is no missing mark.
    const exam = page.getByLabel('Try a mark in Christmas exam', { exact: false })
    await exam.fill('abs')
    await page.getByText('Absent', { exact: true }).waitFor()
    expect(await page.getByText('no mark yet').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('charts: each mark has its figures by keyboard and in the table', async () => {
    const { context, page, faults } = await openWindow(browser)
    await inTerm(context, michaelmas)
    await site.signIn(context, 'byrne')
    await page.goto(`${site.url}/results/${class3B.id}?view=charts`)
    const bar = page.getByRole('img', { name: /^B \(70 to 80\): 1 pupil$/ })
    await bar.focus()
    await page.getByText('B (70 to 80): 1 pupil').last().waitFor()
    await expectForEverybody(page)
    await picture(page, 'results-charts-pc')
    await page.getByText('The same as a table').first().click()
    expect(await page.locator('details[open] tbody tr').count()).toBe(6)
    await page.getByRole('combobox', { name: /^Subject/ }).selectOption('English')
    await page.getByRole('img', { name: /^D \(50 to 60\): 2 pupils$/ }).waitFor()
    await page.getByRole('img', { name: /^Mathematics: mean 71\.08/ }).focus()
    await picture(page, 'results-spread-pc')
    // On a telephone no part of a chart needs scrolling.
    await page.setViewportSize(sizes.phone)
    for (const mark of [/^A\+/, /^Mathematics: mean/]) {
      const place = page.getByRole('img', { name: mark })
      await expect.poll(async () => ((await place.boundingBox())?.x ?? 999) + ((await place.boundingBox())?.width ?? 999)).toBeLessThan(390)
    }
    await picture(page, 'results-charts-phone')
    expect(faults).toEqual([])
    await context.close()
  })

  test('on a telephone a tap on a part of a chart shows its figures, and the page says so', async () => {
    const { context, page, faults } = await openWindow(browser, { viewport: sizes.phone, hasTouch: true, isMobile: true })
    await inTerm(context, michaelmas)
    await site.signIn(context, 'byrne')
    await page.goto(`${site.url}/results/${class3B.id}?view=charts`)
    await page.getByText('Tap a part of the chart to read its figures.').first().waitFor()
    expect(await page.getByText('Point at').count()).toBe(0)
    await page.getByRole('img', { name: /^B \(70 to 80\)/ }).tap({ position: { x: 20, y: 4 } })
    await page.getByText('B (70 to 80): 1 pupil').last().waitFor()
    await picture(page, 'results-charts-touch')
    expect(faults).toEqual([])
    await context.close()
  })

  test('the year, the summary, the comparison with the former term, and the broadsheet as files', async () => {
    const { context, page, faults } = await openWindow(browser, { acceptDownloads: true })
    await inTerm(context, hilary)
    await site.signIn(context, 'okafor')
    await page.goto(`${site.url}/results/${class3B.id}?view=compare`)
    const row = page.getByRole('row', { name: /Adeyemi/ })
    await row.getByText('down').first().waitFor()
    expect(await row.innerText()).toMatch(/down\s*0\.73/)
    await expectForEverybody(page)
    await picture(page, 'results-compare-pc')
    const ofElan = page.getByRole('row', { name: /Ó Briain/ })
    expect(await ofElan.innerText()).toContain('†')
    await page.getByText(/^† one of the two results rests on/).waitFor()
    await page.getByRole('checkbox', { name: 'Leave out partial results (†)' }).check()
    await expect.poll(() => ofElan.innerText()).not.toContain('†')
    expect(await ofElan.innerText()).toMatch(/–/)
    expect(new URL(page.url()).searchParams.get('whole')).toBe('true')
    // For a comparison both terms need coursework and an exam.
    const head = await site.as('okafor')
    for (const assessmentType of ['coursework', 'exam'] as const) {
      const { id: assessmentId } = await head.assessments.create({
        body: { termId: hilary.id, subjectId: english.id, title: assessmentType, assessmentType, maxScore: 100 },
      })
      await head.grades.bulk({ body: { assessmentId, grades: [{ studentId: zoe.id, score: 70 }] } })
    }
    await page.reload()
    await expect.poll(() => row.innerText()).toMatch(/up\s*6\.40/)
    await page.getByRole('link', { name: 'Year', exact: true }).click()
    await page.getByRole('columnheader', { name: 'Year overall' }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'results-year-pc')
    await page.getByRole('combobox', { name: /^Subject/ }).selectOption('Mathematics')
    await page.getByRole('columnheader', { name: 'End-of-year exam' }).waitFor()
    await picture(page, 'results-year-subject-pc')
    await page.getByTitle('Explain Mathematics of Zoë Adeyemi').click()
    await page.getByText('Mean of the terms: (78.60 + 65.00) ÷ 2 = 71.8').waitFor()
    await page.getByText('there is no end-of-year exam yet, so the terms count alone').waitFor()
    await expectForEverybody(page)
    await picture(page, 'results-year-explain-pc')
    await page.keyboard.press('Escape')
    await dialogsClosed(page)
    await page.getByRole('link', { name: 'Summary' }).click()
    await page.getByRole('heading', { name: 'By subject' }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'results-summary-pc')
    for (const [word, ending] of [
      ['PDF', 'pdf'],
      ['Excel', 'xlsx'],
      ['CSV', 'csv'],
    ]) {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Broadsheet' }).click()
      await page.getByRole('menuitem', { name: word }).click()
      expect((await download).suggestedFilename()).toBe(`3B_2025-26_Hilary_broadsheet.${ending}`)
    }
    expect(faults).toEqual([])
    await context.close()
  })

  test('a year grade has a sign where one of its terms is partial, on every page', async () => {
    const { context, page, faults } = await openWindow(browser)
    await inTerm(context, hilary)
    await site.signIn(context, 'okafor')
    const head = await site.as('okafor')
    const before = (await head.academicYears.list()).find(({ id }) => id === thisYear.id)
    const change = (calculationModel: 'weighted_cumulative' | 'weighted_continuous', yearExamWeight: number) =>
      head.academicYears.update({
        params: { id: thisYear.id },
        body: { calculationModel, yearExamWeight, yearCourseworkWeight: 100 - yearExamWeight },
      })
    // In this model the year itself cannot be partial; Zoë has only coursework in mathematics in Hilary.
    await change('weighted_cumulative', 0)
    await page.goto(`${site.url}/results/${class3B.id}?view=year`)
    const row = page.getByRole('row', { name: /Adeyemi/ })
    await row.getByTitle('Explain Mathematics of Zoë Adeyemi').getByText('†').waitFor()
    await page.getByText(/^† rests on coursework or exam alone/).waitFor()
    await picture(page, 'results-year-partial-pc')
    await page.getByRole('combobox', { name: /^Subject/ }).selectOption('Mathematics')
    await row.getByRole('cell', { name: /^65\.00.*rests on coursework or exam alone/ }).waitFor()
    await picture(page, 'results-year-subject-partial-pc')
    await page.goto(`${site.url}/results/${class3B.id}/students/${zoe.id}?view=year`)
    const mathematics = page.getByRole('row', { name: /^Mathematics/ })
    await mathematics.getByText('one part missing').waitFor()
    expect(await mathematics.getByText('†').count()).toBe(2)
    await picture(page, 'results-pupil-year-partial-pc')
    const { reports } = await head.reports.generate({ body: { studentGroupId: class3B.id, termId: hilary.id, reportType: 'year_end' } })
    const id = reports.find(({ student_id }) => student_id === zoe.id)?.id
    await page.goto(`${site.url}/reports/book/${id}`)
    await page.getByText(/^† rests on coursework or exam alone/).waitFor()
    await picture(page, 'reports-book-partial-pc')
    await change('weighted_continuous', before?.year_exam_weight ?? 60)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a pupil: every subject with its parts; a subject teacher gets there by the list', async () => {
    const { context, page, faults } = await openWindow(browser)
    await inTerm(context, michaelmas)
    await site.signIn(context, 'ada')
    await page.goto(`${site.url}/results/${class3B.id}`)
    await page.getByText('The results of the whole class are for its class teacher').waitFor()
    await picture(page, 'results-subject-teacher-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'results-subject-teacher-phone')
    await page.setViewportSize(sizes.pc)
    expect(await page.getByRole('link', { name: 'Charts' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Ó Briain, Élan' }).click()
    await page.getByRole('heading', { name: 'Élan Ó Briain' }).waitFor()
    await page.getByText('one part missing').first().waitFor()
    expect(await page.getByRole('row', { name: /Mathematics/ }).innerText()).toMatch(/83\.75\s+–\s+83\.75\s+A/)
    await expectForEverybody(page)
    await picture(page, 'results-pupil-pc')
    await page.getByRole('button', { name: 'Explain Mathematics of Élan Ó Briain' }).click()
    await page.getByRole('dialog').getByText('no mark yet').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Year', exact: true }).click()
    await page.getByText('Year grade').waitFor()
    await expectForEverybody(page)
    await page.goto(`${site.url}/results/${class3A.id}`)
    await page.getByText('That class is not one of yours').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('fits a telephone and 200 % zoom, in dark mode', async () => {
    const { context, page } = await openWindow(browser, { viewport: sizes.phone, colorScheme: 'dark' })
    await inTerm(context, michaelmas)
    await site.signIn(context, 'byrne')
    for (const path of [
      '',
      '?view=charts',
      '?view=summary',
      '?view=compare',
      `/students/${zoe.id}`,
      `?pupil=${zoe.id}&explain=${maths.id}`,
    ]) {
      await page.goto(`${site.url}/results/${class3B.id}${path}`)
      await page.getByRole('heading', { level: 1, name: /3B|Zoë/, includeHidden: true }).waitFor()
      await page.getByText('Loading …').waitFor({ state: 'detached' })
      await expectForEverybody(page)
      await expectFits(page)
      await picture(page, `results-phone-${path.replace(/\W+/g, '').slice(0, 12) || 'term'}`)
      await page.setViewportSize({ width: 683, height: 384 })
      await expectFits(page)
      await page.setViewportSize(sizes.phone)
    }
    // On a small telephone the present view has its whole name.
    await page.setViewportSize({ width: 360, height: 640 })
    await page.goto(`${site.url}/results/${class3B.id}?view=compare`)
    const tab = page.getByRole('link', { name: 'Compare' })
    await tab.waitFor()
    const end = async () => ((await tab.boundingBox())?.x ?? 0) + ((await tab.boundingBox())?.width ?? 0)
    await expect.poll(end).toBeLessThanOrEqual(360)
    await context.close()
  })

  test('25 subjects and a name of 100 letters: the name is cut on the screen, and not in print', async () => {
    const head = await site.as('okafor')
    expect(family).toHaveLength(100)
    const { id: studentId } = await head.students.create({ body: { firstName: 'Bo', lastName: family, gender: 'male' } })
    await head.classes.enroll({ params: { id: class3B.id }, body: { studentId } })
    const names = Array.from({ length: 22 }, (_, at) => `Subject of number ${at + 1} and its practice`)
    for (const [at, name] of names.entries()) {
      const { id: subjectId } = await head.subjects.create({ body: { name, code: `X${at}` } })
      const { id: assessmentId } = await head.assessments.create({
        body: { termId: michaelmas.id, subjectId, title: 'Exam', assessmentType: 'exam', maxScore: 100 },
      })
      await head.grades.bulk({ body: { assessmentId, grades: [zoe.id, studentId].map((one) => ({ studentId: one, score: 51 + at })) } })
    }
    const { context, page } = await openWindow(browser)
    await inTerm(context, michaelmas)
    await site.signIn(context, 'okafor')
    await page.goto(`${site.url}/results/${class3B.id}`)
    const link = page.getByRole('link', { name: family })
    await link.waitFor()
    expect(await link.getAttribute('title')).toBe(`${family}, Bo`)
    expect((await page.getByRole('rowheader', { name: family }).boundingBox())?.width).toBeLessThan(300)
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'results-25-subjects-pc')
    const everything = ['Mathematics', 'English', 'Irish', ...names, 'Overall']
    await expectWholeOnPaper(page, 'results-25-subjects', [...everything, 'Position', 'Mean'])
    await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'))
    const inkOf = () => link.evaluate((name) => getComputedStyle(name).color)
    expect(await inkOf()).toBe('rgb(232, 237, 244)')
    await page.emulateMedia({ media: 'print' })
    expect(await inkOf()).toBe('rgb(24, 33, 47)')
    await page.emulateMedia({ media: null })
    await page.goto(`${site.url}/results/${class3B.id}?view=compare&with=${hilary.id}`)
    await page.getByText('Leave out partial results').waitFor()
    await page.getByRole('rowheader', { name: family }).waitFor()
    await expectWholeOnPaper(page, 'compare-25-subjects', everything)
    await context.close()
  })
})
