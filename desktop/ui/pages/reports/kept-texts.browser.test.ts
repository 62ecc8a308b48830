import { class3A, michaelmas } from '@markbook/shared/story/school-year'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { openSite, type Site } from '../../tests/site.ts'

const of3A = { studentGroupId: class3A.id, termId: michaelmas.id, reportType: 'term' as const }

describe.skipIf(!headlessPath)('texts of report books while the server is away', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    site = await openSite()
  })
  afterEach(async () => {
    await browser.close()
    await site.close()
  })

  const open = async (context: BrowserContext, path: string) => {
    const page = await context.newPage()
    page.setDefaultTimeout(45_000)
    await page.goto(`${site.url}${path}`)
    return page
  }
  /** Opens the form of the class, and waits until the browser has stored the app and the data. */
  const openForm = async () => {
    const quinn = await site.as('quinn')
    await quinn.reports.generate({ body: of3A })
    const opened = await openWindow(browser, { serviceWorkers: 'allow' })
    await opened.context.addInitScript(
      (term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term),
      michaelmas.id,
    )
    await site.signIn(opened.context, 'quinn')
    await opened.page.goto(`${site.url}/`)
    await opened.page.getByRole('heading', { name: 'Today' }).waitFor()
    await opened.page.evaluate(async () => void (await navigator.serviceWorker.ready))
    await opened.page.goto(`${site.url}/reports/${class3A.id}?view=fill`)
    await remarkOf(opened.page).waitFor()
    // Replies are stored a moment later.
    await opened.page.waitForTimeout(1_500)
    return { ...opened, quinn }
  }
  const remarkOf = (page: Page) => page.getByLabel('Remark: Fatima Haddad')
  const written = async (name = 'Fatima') =>
    (await (await site.as('okafor')).reports.list({ query: of3A })).find(({ student }) => student.first_name === name)

  test('that were saved are shown after a reload without the server', async () => {
    const { page } = await openForm()
    await remarkOf(page).fill('Asks good questions.')
    await remarkOf(page).press('Tab')
    await expect.poll(async () => (await written())?.class_teacher_remark).toBe('Asks good questions.')
    // Replies are stored a moment later.
    await page.waitForTimeout(1_500)
    await site.restart(async () => {
      await page.reload()
      await page.getByText('marks, attendance and remarks that you enter now wait on this device').waitFor()
      await expect.poll(() => remarkOf(page).inputValue()).toBe('Asks good questions.')
    })
  })

  test('survive a crash of their window, and are sent from another page once the server is back', async () => {
    const { context, page } = await openForm()
    let later: Page | undefined
    await site.restart(async () => {
      await remarkOf(page).fill('Asks good questions.')
      await page.getByLabel('Conduct: Oisín Kelly').fill('Helpful')
      await page.getByText('On this device, not saved yet').nth(1).waitFor()
      await page.getByText('2 texts of report books are on this device and not saved yet').waitFor()
      await picture(page, 'texts-away-pc')
      await expectForEverybody(page)
      await page.goto('chrome://crash').catch(() => {})
      await page.close({ runBeforeUnload: false })
      later = await open(context, '/')
      await later.getByText('2 texts of report books are on this device and not saved yet').waitFor()
      await picture(later, 'texts-away-today')
      // The form shows them as they were typed.
      await later.goto(`${site.url}/reports/${class3A.id}?view=fill`)
      await expect.poll(() => remarkOf(later as Page).inputValue(), { timeout: 45_000 }).toBe('Asks good questions.')
      await later.getByRole('link', { name: 'Today' }).click()
    })
    await expect.poll(async () => (await written())?.class_teacher_remark, { timeout: 60_000 }).toBe('Asks good questions.')
    await expect.poll(async () => (await written('Oisín'))?.conduct, { timeout: 60_000 }).toBe('Helpful')
    await later?.getByText('on this device and not saved yet').waitFor({ state: 'detached' })
  })

  test('that the browser cannot store are said to be in this window alone, by one notice', async () => {
    const { page } = await openForm()
    await page.evaluate(() => {
      const full = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
      IDBObjectStore.prototype.put = full
      Storage.prototype.setItem = full
    })
    await site.restart(async () => {
      await remarkOf(page).fill('Asks good questions.')
      await page.getByRole('banner').getByText('1 entry is in this window alone and not saved yet').waitFor()
      await page.getByText('What is not saved yet is in this window alone', { exact: false }).waitFor()
      expect(await page.getByText('1 text of a report book').count()).toBe(0)
      await page.getByRole('button', { name: 'Try now' }).first().waitFor()
    })
    await expect.poll(async () => (await written())?.class_teacher_remark, { timeout: 60_000 }).toBe('Asks good questions.')
  })

  test('are not shown to another person on the computer, and a sign-out asks first', async () => {
    const { context, page } = await openForm()
    await site.restart(async () => {
      await remarkOf(page).fill('Mine alone.')
      await page.getByText('On this device, not saved yet').waitFor()
      await page.getByRole('button', { name: /^Account of/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      const dialog = page.getByRole('dialog', { name: 'Sign out?' })
      await dialog.getByText('1 entry is on this device and not saved yet.').waitFor()
      await dialog.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(/\/sign-in/)
    })
    // The session ends once the server is back.
    await page.goto(`${site.url}/`)
    await page.getByLabel(/mail/i).waitFor()
    await expect.poll(async () => (await context.request.get(`${site.url}/api/auth/me`)).status()).toBe(401)
    await page.close({ runBeforeUnload: false })
    await context.clearCookies()
    await site.signIn(context, 'byrne')
    const theirs = await open(context, '/')
    await theirs.getByRole('heading', { name: 'Today' }).waitFor()
    await theirs.waitForTimeout(2_000)
    expect(await theirs.getByText('on this device').count()).toBe(0)
    expect((await written())?.class_teacher_remark).toBe(null)
    await theirs.close()
    await context.clearCookies()
    await site.signIn(context, 'quinn')
    await open(context, '/')
    await expect.poll(async () => (await written())?.class_teacher_remark, { timeout: 60_000 }).toBe('Mine alone.')
  })

  test('do not overwrite what somebody else wrote meanwhile: the page of the report book asks', async () => {
    const { context, page } = await openForm()
    await site.restart(async () => {
      await remarkOf(page).fill('Mine.')
      await page.getByText('On this device, not saved yet').waitFor()
      await page.close({ runBeforeUnload: false })
    })
    const book = await written()
    const params = { id: book?.id ?? '' }
    await (await site.as('okafor')).reports.update({ params, body: { classTeacherRemark: 'The head’s words.' } })
    const next = await open(context, '/')
    await next.getByText('1 text of a report book waits for your decision.').waitFor()
    await picture(next, 'texts-asked-today')
    expect((await written())?.class_teacher_remark).toBe('The head’s words.')
    await next.getByRole('link', { name: 'Report book of Fatima Haddad' }).click()
    await next.getByText('somebody else has written «The head’s words.» since', { exact: false }).waitFor()
    expect(await remarkOf(next).inputValue()).toBe('Mine.')
    await expectForEverybody(next)
    await picture(next, 'texts-asked-pc')
    await next.setViewportSize(sizes.phone)
    await expectFits(next)
    await picture(next, 'texts-asked-phone')
    await next.getByRole('button', { name: 'Write mine' }).click()
    await expect.poll(async () => (await written())?.class_teacher_remark).toBe('Mine.')
    await next.getByText('✓ Saved').waitFor()

    // The same while both are online.
    await (await site.as('okafor')).reports.update({ params, body: { classTeacherRemark: 'Once more.' } })
    await remarkOf(next).fill('Mine again.')
    await next.getByRole('button', { name: 'Leave theirs' }).click()
    await expect.poll(() => remarkOf(next).inputValue()).toBe('Once more.')
    expect((await written())?.class_teacher_remark).toBe('Once more.')
  })
})
