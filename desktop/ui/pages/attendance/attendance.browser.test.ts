import { aoife, mei, sean, zoe } from '@markbook/shared/story/marks'
import { class3B } from '@markbook/shared/story/school-year'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const addressOf = (day: string) => `/attendance/${class3B.id}?day=${day}`
const SAVED = 'Everything is saved.'

describe.skipIf(!headlessPath)('the register', () => {
  const { site, open } = siteInBrowser()

  const opened = async (day: string, options: BrowserContextOptions = {}) => {
    const window = await open('ada', addressOf(day), options)
    await group(window.page, 'Adeyemi, Zoë').waitFor()
    return window
  }
  const group = (page: Page, name: string) => page.getByRole('radiogroup', { name })
  const codesOn = async (day: string) => {
    const { registers, marks } = await (await site.as('ada')).attendance.read({
      params: { classId: class3B.id },
      query: { from: day, to: day },
    })
    return { taken: registers.length, ...Object.fromEntries(marks.map(({ student_id, code }) => [student_id, code] as const)) }
  }
  const chosen = (page: Page, name: string) => group(page, name).getByRole('radio', { checked: true }).innerText()

  test('one key marks a pupil, can be undone, and is saved without a button', async () => {
    const day = '2025-11-17'
    const { context, page, faults } = await opened(day)
    await page.getByText('Not taken yet').waitFor()
    const isStrong = () =>
      group(page, 'Adeyemi, Zoë')
        .getByRole('radio', { checked: true })
        .evaluate((button) => getComputedStyle(button).borderTopWidth === '2px')
    expect(await isStrong()).toBe(false)
    await group(page, 'Adeyemi, Zoë').getByRole('radio', { checked: true }).focus()
    // Adeyemi absent, Chen present, Murphy Aoife late, Murphy Seán excused.
    for (const key of ['a', 'p', 'l', 'e']) await page.keyboard.press(key)
    await expect.poll(() => codesOn(day)).toEqual({ taken: 1, [zoe.id]: 'absent', [aoife.id]: 'late', [sean.id]: 'excused' })
    await page.getByText(SAVED).waitFor()
    expect(await isStrong()).toBe(true)
    await picture(page, 'attendance-pc')
    await expectForEverybody(page)
    await page.keyboard.press('Backspace')
    await expect.poll(() => codesOn(day)).toMatchObject({ [sean.id]: 'present' })
    await page.keyboard.press('Control+z')
    await expect.poll(() => codesOn(day)).toMatchObject({ [aoife.id]: 'present', [zoe.id]: 'absent' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('[data-pupil]')?.getAttribute('data-pupil'))).toBe(aoife.id)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.keyboard.press('a')
    await expect.poll(() => codesOn(day)).toMatchObject({ [aoife.id]: 'absent' })
    const term = page.getByRole('group', { name: 'Attendance in the term' })
    await page.getByRole('combobox', { name: 'Term', exact: true }).selectOption({ label: 'Michaelmas' })
    await expect.poll(() => term.getByRole('row', { name: /Adeyemi/ }).innerText()).toMatch(/0 %\s+1\s+0\s+0\s+1/)
    await expect.poll(() => page.getByRole('button', { name: /17 Nov 2025, Whole day/ }).count()).toBe(1)
    await term.scrollIntoViewIfNeeded()
    await picture(page, 'attendance-month')
    // A code is below the head of its day.
    const middleOf = async (of: Locator) => {
      const { x = 0, width = 0 } = (await of.boundingBox()) ?? {}
      return x + width / 2
    }
    const month = page.getByRole('group', { name: 'November 2025' })
    const [head, code] = [month.getByRole('button', { name: /17 Nov 2025/ }), month.locator('[data-code="absent"]').first()]
    expect(Math.abs((await middleOf(head)) - (await middleOf(code)))).toBeLessThan(2)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a Sunday offers Monday, a day between two terms offers the next term, another year says which it is', async () => {
    const { context, page, faults } = await opened('2026-01-18')
    await page.getByRole('heading', { name: 'Register of Sunday 18 Jan 2026' }).waitFor()
    await page.getByText('is not a school day. A register of it counts all the same.').waitFor()
    await page.getByRole('button', { name: 'Go to Monday 19 Jan 2026' }).click()
    await page.getByRole('heading', { name: 'Register of Monday 19 Jan 2026' }).waitFor()
    expect(await page.getByText('is not a school day').count()).toBe(0)
    await page.goto(`${site.url}${addressOf('2025-12-29')}`)
    await page.getByText('is in no term.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'attendance-break')
    await page.getByRole('button', { name: 'Go to Wednesday 7 Jan 2026' }).click()
    await page.getByRole('heading', { name: 'Register of Wednesday 7 Jan 2026' }).waitFor()
    // Today is after the year of the story.
    await page.goto(`${site.url}/attendance/${class3B.id}`)
    await page.getByText('is not in the year 2025/26. This is the register of').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('undo does not overwrite what somebody else has changed since', async () => {
    const day = '2025-12-11'
    const { context, page } = await opened(day)
    await group(page, 'Adeyemi, Zoë').getByRole('radio', { checked: true }).focus()
    await page.keyboard.press('a')
    await expect.poll(() => codesOn(day)).toEqual({ taken: 1, [zoe.id]: 'absent' })
    await (await site.as('byrne')).attendance.take({
      params: { classId: class3B.id },
      body: { day, lesson: 0, marks: [{ studentId: zoe.id, code: 'excused' }] },
    })
    await page.keyboard.press('l')
    await expect.poll(() => chosen(page, 'Adeyemi, Zoë')).toBe('Excused')
    for (const name of ['Chen, Mei', 'Adeyemi, Zoë']) {
      await page.keyboard.press('Control+z')
      await expect.poll(() => page.evaluate(() => document.activeElement?.closest('li')?.textContent)).toContain(name)
    }
    await expect.poll(() => codesOn(day)).toEqual({ taken: 1, [zoe.id]: 'excused', [mei.id]: 'present' })
    await page.getByText(SAVED).waitFor()
    expect(await codesOn(day)).toMatchObject({ [zoe.id]: 'excused' })
    await context.close()
  })

  test('one press marks everybody present; the arrows go to the former and the next school day', async () => {
    const { context, page } = await opened('2025-11-21')
    await page.getByRole('button', { name: 'Everybody is here' }).click()
    await expect.poll(() => codesOn('2025-11-21')).toEqual({ taken: 1 })
    await page.getByText(/^Taken on/).waitFor()
    await page.getByRole('button', { name: 'The school day after' }).click()
    await expect.poll(() => page.getByLabel('Day', { exact: true }).inputValue()).toBe('2025-11-24')
    await page.getByRole('combobox', { name: 'Lesson' }).selectOption('3')
    await page.getByRole('button', { name: 'Everybody is here' }).click()
    await expect
      .poll(async () => {
        const { registers } = await (await site.as('ada')).attendance.read({
          params: { classId: class3B.id },
          query: { from: '2025-11-24', to: '2025-11-24' },
        })
        return registers.map(({ lesson }) => lesson)
      })
      .toEqual([3])
    await context.close()
  })

  test('works by touch on a telephone in the dark', async () => {
    const day = '2025-11-18'
    const { context, page } = await opened(day, { viewport: sizes.phone, colorScheme: 'dark', hasTouch: true })
    await group(page, 'Chen, Mei').getByRole('radio', { name: 'Late' }).tap()
    await expect.poll(() => codesOn(day)).toEqual({ taken: 1, [mei.id]: 'late' })
    const box = await group(page, 'Chen, Mei').getByRole('radio', { name: 'Late' }).boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
    await picture(page, 'attendance-phone')
    await expectForEverybody(page)
    await expectFits(page)
    await context.close()
  })

  test.each([
    ['en', '2025-10-14'],
    ['fr', '2025-10-15'],
    ['ar', '2025-10-16'],
  ] as const)(
    'in %s the first pupil is in view on a small telephone, and stays where it is once the register is taken',
    async (language, day) => {
      const small = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }
      const { context, page, faults } = await opened(day, small)
      await page.evaluate((chosen) => localStorage.setItem('markbook.language', chosen), language)
      await page.reload()
      const first = page.locator('[data-pupil]').first()
      await first.waitFor()
      await picture(page, `attendance-small-${language}`)
      const bottomOf = async () => ((await first.boundingBox())?.y ?? 999) + ((await first.boundingBox())?.height ?? 999)
      const before = await bottomOf()
      expect(before).toBeLessThan(480)
      await page.locator('[class*="everybody"] button').tap()
      await expect.poll(() => codesOn(day)).toEqual({ taken: 1 })
      await expect.poll(() => page.locator('[class*="everybody"] button').count()).toBe(0)
      expect(await bottomOf()).toBe(before)
      // The totals of the term take two lines for each pupil at most.
      const totals = page.getByRole('group').last()
      await expect.poll(() => totals.getByRole('row').count()).toBeGreaterThan(3)
      for (const row of await totals.getByRole('row').all()) expect((await row.boundingBox())?.height).toBeLessThan(70)
      await expectForEverybody(page)
      await expectFits(page)
      await picture(page, `attendance-small-taken-${language}`)
      expect(faults).toEqual([])
      await context.close()
    },
  )

  const notesOn = async (day: string) => {
    const { marks } = await (await site.as('ada')).attendance.read({ params: { classId: class3B.id }, query: { from: day, to: day } })
    return Object.fromEntries(marks.map(({ student_id, code, note }) => [student_id, `${code}: ${note}`]))
  }

  test('a note is typed, undone, and left unchanged by Esc, with the keyboard', async () => {
    const day = '2025-12-01'
    const { context, page, faults } = await opened(day)
    await group(page, 'Adeyemi, Zoë').getByRole('radio', { checked: true }).focus()
    await page.keyboard.press('a')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('n')
    await page.keyboard.type('a note, and all of it')
    await expectForEverybody(page)
    await page.keyboard.press('Enter')
    await expect.poll(() => notesOn(day)).toEqual({ [zoe.id]: 'absent: a note, and all of it' })
    // The focus is on the pupil again: the next key works.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('n')
    await page.keyboard.type('went at noon')
    await page.getByRole('combobox', { name: 'Lesson' }).focus()
    await expect.poll(() => notesOn(day)).toMatchObject({ [mei.id]: 'present: went at noon' })
    await page.getByRole('list', { name: 'Notes of the month' }).getByText('went at noon').waitFor()
    await page.getByRole('group', { name: 'December 2025' }).getByText('Absent: a note, and all of it').waitFor({ state: 'attached' })
    await picture(page, 'attendance-note')
    await group(page, 'Chen, Mei').getByRole('radio', { checked: true }).focus()
    await page.keyboard.press('Backspace')
    await expect.poll(() => notesOn(day)).toMatchObject({ [mei.id]: 'present: null' })
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('n')
    await page.keyboard.type('never kept')
    await page.keyboard.press('Escape')
    await page.keyboard.press('l')
    await expect.poll(() => notesOn(day)).toMatchObject({ [zoe.id]: 'late: a note, and all of it' })
    await page.getByText(SAVED).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a note that is opened before the former key was rendered keeps what is typed', async () => {
    const { context, page } = await opened('2025-12-03')
    await group(page, 'Chen, Mei').getByRole('radio', { checked: true }).focus()
    await page.evaluate(async () => {
      for (const key of ['ArrowUp', 'n']) document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame)
    })
    await page.keyboard.type('all of it')
    expect(await page.getByRole('textbox', { name: 'Note on Adeyemi, Zoë' }).inputValue()).toBe('all of it')
    await context.close()
  })

  test('a note on a telephone does not overwrite one that somebody else wrote meanwhile', async () => {
    const day = '2025-12-02'
    const { context, page } = await opened(day, { viewport: sizes.phone, hasTouch: true })
    await page.getByRole('button', { name: 'Note on Chen, Mei' }).tap()
    await page.getByRole('textbox', { name: 'Note on Chen, Mei' }).fill('on a visit')
    await (await site.as('byrne')).attendance.take({
      params: { classId: class3B.id },
      body: { day, lesson: 0, marks: [{ studentId: mei.id, code: 'excused', note: 'at the dentist' }] },
    })
    await group(page, 'Adeyemi, Zoë').getByRole('radio', { name: 'Late' }).tap()
    await page.getByText('somebody else has entered «at the dentist» since. You entered «on a visit».').waitFor()
    await expect.poll(() => notesOn(day)).toEqual({ [mei.id]: 'excused: at the dentist', [zoe.id]: 'late: null' })
    await picture(page, 'attendance-note-phone')
    await expectForEverybody(page)
    await expectFits(page)
    await page.getByRole('button', { name: 'Write «on a visit»' }).tap()
    await expect.poll(() => notesOn(day)).toMatchObject({ [mei.id]: 'excused: on a visit' })
    await context.close()
  })

  test('a note that arrives while the field is open is neither deleted nor overwritten, however the field is closed', async () => {
    const day = '2025-12-10'
    const { context, page } = await opened(day)
    const byrne = await site.as('byrne')
    /** Opens a note by keys right after a code, whose request is held until somebody else has written a note. */
    const whileOpen = async (before: string, about: { id: string }, type: string) => {
      const { release } = await heldRequest(page)
      const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
      await group(page, before).getByRole('radio', { checked: true }).focus()
      await page.keyboard.press('l')
      await page.keyboard.press('n')
      if (type) await page.keyboard.type(type)
      const marks = [{ studentId: about.id, note: 'at the dentist' }]
      await byrne.attendance.take({ params: { classId: class3B.id }, body: { day, lesson: 0, marks } })
      release()
      await answered
      await page.locator('[data-pupil][data-pending="true"]').waitFor({ state: 'detached' })
      await page.locator(`[data-pupil="${about.id}"] input`).press('Enter')
    }
    await whileOpen('Adeyemi, Zoë', mei, '')
    await page.locator(`[data-pupil="${mei.id}"]`).getByText('at the dentist').waitFor()
    await whileOpen('Chen, Mei', aoife, 'by bus')
    await page.getByText('somebody else has entered «at the dentist» since. You entered «by bus».').waitFor()
    const late = { [zoe.id]: 'late: null', [mei.id]: 'late: at the dentist' }
    expect(await notesOn(day)).toEqual({ ...late, [aoife.id]: 'present: at the dentist' })
    await page.getByRole('button', { name: 'Write «by bus»' }).click()
    await expect.poll(() => notesOn(day)).toEqual({ ...late, [aoife.id]: 'present: by bus' })
    // The user's own note is being sent when the field is opened again: typing on does not decide about it.
    await page.getByText(SAVED).waitFor()
    const held = await heldRequest(page)
    await page.getByRole('button', { name: 'Note on Murphy, Seán' }).click()
    await page.keyboard.type('a bus')
    await page.keyboard.press('Enter')
    await held.begun
    await page.getByRole('button', { name: 'Note on Murphy, Seán' }).click()
    await byrne.attendance.take({
      params: { classId: class3B.id },
      body: { day, lesson: 0, marks: [{ studentId: sean.id, note: 'at the dentist' }] },
    })
    held.release()
    await page.getByText('You entered «a bus».', { exact: false }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.type(' late')
    await page.keyboard.press('Enter')
    await page.getByText('somebody else has entered «at the dentist» since. You entered «a bus late».').waitFor()
    await page.waitForTimeout(1_000)
    expect(await notesOn(day)).toMatchObject({ [sean.id]: 'present: at the dentist' })
    await context.close()
  })

  test('the press that closes a note reaches its button, on a telephone and with a slow mouse', async () => {
    const day = '2025-12-04'
    const { context, page } = await opened(day, { viewport: sizes.phone, hasTouch: true })
    const late = (name: string) => group(page, name).getByRole('radio', { name: 'Late' })
    await page.getByRole('button', { name: 'Note on Adeyemi, Zoë' }).tap()
    await page.keyboard.type('by bus')
    await late('Chen, Mei').tap()
    await expect.poll(() => notesOn(day)).toEqual({ [zoe.id]: 'present: by bus', [mei.id]: 'late: null' })
    await page.getByRole('button', { name: 'Note on Chen, Mei' }).click()
    await page.keyboard.type('by foot')
    const murphy = await late('Murphy, Aoife').boundingBox()
    await page.mouse.move((murphy?.x ?? 0) + 10, (murphy?.y ?? 0) + 10)
    await page.mouse.down()
    // Sent before the button is released, and only once.
    await expect.poll(() => notesOn(day)).toMatchObject({ [mei.id]: 'late: by foot' })
    await page.mouse.up()
    await expect.poll(() => notesOn(day)).toMatchObject({ [mei.id]: 'late: by foot', [aoife.id]: 'late: null' })
    await expect.poll(() => page.getByRole('textbox', { name: 'Note on Chen, Mei' }).count()).toBe(0)
    await context.close()
  })

  test.each(['en-IE', 'fr-FR', 'ar-EG'])('the first entry does not move the pupil under the next press (%s)', async (locale) => {
    const day = { 'en-IE': '2025-12-05', 'fr-FR': '2025-12-08', 'ar-EG': '2025-12-09' }[locale] as string
    const { context, page } = await opened(day, { viewport: sizes.phone, hasTouch: true, locale })
    const top = () =>
      page
        .locator('[data-pupil]')
        .first()
        .evaluate((row) => row.getBoundingClientRect().top + scrollY)
    const before = await top()
    await group(page, 'Adeyemi, Zoë').getByRole('radio').nth(1).tap()
    await expect.poll(() => chosen(page, 'Adeyemi, Zoë')).not.toBe('')
    expect(await top()).toBe(before)
    await expect.poll(() => codesOn(day)).toEqual({ taken: 1, [zoe.id]: 'absent' })
    await page.locator('[data-pupil][data-pending="true"]').waitFor({ state: 'detached' })
    expect(await top()).toBe(before)
    await picture(page, `attendance-first-${locale}`)
    await context.close()
  })

  test('a note is not lost where the server stops and the window is closed while it is typed', async () => {
    const day = '2025-12-03'
    const { context, page } = await opened(day)
    await site.restart(async () => {
      await page.getByRole('button', { name: 'Note on Chen, Mei' }).click()
      await page.keyboard.type('not sent yet')
      // Leaves the page with the field open.
      await page.goto('about:blank')
    })
    await page.goto(`${site.url}${addressOf(day)}`)
    await expect.poll(() => notesOn(day), { timeout: 60_000 }).toEqual({ [mei.id]: 'present: not sent yet' })
    await context.close()
  })

  test('where somebody else has changed a pupil’s code since, the person decides', async () => {
    const day = '2025-11-19'
    const { context, page } = await opened(day)
    await (await site.as('byrne')).attendance.take({
      params: { classId: class3B.id },
      body: { day, lesson: 0, marks: [{ studentId: zoe.id, code: 'excused' }] },
    })
    await group(page, 'Adeyemi, Zoë').getByRole('radio', { name: 'Absent' }).click()
    await page.getByText('somebody else has entered «Excused» since').waitFor()
    expect(await codesOn(day)).toMatchObject({ [zoe.id]: 'excused' })
    await picture(page, 'attendance-conflict')
    await page.getByRole('button', { name: 'Write «Absent»' }).click()
    await expect.poll(() => codesOn(day)).toMatchObject({ [zoe.id]: 'absent' })
    await page.getByText(SAVED).waitFor()
    await context.close()
  })

  test('what was entered for a class that was deleted since is shown, and can be thrown away', async () => {
    const head = await site.as('okafor')
    const { id } = await head.classes.create({ body: { name: '3Z', academicYearId: class3B.academic_year_id } })
    const pupil = await head.students.create({ body: { firstName: 'Ivo', lastName: 'Quill', gender: 'other' } })
    await head.classes.enroll({ params: { id }, body: { studentId: pupil.id } })
    const { context, page, faults } = await open('okafor', `/attendance/${id}?day=2025-11-24`)
    await group(page, 'Quill, Ivo').waitFor()
    await page.route('**/attendance', (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()))
    await group(page, 'Quill, Ivo').getByRole('radio', { name: 'Absent' }).click()
    await page.getByText('1 change is on this device and not saved yet').waitFor()
    await head.classes.remove({ params: { classId: id } })
    await page.unroute('**/attendance')
    await page.goto(`${site.url}/`)
    await page.getByText('Quill, Ivo, 24 Nov 2025: «Absent» cannot be saved, since the class was deleted').waitFor({ timeout: 60_000 })
    await expectForEverybody(page)
    await picture(page, 'attendance-class-gone-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'attendance-class-gone-phone')
    await page.getByRole('button', { name: 'Throw it away' }).click()
    await page.getByText('cannot be saved, since the class was deleted').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    await page.waitForTimeout(1_500)
    expect(await page.getByText('Quill, Ivo').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('where the storage is full, one notice says that what is not saved is in this window alone', async () => {
    const { context, page, faults } = await opened('2025-11-21', { viewport: sizes.phone, hasTouch: true, isMobile: true })
    await page.evaluate(() => {
      const full = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
      IDBObjectStore.prototype.put = full
      Storage.prototype.setItem = full
    })
    await context.route('**/api/**', (route) => route.abort())
    const only = page.getByText('What is not saved yet is in this window alone', { exact: false })
    await group(page, 'Adeyemi, Zoë').getByRole('radio', { name: 'Absent' }).tap()
    await only.waitFor()
    expect(await page.getByText('on this device', { exact: false }).count()).toBe(0)
    await page.getByRole('button', { name: 'Open the menu' }).tap()
    await page.getByRole('navigation').getByRole('link', { name: 'Today' }).tap()
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    await only.waitFor()
    expect(await page.getByText('change of attendance', { exact: false }).count()).toBe(0)
    await page.getByRole('button', { name: 'Try now' }).first().waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('nothing is lost where the server stops and the window is closed during the register', async () => {
    const day = '2025-11-20'
    const { context, page } = await opened(day, { serviceWorkers: 'allow' })
    await page.evaluate(async () => void (await navigator.serviceWorker.ready))
    // What is shown is stored a moment after it arrives.
    await page.reload()
    await group(page, 'Adeyemi, Zoë').waitFor()
    await page.waitForTimeout(1_500)
    let later: Page | undefined
    await site.restart(async () => {
      await group(page, 'Adeyemi, Zoë').getByRole('radio', { checked: true }).focus()
      await page.keyboard.press('a')
      await page.getByText('1 change is on this device and not saved yet').waitFor()
      await page.close()
      later = await context.newPage()
      await later.goto(`${site.url}${addressOf(day)}`)
      await expect.poll(() => chosen(later as Page, 'Adeyemi, Zoë'), { timeout: 20_000 }).toBe('Absent')
      await group(later, 'Chen, Mei').getByRole('radio', { name: 'Late' }).click()
      await later.getByText('2 changes are on this device and not saved yet').waitFor()
      await picture(later, 'attendance-away')
      await later.getByRole('link', { name: 'Today' }).click()
      await later.getByText('2 changes of attendance are on this device and not saved yet').waitFor()
    })
    await expect.poll(() => codesOn(day), { timeout: 60_000 }).toEqual({ taken: 1, [zoe.id]: 'absent', [mei.id]: 'late' })
    await context.close()
  })
})

/** Holds the next request of the register until `release` is called. `begun`: resolves when it was sent. */
async function heldRequest(page: Page): Promise<{ begun: Promise<void>; release: () => void }> {
  const gate = { begin: () => {}, release: () => {} }
  const begun = new Promise<void>((resolve) => {
    gate.begin = resolve
  })
  const released = new Promise<void>((resolve) => {
    gate.release = resolve
  })
  await page.route(
    '**/attendance',
    async (route) => {
      gate.begin()
      await released
      await route.continue()
    },
    { times: 1 },
  )
  return { begun, release: () => gate.release() }
}
