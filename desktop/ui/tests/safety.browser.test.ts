import { grades, mathsQuiz, zoe } from '@markbook/shared/story/marks'
import { class3B, maths } from '@markbook/shared/story/school-year'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, openWindow } from './browser.ts'
import { headlessPath, NAME_OF_THIS_MACHINE } from './chromium.ts'
import { openSite, type Site } from './site.ts'

describe.skipIf(!headlessPath)('the security headers of a reply', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([openSite({ env: { ALLOWED_HOSTS: '' } }), openBrowser()])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  test('do not prevent the pages of the interface from working', async () => {
    const { context, page, faults } = await openWindow(browser)
    await page.goto(`${site.url}/docs`)
    await page.getByRole('link', { name: 'auth', exact: true }).click()
    await page.getByText('Send a one-time code by email').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('keep a page of a foreign host name, which resolves to this server, from reading replies', async () => {
    const { context, page } = await openWindow(browser)
    const reply = await page.goto(`http://${NAME_OF_THIS_MACHINE}:${site.running().port}/`)
    expect(reply?.status()).toBe(421)
    expect(await reply?.json()).toMatchObject({ code: 'misdirected_request' })
    await context.close()
  })

  test('forbid showing a page in a frame', async () => {
    const { context, page } = await openWindow(browser)
    await page.route('**/frame.html', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${site.url}/"></iframe><iframe src="${site.url}/docs"></iframe>` }),
    )
    await page.goto('http://other.localhost/frame.html')
    await expect.poll(() => page.frames().length).toBe(3)
    await page.waitForLoadState('networkidle')
    for (const frame of page.frames().slice(1)) expect(await frame.evaluate(() => document.title)).not.toMatch(/Markbook/)
    await context.close()
  })
})

describe.skipIf(!headlessPath)('markup in a name', () => {
  const PICTURE = '<img src=x onerror=alert(1)>'
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([openSite(), openBrowser()])
    const head = await site.as('okafor')
    const mark = grades.find(({ assessment_id, student_id }) => assessment_id === mathsQuiz.id && student_id === zoe.id)
    await head.students.update({ params: { id: zoe.id }, body: { firstName: PICTURE, lastName: PICTURE } })
    await head.classes.update({ params: { classId: class3B.id }, body: { name: PICTURE } })
    await head.subjects.update({ params: { id: maths.id }, body: { name: PICTURE } })
    await head.assessments.update({ params: { id: mathsQuiz.id }, body: { title: PICTURE } })
    await head.grades.update({ params: { id: mark?.id ?? '' }, body: { remarks: PICTURE } })
    await head.schools.updateMine({ body: { name: PICTURE } })
    await head.auth.updateProfile({ body: { firstName: PICTURE, lastName: PICTURE } })
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  test('is shown as text on every page: no script runs, no picture is loaded, and the policy reports nothing', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'okafor')
    const dialogs: string[] = []
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(page.url())
      void dialog.dismiss()
    })
    page.on('request', (request) => asked.push(request.url()))
    const paths = [
      '/',
      `/marks/${class3B.id}/${maths.id}`,
      '/assessments',
      '/classes',
      `/classes/${class3B.id}`,
      '/students',
      `/students/${zoe.id}`,
      `/results/${class3B.id}`,
      `/results/${class3B.id}/students/${zoe.id}`,
      `/reports/${class3B.id}`,
      '/subjects',
      '/people',
      '/audit',
    ]
    for (const path of paths) {
      await page.goto(`${site.url}${path}`)
      await expect.poll(() => page.locator('body').innerText(), { timeout: 15_000 }).toContain(PICTURE)
      await expect.poll(() => page.getByText('Loading …').count(), { timeout: 15_000 }).toBe(0)
      expect(await page.locator('img[src="x"], [onerror]').count()).toBe(0)
    }
    expect(dialogs).toEqual([])
    expect(
      asked.filter((url) => new URL(url).pathname.endsWith('/x') || !/^(blob|data|http:\/\/(localhost|127\.0\.0\.1))/.test(url)),
    ).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })
})
