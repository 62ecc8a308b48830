import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { headlessPath } from './chromium.ts'
import { cell, GRID } from './grid.ts'
import { siteInBrowser } from './site.ts'

const ofClass = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } as const

describe.skipIf(!headlessPath)('pages that stay open while other people work', () => {
  const { site, open } = siteInBrowser()

  const openWithClock = async (person: 'byrne' | 'okafor', path: string) => {
    const { context, page } = await open(person, '/account')
    await page.clock.install()
    await context.addInitScript((term) => sessionStorage.setItem('markbook.term', term), michaelmas.id)
    await page.goto(`${site.url}${path}`)
    return { context, page }
  }
  /** In two steps, since in each of them a timer fires once. */
  const minuteLater = async (page: Page) => {
    await page.clock.fastForward(50_000)
    await page.clock.fastForward(11_000)
  }
  const focus = async (page: Page) => {
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await page.clock.fastForward(1_000)
  }

  test('Today follows the marks of others within a minute, and at once when its window gets the focus', async () => {
    const [head, ada] = [await site.as('okafor'), await site.as('ada')]
    const missing = await head.calculations.missingMarks({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })
    const [gap] = missing.filter(({ subject_id }) => subject_id === maths.id)
    if (!gap) throw new Error('No mark is missing in mathematics.')
    const { context, page } = await openWithClock('byrne', '/')
    const ofMaths = page.getByRole('list', { name: 'Marks of 3B' }).getByRole('listitem').filter({ hasText: 'Mathematics' })
    await ofMaths.getByText('17 of 18 marks, 1 missing').waitFor()
    const grades = gap.students.map(({ id }) => ({ studentId: id, score: 1 }))
    const [row] = await ada.grades.bulk({ body: { assessmentId: gap.assessment_id, grades } })
    await minuteLater(page)
    await ofMaths.getByText('complete, 18 marks').waitFor()
    await ada.grades.remove({ params: { id: row?.id ?? '' } })
    await focus(page)
    await ofMaths.getByText('17 of 18 marks, 1 missing').waitFor()
    await context.close()
  })

  test('Today counts marks that waited for the server as soon as they are saved', async () => {
    const { context, page } = await open('ada', GRID)
    await cell(page, 0, 0).waitFor()
    await page.route('**/api/grades/bulk', (route) => route.abort())
    await cell(page, 4, 2).click()
    await page.keyboard.type('50')
    await page.keyboard.press('Enter')
    await page.getByText('1 mark is on this device and not saved yet').waitFor()
    await page.getByRole('link', { name: 'Today', exact: true }).click()
    await page.getByText('1 missing').waitFor()
    await page.unroute('**/api/grades/bulk')
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await page.getByText('1 missing').waitFor({ state: 'detached' })
    await page.getByText('18 of 18 marks').waitFor()
    await context.close()
  })

  test('the list of report books and the overview follow what others publish', async () => {
    const head = await site.as('okafor')
    const draft = (await head.reports.list({ query: ofClass })).find(({ status }) => status === 'draft')
    const { context, page } = await openWithClock('byrne', `/reports/${class3B.id}`)
    const overview = await openWithClock('okafor', '/overview')
    await page.getByText('draft', { exact: true }).waitFor()
    const ones = overview.page.getByRole('row', { name: /3B/ }).getByRole('link', { name: '1', exact: true })
    await expect.poll(() => ones.count()).toBe(1)
    await head.reports.publish({ params: { id: draft?.id ?? '' } })
    await minuteLater(page)
    await page.getByText('published', { exact: true }).first().waitFor()
    expect(await page.getByText('draft', { exact: true }).count()).toBe(0)
    await minuteLater(overview.page)
    await expect.poll(() => ones.count()).toBe(2)
    await context.close()
    await overview.context.close()
  })

  test('a text that was saved while the page read again stays', async () => {
    const byrne = await site.as('byrne')
    const book = (await byrne.reports.list({ query: ofClass })).find(({ status }) => status !== 'sent_to_ministry')
    const name = `${book?.student.first_name} ${book?.student.last_name}`
    const { context, page } = await openWithClock('byrne', `/reports/${class3B.id}?view=fill`)
    const remark = page.getByLabel(`Remark: ${name}`)
    await remark.waitFor()
    let answer = () => {}
    const toAnswer = new Promise<void>((resolve) => {
      answer = resolve
    })
    const read: string[] = []
    await page.route(`**/api/reports?*${michaelmas.id}*`, async (route) => {
      const response = await route.fetch()
      read.push(await response.text())
      if (read.length === 1) await toAnswer
      // The page may have cancelled it.
      await route.fulfill({ response }).catch(() => {})
    })
    await minuteLater(page)
    await expect.poll(() => read.length).toBe(1)
    await remark.fill('Reads a book a week.')
    await page.getByLabel(`Conduct: ${name}`).focus()
    await page.clock.fastForward(2_000)
    await expect
      .poll(async () => (await byrne.reports.get({ params: { id: book?.id ?? '' } })).class_teacher_remark)
      .toBe('Reads a book a week.')
    const late = page.waitForResponse(`**/api/reports?*${michaelmas.id}*`)
    answer()
    await late
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
    await page.clock.fastForward(100)
    expect(await remark.inputValue()).toBe('Reads a book a week.')
    await context.close()
  })
})
