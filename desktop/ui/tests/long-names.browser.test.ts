import { michaelmas, thisYear } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFits, picture, sizes } from './browser.ts'
import { headlessPath } from './chromium.ts'
import { siteInBrowser } from './site.ts'

const LONG = 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogochiauspringfieldshire'

describe.skipIf(!headlessPath)('names of one word that is wider than a telephone', () => {
  const { site, open } = siteInBrowser()
  const pages: Record<string, string> = {}
  beforeAll(async () => {
    const head = await site.as('okafor')
    const group = await head.classes.create({ body: { name: LONG, academicYearId: thisYear.id } })
    const subject = await head.subjects.create({ body: { name: LONG, code: 'LONG' } })
    const pupil = await head.students.create({ body: { firstName: LONG, lastName: LONG, gender: 'female' } })
    const absent = await head.students.create({ body: { firstName: 'فاطمة الزهراء', lastName: 'بن عبد الله الحسيني', gender: 'female' } })
    await head.classes.enrollBulk({ params: { id: group.id }, body: { studentIds: [pupil.id, absent.id] } })
    const of = { termId: michaelmas.id, subjectId: subject.id, studentGroupId: group.id }
    const assessment = await head.assessments.create({ body: { ...of, title: LONG, assessmentType: 'exam', maxScore: 100 } })
    await head.grades.create({ body: { assessmentId: assessment.id, studentId: pupil.id, score: 61 } })
    const { reports } = await head.reports.generate({
      body: { studentGroupId: group.id, termId: michaelmas.id, reportType: 'term' },
    })
    Object.assign(pages, {
      today: '/',
      marks: '/marks',
      grid: `/marks/${group.id}/${subject.id}`,
      attendance: `/attendance/${group.id}?day=2025-11-17`,
      assessments: `/assessments?subject=${subject.id}`,
      results: `/results/${group.id}`,
      summary: `/results/${group.id}?view=summary`,
      pupil: `/results/${group.id}/students/${pupil.id}`,
      books: `/reports/${group.id}`,
      check: `/reports/${group.id}?view=check`,
      book: `/reports/book/${reports[0]?.id}`,
      overview: '/overview',
      classes: '/classes',
      class: `/classes/${group.id}`,
      student: `/students/${pupil.id}`,
      students: '/students?search=Llan',
      subjects: '/subjects',
    })
  })
  const opened = async (size: 'pc' | 'phone') => {
    const window = await open('okafor', '/subjects', { viewport: sizes[size] })
    await window.page.evaluate((id) => sessionStorage.setItem('markbook.term', id), michaelmas.id)
    return window
  }
  /** Elements whose content is cut off, and headings that are covered by the actions of the page. */
  const hidden = (page: Page) =>
    page.evaluate(() => {
      const heading = document.querySelector('h1')?.getBoundingClientRect()
      const covered = [...document.querySelectorAll('main header button, main header a, main header select')].filter((control) => {
        const { left, right, top, bottom } = control.getBoundingClientRect()
        return heading && left < heading.right && right > heading.left && top < heading.bottom && bottom > heading.top
      })
      return { covered: covered.length, heading: (heading?.right ?? 0) <= innerWidth }
    })

  test('no page is wider than the window, and no title is under a button', async () => {
    for (const size of ['phone', 'pc'] as const) {
      const { context, page, faults } = await opened(size)
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(`${site.url}${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.waitForLoadState('networkidle')
        if (size === 'phone') await expectFits(page)
        const over = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        expect(await over(), `${name} ${size}`).toBeLessThanOrEqual(0)
        expect(await hidden(page), `${name} ${size}`).toEqual({ covered: 0, heading: true })
        await picture(page, `long-${name}-${size}`)
      }
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('a long name wraps within its own column: tables of pupils, classes and books are no wider than their place', async () => {
    const { context, page, faults } = await opened('pc')
    for (const name of ['students', 'classes', 'class', 'books'] as const) {
      await page.goto(`${site.url}${pages[name]}`)
      await page.getByRole('row', { name: new RegExp(LONG) }).waitFor()
      const table = page.getByRole('group').filter({ has: page.getByRole('row', { name: new RegExp(LONG) }) })
      const measure = () =>
        table.evaluate((box, long) => {
          const cells = [...box.querySelectorAll('tbody :is(th, td)')].filter((cell) => cell.textContent?.includes(long))
          return { over: box.scrollWidth - box.clientWidth, widest: Math.max(...cells.map((cell) => cell.getBoundingClientRect().width)) }
        }, LONG)
      // A column is wider until the others have their content.
      await expect.poll(async () => (await measure()).widest, { message: name }).toBeLessThan(560)
      expect((await measure()).over, name).toBe(0)
    }
    expect(faults).toEqual([])
    await context.close()
  })

  test('in a dialog on a telephone no choice is wider than the dialog', async () => {
    const { context, page, faults } = await opened('phone')
    for (const [path, button] of [
      ['/classes', 'Add a class'],
      [pages['class'], 'Give subjects to several'],
      [pages['class'], 'Enrol pupils'],
    ]) {
      await page.goto(`${site.url}${path}`)
      await page.getByRole('button', { name: button as string }).click()
      const dialog = page.getByRole('dialog')
      await dialog.locator('fieldset label').last().waitFor()
      const over = await dialog.evaluate((box) =>
        Math.max(...[...box.querySelectorAll('fieldset, label, label > *')].map((one) => one.getBoundingClientRect().right)),
      )
      expect(over, button).toBeLessThanOrEqual((await dialog.boundingBox().then((box) => box && box.x + box.width)) ?? 0)
      await picture(page, `long-dialog-${button}`)
    }
    expect(faults).toEqual([])
    await context.close()
  })
})
