import { michaelmas } from '@markbook/shared/story/school-year'
import type { Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectFits, expectForEverybody, expectStill, openWindow, picture, sizes, watchShifts } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const list = (page: Page) => page.getByRole('region', { name: 'First steps' })
/** Whether each step is done, in order. */
const ticks = (page: Page) =>
  list(page)
    .locator('li[data-done]')
    .evaluateAll((steps) => steps.map((step) => step.getAttribute('data-done') === 'true'))
/** Delays a reply on which the steps depend until the rest of the page is there. */
const late = async (route: Route) => {
  await new Promise((resolve) => setTimeout(resolve, 600))
  await route.continue()
}
const bringBack = async (page: Page) => {
  await page.getByRole('button', { name: 'Help: Today' }).press('Enter')
  await page.getByRole('button', { name: 'Show the first steps' }).press('Enter')
  await list(page).waitFor()
}

describe.skipIf(!headlessPath)('the first steps', () => {
  const { site, browser } = siteInBrowser({ env: { DEDICATED: 'false', OPEN_FOUNDING: 'true' } })

  test.each([
    ['pc', sizes.pc],
    ['phone', sizes.phone],
  ] as const)('come with the page: on a %s nothing that was painted is pushed down', async (name, viewport) => {
    const { context, page } = await openWindow(browser, { viewport })
    await watchShifts(context)
    await site.signIn(context, 'ada')
    await page.route(/\/api\/classes\?/, late)
    await page.goto(site.url)
    await page.getByRole('combobox', { name: 'Term', exact: true }).selectOption({ label: 'Trinity' })
    await page.reload()
    await list(page).waitFor()
    await page.waitForLoadState('networkidle')
    await picture(page, `first-steps-still-${name}`)
    await expectStill(page, 0.02)
    await context.close()
  })

  test('lead the administrator of an empty school to each page, and are checked when done', async () => {
    const head = await site.as('nobody')
    await head.auth.onboard({ body: { firstName: 'Niall', lastName: 'Ó Sé' } })
    await head.schools.create({ body: { name: 'Scoil Mhuire', schoolType: 'secondary', starterSubjects: false } })
    const { context, page, faults } = await openWindow(browser)
    await watchShifts(context)
    await page.route('**/api/schools/members?*', late)
    await site.signIn(context, 'nobody')
    await page.goto(site.url)
    await list(page).waitFor()
    expect(await ticks(page)).toEqual([false, false, false, false, false])
    await page.waitForLoadState('networkidle')
    await expectStill(page, 0.02)
    await page.unroute('**/api/schools/members?*')
    await expectForEverybody(page)
    await picture(page, 'first-steps-empty')
    /** Follows the one primary link, does the work, and comes back. */
    const walk = async (name: string, path: string, work: () => Promise<unknown>) => {
      await list(page).getByRole('link', { name }).click()
      await expect.poll(() => new URL(page.url()).pathname).toBe(path)
      await work()
      await page.goto(site.url)
      await list(page).waitFor()
    }
    let year = { id: '' }
    await walk('Do it: the school year', '/years', async () => {
      // One request makes the first year with its terms, and activates it.
      const asked: string[] = []
      page.on('request', (request) => ['POST', 'PATCH'].includes(request.method()) && asked.push(new URL(request.url()).pathname))
      await page.getByRole('button', { name: 'Add a year' }).click()
      await page.getByLabel('Name').fill('2026/27')
      await page.getByLabel('First day').fill('2026-09-01')
      await page.getByLabel('Last day').fill('2027-06-30')
      await page.getByLabel('Terms of the year').selectOption('Semester 1 and Semester 2')
      await page.getByLabel('Semester 1: to', { exact: true }).fill('2027-01-29')
      await expectForEverybody(page)
      await page.getByRole('button', { name: 'Save' }).scrollIntoViewIfNeeded()
      await picture(page, 'first-year-terms')
      await page.getByRole('button', { name: 'Save' }).click()
      await dialogsClosed(page)
      expect(asked).toEqual(['/api/academic-years'])
      year = await head.academicYears.active()
      const made = await head.terms.list({ query: { yearId: year.id } })
      expect(made.map(({ name, start_date, end_date }) => [name, start_date, end_date])).toEqual([
        ['Semester 1', '2026-09-01', '2027-01-29'],
        ['Semester 2', '2027-01-31', '2027-06-30'],
      ])
      // The step of the terms is shown for a year without terms.
      for (const { id } of made) await head.terms.remove({ params: { id } })
    })
    let term = { id: '' }
    await walk('Do it: the terms', '/years', async () => {
      await page.setViewportSize({ width: 360, height: 640 })
      await page.getByRole('button', { name: /^Quarter 1/ }).waitFor()
      await expectFits(page)
      await page.setViewportSize(sizes.pc)
      const body = { academicYearId: year.id, name: 'michaelmas' as const, startDate: '2026-09-01', endDate: '2026-12-18' }
      term = await head.terms.create({ body: { ...body, examWeight: 60, courseworkWeight: 40 } })
    })
    expect(await ticks(page)).toEqual([true, false, false, false, false])
    let subject = { id: '' }
    await walk('Do it: subjects', '/subjects', async () => {
      subject = await head.subjects.create({ body: { name: 'Mathematics', code: 'MA' } })
    })
    // Every page that needs a class tells the head that there is none, and leads to where it is added.
    for (const path of ['/marks', '/attendance', '/assessments', '/results', '/reports', '/overview']) {
      await page.goto(`${site.url}${path}`)
      await page.getByText('There is no class in 2026/27 yet.').waitFor()
      await page.getByRole('main').getByRole('link', { name: 'Add the first class' }).waitFor()
    }
    await page.goto(site.url)
    let group = { id: '' }
    await walk('Do it: classes', '/classes', async () => {
      group = await head.classes.create({ body: { academicYearId: year.id, name: '1A' } })
    })
    expect(await ticks(page)).toEqual([true, true, false, false, false])
    await page.goto(`${site.url}/classes/${group.id}`)
    await page.getByRole('button', { name: 'Enrol pupils' }).click()
    await page.getByText('The school has no pupils yet.').waitFor()
    await page.getByRole('link', { name: 'To the pupils' }).click()
    await page.waitForURL(/\/students$/)
    await page.goto(site.url)
    let pupil = { id: '' }
    await walk('Do it: pupils', '/students', async () => {
      pupil = await head.students.create({ body: { firstName: 'Áine', lastName: 'Byrne', gender: 'female' } })
      await head.classes.enroll({ params: { id: group.id }, body: { studentId: pupil.id } })
    })
    expect(await ticks(page)).toEqual([true, true, true, false, false])
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'first-steps-phone')
    await page.setViewportSize(sizes.pc)
    await walk('Do it: the first marks', '/marks', async () => {
      const body = { termId: term.id, subjectId: subject.id, title: 'Test', assessmentType: 'exam' as const, maxScore: 20 }
      const { id: assessmentId } = await head.assessments.create({ body })
      await head.grades.bulk({ body: { assessmentId, grades: [{ studentId: pupil.id, score: 15 }] } })
    })
    expect(await ticks(page)).toEqual([true, true, true, false, true])
    // An administrator who works alone can hide the last step, and gets it back from the help.
    await list(page).getByRole('button', { name: 'Put aside: first steps' }).press('Enter')
    await list(page).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await page.getByRole('region', { name: 'Marks of every class' }).waitFor()
    expect(await list(page).count()).toBe(0)
    await bringBack(page)
    await expectForEverybody(page)
    await picture(page, 'first-steps-again')
    expect(faults).toEqual([])
    await context.close()
  })

  test('a teacher has steps until marks are entered; they can be shown again from the help', async () => {
    const { context, page, faults } = await openWindow(browser)
    await context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)
    await site.signIn(context, 'ada')
    await page.goto(site.url)
    await page.getByRole('region', { name: 'Your marks in Michaelmas' }).waitFor()
    expect(await list(page).count()).toBe(0)
    await bringBack(page)
    expect(await ticks(page)).toEqual([true, true, true])
    await list(page).getByText('All of this is done.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'first-steps-teacher')
    await list(page).getByRole('button', { name: 'Put aside: first steps' }).click()
    // A later term without marks does not show them again.
    await page.getByLabel('Term').selectOption({ label: 'Trinity' })
    await page.getByRole('region', { name: 'Your marks in Trinity' }).waitFor()
    expect(await list(page).count()).toBe(0)
    await page.route(/\/api\/classes\/progress/, (route) => route.fulfill({ json: [] }))
    await page.goto(site.url)
    await bringBack(page)
    await page.getByRole('link', { name: 'Do it: the first assessment' }).click()
    await page.getByRole('button', { name: 'Add an assessment' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
