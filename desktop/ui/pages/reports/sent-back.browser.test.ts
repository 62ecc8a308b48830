import { people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const params = { id: draftReport.id }
const reason = 'The remark names another pupil.\nPlease read it again.'
const inArabic = 'الملاحظة لتلميذ آخر.'

describe.skipIf(!headlessPath)('a report book that is sent back', () => {
  const { site, open } = siteInBrowser()
  const head = () => site.as('okafor')
  const opened = async (who: 'okafor' | 'byrne', path: string) => {
    const window = await open(who, '/')
    await window.context.addInitScript(
      (term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term),
      michaelmas.id,
    )
    await window.page.goto(`${site.url}${path}`)
    return window
  }
  const bookPath = `/reports/book/${params.id}`
  const noticeOf = (page: Page) => page.getByRole('status').filter({ hasText: 'sent this book back on' })

  test('the head gives the reason; the class teacher reads it and changes the report book, which then waits for the head', async () => {
    await (await head()).schools.updateMine({ body: { approvesReports: true } })
    const { page, context, faults } = await opened('okafor', bookPath)
    await page.getByRole('button', { name: 'Send back' }).click()
    const dialog = page.getByRole('dialog', { name: /^Send back the report book of Élan/ })
    await dialog.getByRole('button', { name: 'Send back' }).click()
    await dialog.getByText('Please fill this in').waitFor()
    await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason)
    await expectForEverybody(page)
    await picture(page, 'sent-back-dialog-pc')
    await dialog.getByRole('button', { name: 'Send back' }).click()
    await dialogsClosed(page)
    await noticeOf(page).getByText('Once it says something else, it waits for approval again.').waitFor()
    await page.getByText('sent back', { exact: true }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'sent-back-head-pc')

    const own = await opened('byrne', '/')
    await own.page.getByText('1 report book came back: Élan Ó Briain').waitFor()
    await picture(own.page, 'sent-back-today-pc')
    await own.page.getByRole('link', { name: 'To the book' }).click()
    await noticeOf(own.page).getByText('Please read it again.').waitFor()
    await noticeOf(own.page).getByText(`${people.okafor.first_name} ${people.okafor.last_name} sent this book back on`).waitFor()
    expect(await own.page.getByRole('button', { name: 'Do not send it back' }).count()).toBe(0)
    await expectForEverybody(own.page)
    await picture(own.page, 'sent-back-book-pc')
    await own.page.setViewportSize(sizes.phone)
    await expectFits(own.page)
    await picture(own.page, 'sent-back-book-phone')
    await own.page.setViewportSize(sizes.pc)

    // In the form of the class the reason is beside its pupil, also in the forms of the subjects.
    await own.page.goto(`${site.url}/reports/${class3B.id}?view=fill`)
    const rowOf = (label: string) => own.page.getByRole('listitem').filter({ has: own.page.getByLabel(label) })
    await rowOf('Conduct: Élan Ó Briain').getByText('Please read it again.').waitFor()
    expect(await own.page.getByText('Sent back on').count()).toBe(1)
    await expectForEverybody(own.page)
    await picture(own.page, 'sent-back-fill-pc')
    await own.page.setViewportSize(sizes.phone)
    await expectFits(own.page)
    await picture(own.page, 'sent-back-fill-phone')
    await own.page.setViewportSize(sizes.pc)
    await own.page.getByLabel('Fill in').selectOption('English')
    await rowOf('Remark: Élan Ó Briain').getByText('Please read it again.').waitFor()
    expect(await own.page.getByText('Sent back on').count()).toBe(1)
    await picture(own.page, 'sent-back-fill-subject-pc')
    await own.page.goto(`${site.url}${bookPath}`)

    // The overview and the list of report books show who must act.
    await page.goto(`${site.url}/overview`)
    await page.getByText('1 sent back').waitFor()
    expect(await page.getByRole('button', { name: 'Approve the books of 3B' }).count()).toBe(0)
    await expectForEverybody(page)
    await picture(page, 'sent-back-overview-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await page.setViewportSize(sizes.pc)
    await page.goto(`${site.url}/reports/${class3B.id}`)
    await page.getByRole('table').getByText('sent back', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^Approve \d/ }).count()).toBe(0)
    await picture(page, 'sent-back-list-pc')

    await own.page.getByLabel('Conduct: Élan Ó Briain').fill('Good')
    await own.page.keyboard.press('Enter')
    await noticeOf(own.page).getByText('It was changed since, and waits for approval again.').waitFor()
    await own.page.getByText('changed since it was sent back').waitFor()
    await picture(own.page, 'sent-back-changed-pc')
    await own.page.goto(site.url)
    await own.page.getByText('Your marks in Michaelmas').waitFor()
    await own.page.waitForLoadState('networkidle')
    expect(await own.page.getByText('came back').count()).toBe(0)

    await page.goto(`${site.url}/overview`)
    await page.getByRole('button', { name: 'Approve the books of 3B' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve 1 book' }).press('Enter')
    await page.getByText('1 book is approved.').waitFor()
    expect(await (await head()).reports.get({ params })).toMatchObject({ approved_by: people.okafor.id, sent_back_reason: null })
    expect([...faults, ...own.faults]).toEqual([])
    await own.context.close()
    await context.close()
  })

  test('one that was not changed since is left out when the others of the class are approved', async () => {
    const okafor = await head()
    await okafor.schools.updateMine({ body: { approvesReports: true } })
    const byrne = await site.as('byrne')
    const { reports } = await byrne.reports.generate({
      body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' },
    })
    const other = reports.find(({ id, status }) => id !== params.id && status === 'draft')?.id ?? ''
    await byrne.reports.update({ params: { id: other }, body: { classTeacherRemark: 'A good term.' } })
    await okafor.reports.approve({ params, body: { isApproved: false, reason } })
    const { page, context, faults } = await opened('okafor', `/reports/${class3B.id}`)
    await page.getByRole('button', { name: 'Approve 1 book' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve the report books?' })
    await dialog.getByText('1 more was sent back and is not changed since; it stays as it is.').waitFor()
    await dialog.getByRole('button', { name: 'Approve 1 book' }).press('Enter')
    await page.getByText('1 book is approved.').waitFor()
    expect((await okafor.reports.get({ params })).sent_back_reason).toBe(reason)
    expect((await okafor.reports.get({ params: { id: other } })).approved_by).toBe(people.okafor.id)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a head who has read an older version sees that, keeps what was typed, and can take the report book back', async () => {
    const okafor = await head()
    await okafor.schools.updateMine({ body: { approvesReports: true } })
    await okafor.reports.approve({ params, body: { isApproved: false } })
    const { page, context, faults } = await opened('okafor', bookPath)
    await page.getByRole('button', { name: 'Send back' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason)
    await (await site.as('byrne')).reports.update({ params, body: { conduct: 'Very good' } })
    await dialog.getByRole('button', { name: 'Send back' }).click()
    await dialog.getByText('This report was changed since you looked at it.').waitFor()
    // A second press does not do it either: it must be read first.
    await dialog.getByRole('button', { name: 'Send back' }).click()
    await dialog.getByText('This report was changed since you looked at it.').waitFor()
    expect((await okafor.reports.get({ params })).sent_back_at).toBeNull()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialogsClosed(page)
    await page.getByRole('button', { name: 'Send back' }).click()
    expect(await dialog.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe(reason)
    await dialog.getByRole('button', { name: 'Send back' }).click()
    await dialogsClosed(page)
    // Another administrator gives a reason meanwhile.
    const own = page.getByRole('button', { name: 'Do not send it back' })
    await own.waitFor()
    await okafor.reports.approve({ params, body: { isApproved: false, reason: `${reason}\n${inArabic}` } })
    await own.click()
    await page.getByText('This report was changed since you looked at it.').first().waitFor()
    const arabic = noticeOf(page).getByText(inArabic)
    await arabic.waitFor()
    expect(await endOfLine(arabic, inArabic)).toBe('left')
    expect(await endOfLine(arabic, 'Please read it again.')).toBe('right')
    await picture(page, 'sent-back-arabic-pc')
    await own.click()
    await noticeOf(page).waitFor({ state: 'detached' })
    expect((await okafor.reports.get({ params })).sent_back_reason).toBeNull()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a double click on «Approve», or a held Enter, does not withdraw the approval', async () => {
    const okafor = await head()
    await okafor.schools.updateMine({ body: { approvesReports: true } })
    await okafor.reports.approve({ params, body: { isApproved: false } })
    const { page, context, faults } = await opened('okafor', bookPath)
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.hover()
    await page.mouse.down()
    await page.mouse.up()
    const back = page.getByRole('button', { name: 'Take the approval back' })
    await back.waitFor()
    await back.hover()
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    await page.waitForTimeout(500)
    expect((await okafor.reports.get({ params })).approved_by).toBe(people.okafor.id)
    // A separate press counts.
    await back.click()
    await approve.waitFor()
    expect((await okafor.reports.get({ params })).approved_by).toBeNull()
    await approve.focus()
    await page.keyboard.down('Enter')
    await back.waitFor()
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await page.waitForTimeout(500)
    expect((await okafor.reports.get({ params })).approved_by).toBe(people.okafor.id)
    expect(faults).toEqual([])
    await context.close()
  })
})

/** At which end of a line of text its last sign is painted. */
const endOfLine = (place: Locator, line: string) =>
  place.evaluate((element, words) => {
    const text = element.firstChild as Text
    const from = text.data.indexOf(words)
    const boxOf = (start: number, end: number) => {
      const range = document.createRange()
      range.setStart(text, start)
      range.setEnd(text, end)
      return range.getBoundingClientRect()
    }
    const [whole, last] = [boxOf(from, from + words.length), boxOf(from + words.length - 1, from + words.length)]
    return last.left - whole.left < whole.right - last.right ? 'left' : 'right'
  }, line)
