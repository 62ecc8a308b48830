import { class3A, class3B, maths, michaelmas, trinity } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const of3A = { studentGroupId: class3A.id, termId: michaelmas.id, reportType: 'term' as const }
const of3B = { ...of3A, studentGroupId: class3B.id }
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))

describe.skipIf(!headlessPath)('filling in by keyboard', () => {
  const { site, browser } = siteInBrowser()

  test('goes to the next column after the last pupil, restores a deleted text, and says when there is no suggestion', async () => {
    const quinn = await site.as('quinn')
    const { context, page, faults } = await openWindow(browser)
    await context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)
    await site.signIn(context, 'quinn')
    await page.goto(`${site.url}/reports/${class3A.id}?view=fill`)
    await page.getByRole('button', { name: 'Make the report books' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make the report books' }).click()
    const remark = page.getByLabel('Remark: Oisín Kelly')
    await remark.press('Alt+ArrowDown')
    await page.getByText('No other remark was used here before.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'fill-nothing-before')
    await page.keyboard.type('Works well.')
    await expect.poll(() => page.getByText('No other remark was used here before.').count()).toBe(0)
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('Conduct: Fatima Haddad')
    await page.keyboard.press('Control+ArrowUp')
    await expect.poll(() => focused(page)).toBe('Remark: Oisín Kelly')
    await page.keyboard.press('Delete')
    await expect.poll(() => remark.inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await expect.poll(() => remark.inputValue()).toBe('Works well.')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('Attendance in percent: Fatima Haddad')
    await page.keyboard.type('97')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByLabel('Attendance in percent: Fatima Haddad').inputValue()).toBe('')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('Attendance in percent: Oisín Kelly')
    // A remark is suggested for the next pupil at once.
    await page.getByLabel('Remark: Fatima Haddad').press('Alt+ArrowDown')
    await page.getByRole('option', { name: 'Works well.' }).waitFor()
    const written = async () => (await quinn.reports.list({ query: of3A })).map(({ class_teacher_remark }) => class_teacher_remark)
    await expect.poll(written).toEqual([null, 'Works well.'])
    expect(faults).toEqual([])
    await context.close()
  })

  test('Esc takes no saved text away, in «Fill in» and on the page of a book, and closes the list of remarks alone', async () => {
    const quinn = await site.as('quinn')
    await quinn.reports.generate({ body: of3A })
    const [of, and] = await quinn.reports.list({ query: of3A })
    await quinn.reports.update({ params: { id: of?.id ?? '' }, body: { classTeacherRemark: 'Reads with joy.' } })
    await quinn.reports.update({
      params: { id: and?.id ?? '' },
      body: { classTeacherRemark: null, conduct: null, attendancePercentage: null },
    })
    const { context, page, faults } = await openWindow(browser)
    await context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)
    await site.signIn(context, 'quinn')
    const saved = page.getByRole('listitem').filter({ hasText: '✓ Saved' })
    const stored = async () => {
      const book = await quinn.reports.get({ params: { id: and?.id ?? '' } })
      return [book.class_teacher_remark, book.conduct, book.attendance_percentage]
    }

    await page.goto(`${site.url}/reports/${class3A.id}?view=fill`)
    const remark = page.getByLabel('Remark: Oisín Kelly')
    await remark.pressSequentially('Works well.')
    await saved.waitFor()
    await remark.press('Escape')
    expect(await remark.inputValue()).toBe('Works well.')
    // The list is of what was typed; Esc closes it and leaves the text, saved or not.
    await remark.press('Control+A')
    await page.keyboard.type('reads')
    await page.getByRole('option', { name: 'Reads with joy.' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('listbox').count()).toBe(0)
    expect(await remark.inputValue()).toBe('reads')
    await expect.poll(stored).toEqual(['reads', null, null])
    await saved.waitFor()
    await remark.press('Alt+ArrowDown')
    await page.getByRole('option', { name: 'Reads with joy.' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('listbox').count()).toBe(0)
    await page.keyboard.press('Escape')
    expect(await remark.inputValue()).toBe('reads')
    await remark.press('Control+A')
    await page.keyboard.type('Loud')
    await page.keyboard.press('Alt+ArrowDown')
    await page.getByText('None of the remarks used here before contains what you typed.').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByText('None of the remarks used here').count()).toBe(0)
    expect(await remark.inputValue()).toBe('Loud')
    await expect.poll(stored).toEqual(['Loud', null, null])

    await page.goto(`${site.url}/reports/book/${and?.id}`)
    const conduct = page.getByLabel('Conduct: Oisín Kelly')
    const attendance = page.getByLabel('Attendance in percent: Oisín Kelly')
    for (const [field, text] of [
      [remark, ' much'],
      [conduct, 'Good'],
      [attendance, '97'],
    ] as const) {
      const before = await stored()
      await field.press('End')
      await page.keyboard.type(text)
      await expect.poll(stored).not.toEqual(before)
      await saved.waitFor()
      await page.keyboard.press('Escape')
    }
    await page.reload()
    await expect
      .poll(() => Promise.all([remark, conduct, attendance].map((field) => field.inputValue())))
      .toEqual(['Loud much', 'Good', '97'])
    expect(await stored()).toEqual(['Loud much', 'Good', 97])
    expect(faults).toEqual([])
    await context.close()
  })

  test('on a telephone no keys are mentioned', async () => {
    const quinn = await site.as('quinn')
    await quinn.reports.generate({ body: of3A })
    const { context, page } = await openWindow(browser, { viewport: sizes.phone, hasTouch: true })
    await context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)
    await site.signIn(context, 'quinn')
    await page.goto(`${site.url}/reports/${class3A.id}?view=fill`)
    await page.getByLabel('Remark: Oisín Kelly').waitFor()
    expect(await page.getByText('Everything saves itself.').innerText()).toBe('Everything saves itself.')
    await context.close()
  })

  test('on a telephone Enter begins a new line of a remark, and a button goes on', async () => {
    const quinn = await site.as('quinn')
    await quinn.reports.generate({ body: of3A })
    const books = await quinn.reports.list({ query: of3A })
    for (const { id } of books) await quinn.reports.update({ params: { id }, body: { classTeacherRemark: null, conduct: null } })
    const { context, page, faults } = await openWindow(browser, { viewport: sizes.phone, hasTouch: true, isMobile: true })
    await context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)
    await site.signIn(context, 'quinn')
    const written = async () => (await quinn.reports.list({ query: of3A })).map((book) => [book.class_teacher_remark, book.conduct])

    await page.goto(`${site.url}/reports/${class3A.id}?view=fill`)
    const remark = page.getByLabel('Remark: Fatima Haddad')
    await remark.tap()
    expect(await remark.getAttribute('enterkeyhint')).toBe('enter')
    await page.keyboard.type('Works well.\nReads much.')
    expect(await focused(page)).toBe('Remark: Fatima Haddad')
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'fill-phone')
    await page.getByRole('button', { name: 'Next, after Fatima Haddad' }).tap()
    expect(await focused(page)).toBe('Remark: Oisín Kelly')
    await expect.poll(written).toEqual([
      ['Works well.\nReads much.', null],
      [null, null],
    ])
    // Conduct has one line, and Enter goes on.
    const conduct = page.getByLabel('Conduct: Fatima Haddad')
    expect(await conduct.getAttribute('enterkeyhint')).toBe('next')
    await conduct.press('Enter')
    expect(await focused(page)).toBe('Conduct: Oisín Kelly')

    await page.goto(`${site.url}/reports/book/${books[1]?.id}`)
    await page.getByLabel('Remark: Oisín Kelly').tap()
    await page.keyboard.type('One.\nTwo.')
    expect(await focused(page)).toBe('Remark: Oisín Kelly')
    await expect.poll(written).toEqual([
      ['Works well.\nReads much.', null],
      ['One.\nTwo.', null],
    ])
    await picture(page, 'fill-phone-book')
    await page.getByRole('button', { name: 'Next, after Oisín Kelly' }).tap()
    expect(await focused(page)).toBe('Conduct: Oisín Kelly')
    expect(faults).toEqual([])
    await context.close()
  })

  test('before the report books are made a subject teacher sees who makes them, and a link to the marks', async () => {
    const { context, page, faults } = await openWindow(browser)
    await context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), trinity.id)
    await site.signIn(context, 'ada')
    await page.goto(`${site.url}/classes`)
    await page
      .getByRole('row', { name: /^3B Cathal Byrne 6 / })
      .getByRole('link', { name: 'Report books' })
      .click()
    await page
      .getByText('Cathal Byrne, the class teacher, makes them. Then you write the remarks of your subject here: Mathematics.')
      .waitFor()
    await expectForEverybody(page)
    await picture(page, 'fill-not-yet')
    await page.getByRole('link', { name: 'To your marks' }).click()
    await page.waitForURL(/\/marks\//)
    expect(faults).toEqual([])
    await context.close()
  })

  test.each(['byrne', 'ada'] as const)('asks with the text that stands now, and one press decides: %s', async (who) => {
    const byrne = await site.as('byrne')
    await byrne.reports.generate({ body: of3B })
    const okafor = await site.as('okafor')
    const isOwner = who === 'byrne'
    const entry = async () =>
      (await okafor.reports.entries({ query: of3B })).find(
        ({ student, subject }) => student.first_name === 'Zoë' && subject.id === maths.id,
      )
    const written = async () => {
      const found = await entry()
      if (!isOwner) return found?.teacher_remark
      return (await okafor.reports.get({ params: { id: found?.report_book_id ?? '' } })).class_teacher_remark
    }
    const write = async (text: string | null) => {
      const found = await entry()
      if (isOwner) await okafor.reports.update({ params: { id: found?.report_book_id ?? '' }, body: { classTeacherRemark: text } })
      else await okafor.reports.updateEntry({ params: { entryId: found?.id ?? '' }, body: { teacherRemark: text } })
    }
    for (const before of [null, 'Shines.']) {
      await write(before)
      const { context, page, faults } = await openWindow(browser)
      await context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)
      await site.signIn(context, who)
      await page.goto(`${site.url}/reports/${class3B.id}?view=fill`)
      const remark = page.getByLabel('Remark: Zoë Adeyemi')
      await expect.poll(() => remark.inputValue()).toBe(before ?? '')
      const theirs = () => page.getByRole('alert').filter({ hasText: 'somebody else has written' }).innerText()
      await write('Zoë improved.')
      await remark.fill('Mine.')
      await remark.press('Tab')
      await expect.poll(theirs).toContain('«Zoë improved.»')
      // Another field of the page is drawn again.
      await page.getByLabel('Remark: Mei Chen').fill('Reads.')
      await page.getByLabel('Remark: Mei Chen').fill('')
      expect(await theirs()).toContain('«Zoë improved.»')
      await picture(page, `fill-two-people-${who}`)
      expect(await written()).toBe('Zoë improved.')
      await page.getByRole('button', { name: 'Write mine' }).click()
      await expect.poll(() => page.getByRole('alert').count()).toBe(0)
      await expect.poll(written).toBe('Mine.')
      await write('Once more.')
      await remark.fill('Mine again.')
      await remark.press('Tab')
      await expect.poll(theirs).toContain('«Once more.»')
      await page.getByRole('button', { name: 'Leave theirs' }).click()
      await expect.poll(() => remark.inputValue()).toBe('Once more.')
      expect(await written()).toBe('Once more.')
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('an attendance typed with a comma is saved, and a reload asks nothing', async () => {
    const quinn = await site.as('quinn')
    await quinn.reports.generate({ body: of3A })
    const { context, page } = await openWindow(browser)
    await context.addInitScript((term) => location.protocol === 'http:' && sessionStorage.setItem('markbook.term', term), michaelmas.id)
    await site.signIn(context, 'quinn')
    await page.goto(`${site.url}/reports/${class3A.id}?view=fill`)
    const attendance = page.getByLabel('Attendance in percent: Fatima Haddad')
    await attendance.fill('97,5')
    await attendance.press('Tab')
    await page.getByRole('listitem').filter({ hasText: '✓ Saved' }).waitFor()
    let asked = 0
    page.on('dialog', (dialog) => {
      asked += 1
      void dialog.accept()
    })
    await page.reload()
    await expect.poll(() => attendance.inputValue()).toBe('97.5')
    expect(asked).toBe(0)
    await context.close()
  })
})
