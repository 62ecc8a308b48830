import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { catchPost } from '../../tests/post.ts'
import { siteInBrowser } from '../../tests/site.ts'

const ofMichaelmas = { termId: michaelmas.id, reportType: 'term' as const }
const inMichaelmas = (context: BrowserContext) =>
  context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)

describe.skipIf(!headlessPath)('the overview of a term', () => {
  const { site, browser, open } = siteInBrowser()

  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: new RegExp(name) }) })
  const opened = async (options: Parameters<typeof openWindow>[1] = {}, path = '/overview') => {
    const { context, page, faults } = await openWindow(browser, options)
    await inMichaelmas(context)
    await site.signIn(context, 'okafor')
    await page.goto(`${site.url}${path}`)
    await page.getByRole('rowheader').first().waitFor()
    return { context, page, faults }
  }

  test('without mail the head sees who is behind, and copies the text of a reminder', async () => {
    catchPost(site, { kind: 'console' })
    const { context, page, faults } = await opened()
    await page.getByRole('button', { name: 'Texts of 3 reminders' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reminders to copy' })
    await dialog.getByText('This server sends no mail').waitFor()
    // Colleagues cannot open a loopback address.
    await dialog.getByText('an address that answers on the server’s computer alone').waitFor()
    expect(await dialog.innerText()).toContain('- 3B, Mathematics: 1 of 18 marks is missing')
    await expectForEverybody(page)
    await picture(page, 'overview-no-mail-pc')
    await dialog.getByRole('button', { name: 'Copy the text for Ada Nowak' }).click()
    await page.getByText('The text is copied.').waitFor()
    site.running().node.services.presence = { urls: () => ['https://192.168.1.20:3000'] }
    await page.reload()
    await page.getByRole('button', { name: 'Texts of 3 reminders' }).click()
    await dialog.getByText('https://192.168.1.20:3000').first().waitFor()
    expect(await dialog.innerText()).not.toMatch(/localhost|127\.0\.0\.1|this computer alone/)
    // A row about one subject does not count subjects.
    await page.goto(`${site.url}/overview?view=subjects`)
    await page.getByRole('combobox', { name: 'Term', exact: true }).selectOption({ label: 'Trinity' })
    await page.getByText('no assessment yet').first().waitFor()
    expect(await page.getByRole('table').innerText()).not.toContain('without an assessment')
    expect(faults).toEqual([])
    await context.close()
  })

  test('the head sees the steps of each class, filters missing work, and follows links to it', async () => {
    const { outbox } = catchPost(site)
    const { context, page, faults } = await opened()
    expect(await rowOf(page, '3B').innerText()).toContain('34 of 36')
    expect(await rowOf(page, '3B').innerText()).toContain('Cathal Byrne')
    await expectForEverybody(page)
    await picture(page, 'overview-pc')
    const first = () => page.getByRole('rowheader').first().innerText()
    expect(await first()).toContain('3A')
    await page.getByRole('button', { name: 'Class' }).click()
    await expect.poll(first).toContain('3B')
    expect(await page.getByRole('columnheader', { name: 'Class' }).getAttribute('aria-sort')).toBe('descending')
    await page.getByRole('button', { name: 'Marks', exact: true }).click()
    await expect.poll(first).toContain('3A')

    await rowOf(page, '3B').getByRole('link', { name: '34 of 36' }).click()
    await page.getByText('Mathematics').waitFor()
    expect(await page.getByRole('rowheader').count()).toBe(3)
    await page.getByLabel('Only what is missing').check()
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(2)
    await expectForEverybody(page)
    await picture(page, 'overview-subjects-pc')
    await page.getByRole('button', { name: 'Remind of Mathematics in 3B' }).click()
    await page.getByText('A mail goes to Ada Nowak.').waitFor()
    await page.getByText('reminded today').first().waitFor()
    expect(outbox.map(({ to }) => to)).toEqual([people.ada.email])

    await page.getByRole('button', { name: 'Remind all who are behind' }).click()
    const ask = page.getByRole('dialog', { name: 'Remind all who are behind?' })
    await ask.getByText('2 people').first().waitFor()
    await ask.getByText('1 more was reminded within a day.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'overview-remind-pc')
    await ask.getByRole('button', { name: 'Remind 2 people' }).press('Enter')
    await page.getByText('2 mails leave.').waitFor()
    await dialogsClosed(page)
    expect(outbox).toHaveLength(3)

    await page.getByRole('link', { name: '17 of 18' }).click()
    await page.waitForURL(`**/marks/${class3B.id}/*`)
    expect(faults).toEqual([])
    await context.close()
  })

  test('with approvals on, the head approves report books from the overview and from a book', async () => {
    const head = await site.as('okafor')
    const { context, page, faults } = await opened({}, '/overview')
    await page.goto(`${site.url}/school`)
    // Not `check`, which tests the state at once: the box is checked a moment later.
    await page.getByLabel('An administrator approves report books before they are published').click()
    await page.getByText('Report books are approved before they are published.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'overview-school-setting-pc')

    const byrne = await site.as('byrne')
    const params = { id: draftReport.id }
    expect(await byrne.reports.publish.raw({ params })).toMatchObject({ status: 409 })
    const own = await open('byrne', '/')
    await inMichaelmas(own.context)
    await own.page.goto(`${site.url}/reports/${class3B.id}`)
    await own.page.getByText('A book is published once an administrator has approved it.').waitFor()
    await page.goto(site.url)
    await page.getByText('1 report book waits for your approval:').waitFor()
    await page.getByRole('link', { name: 'To the overview' }).click()
    // Without a report book there is nothing to approve.
    expect(await page.getByRole('row', { name: /^3A/ }).locator('th, td').nth(4).innerText()).toBe('–')
    await page.getByRole('button', { name: 'Approve the books of 3B' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve the report books?' })
    await dialog.getByRole('button', { name: 'Approve 1 book' }).press('Enter')
    await page.getByText('1 book is approved.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'overview-approved-pc')
    await page.getByRole('button', { name: 'Close' }).press('Enter')
    await dialogsClosed(page)
    expect((await head.reports.get({ params })).approved_by).toBe(people.okafor.id)

    await page.goto(`${site.url}/reports/book/${params.id}`)
    await page.getByText('approved', { exact: true }).waitFor()
    // Her own change withdraws the approval; she can approve again without a reload.
    await page.getByLabel('Conduct: Élan Ó Briain').fill('Good')
    await page.keyboard.press('Enter')
    await page.getByText('waits for approval').waitFor()
    expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0)
    await picture(page, 'overview-book-waits-pc')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('approved', { exact: true }).waitFor()

    // A report book that was changed since the page was opened is not approved unread.
    await page.getByRole('button', { name: 'Take the approval back' }).click()
    await page.getByText('waits for approval').waitFor()
    await byrne.reports.update({ params, body: { classTeacherRemark: 'Another word.' } })
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('This report was changed since you looked at it.').first().waitFor()
    expect((await head.reports.get({ params })).approved_at).toBeNull()

    // A published report book that was changed since is not sent with the others.
    const { reports } = await byrne.reports.generate({ body: { ...ofMichaelmas, studentGroupId: class3B.id } })
    const other = reports.find(({ id, status }) => id !== params.id && status === 'draft')?.id ?? ''
    for (const id of [params.id, other]) {
      await byrne.reports.update({ params: { id }, body: { classTeacherRemark: 'A good term.' } })
      await head.reports.approve({ params: { id }, body: { isApproved: true } })
      await byrne.reports.publish({ params: { id } })
    }
    await byrne.reports.update({ params: { id: other }, body: { classTeacherRemark: 'A very good term.' } })
    await own.page.reload()
    await own.page.getByRole('button', { name: 'Close 1 book for good' }).click()
    await own.page.getByRole('dialog').getByText('1 more is not approved yet and stays as it is.').waitFor()
    expect(own.faults).toEqual([])
    await own.context.close()
    await head.schools.updateMine({ body: { approvesReports: null } })
    expect(faults).toEqual([])
    await context.close()
  })

  test('shows the classes whose report books are older than the marks', async () => {
    const byrne = await site.as('byrne')
    await byrne.reports.generate({ body: { ...ofMichaelmas, studentGroupId: class3B.id } })
    const { context, page, faults } = await opened()
    expect(await rowOf(page, '3B').innerText()).not.toContain('older')
    const ada = await site.as('ada')
    await ada.grades.update({ params: { id: naturalId('grade', mathsExam.id, zoe.id) }, body: { score: 1 } })
    await page.reload()
    await rowOf(page, '3B').getByText('older than the marks').waitFor()
    await expectForEverybody(page)
    await picture(page, 'overview-outdated-pc')
    await rowOf(page, '3B')
      .getByRole('link', { name: /older than the marks/ })
      .click()
    await page.getByRole('button', { name: 'Bring up to date' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Bring up to date' }).press('Enter')
    await dialogsClosed(page)
    await page.goBack()
    await rowOf(page, '3B').waitFor()
    await expect.poll(async () => await rowOf(page, '3B').innerText()).not.toContain('older')
    expect(faults).toEqual([])
    await context.close()
  })

  test('fits a telephone and 200 % zoom, in dark mode', async () => {
    await (await site.as('okafor')).schools.updateMine({ body: { approvesReports: true } })
    const { context, page } = await opened({ viewport: sizes.phone, colorScheme: 'dark' })
    for (const path of ['/overview', '/overview?view=subjects']) {
      await page.goto(`${site.url}${path}`)
      await page.getByRole('rowheader').first().waitFor()
      await expectForEverybody(page)
      await expectFits(page)
      await picture(page, path === '/overview' ? 'overview-phone' : 'overview-subjects-phone')
      await page.setViewportSize({ width: 683, height: 384 })
      await expectFits(page)
      await page.setViewportSize(sizes.phone)
    }
    await page.setViewportSize(sizes.pc)
    await page.goto(`${site.url}/overview`)
    await page.getByRole('rowheader').first().waitFor()
    await picture(page, 'overview-dark-pc')
    await context.close()
  })

  test('a teacher does not have the page in the menu, and gets nothing at its address', async () => {
    const { context, page } = await open('byrne', '/overview')
    await page.getByText('This page is for the administrators of the school.').waitFor()
    expect(await page.getByRole('link', { name: 'Term overview' }).count()).toBe(0)
    await context.close()
  })

  test('in French has no English words', async () => {
    const { context, page } = await opened({ locale: 'fr-FR' })
    const shown = await page.locator('main').innerText()
    expect(shown).toContain('Suivi de la période')
    expect(shown).not.toMatch(/Remind|Marks|Books|missing/)
    await context.close()
  })

  test('marks that are missing in closed books are counted apart, since such a class counts as complete', async () => {
    const okafor = await site.as('okafor')
    await okafor.schools.updateMine({ body: { approvesReports: false } })
    const { reports } = await okafor.reports.generate({ body: { studentGroupId: class3B.id, ...ofMichaelmas } })
    for (const { id, status } of reports) {
      if (status === 'draft') await okafor.reports.publish({ params: { id } })
      if (status !== 'sent_to_ministry') await okafor.reports.sendToMinistry({ params: { id } })
    }
    const { context, page, faults } = await opened()
    await page.getByText(/^\d+ more in closed books$/).waitFor()
    await rowOf(page, '3B')
      .getByText(/^\d+ missing in closed books$/)
      .waitFor()
    await expectForEverybody(page)
    await picture(page, 'overview-closed-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    expect(faults).toEqual([])
    await context.close()
  })
})
