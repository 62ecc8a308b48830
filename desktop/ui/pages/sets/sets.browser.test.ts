import { englishEssay, fatima, mei } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, english, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('teaching sets', () => {
  const { site, open } = siteInBrowser()

  const setsNow = async () => (await site.as('okafor')).teachingSets.list({ query: { academicYearId: thisYear.id } })
  /** Adds a set of English, which Ada teaches in no class, with Fatima of 3A and Mei of 3B. */
  const upper = async () => {
    const head = await site.as('okafor')
    const known = (await setsNow()).find(({ name }) => name === 'English upper')
    if (known) return known
    const set = await head.teachingSets.create({
      body: { academicYearId: thisYear.id, subjectId: english.id, name: 'English upper' },
    })
    await head.teachingSets.setTeachers({ params: { id: set.id }, body: { teacherIds: [people.ada.id] } })
    await head.teachingSets.setStudents({ params: { id: set.id }, body: { studentIds: [fatima.id, mei.id] } })
    return set
  }
  const scoreOf = async (student: { id: string }) =>
    (await (await site.as('okafor')).grades.list({ query: { assessmentId: englishEssay.id } })).find(
      ({ student_id }) => student_id === student.id,
    )?.score

  test('an administrator adds one: subject, teachers, and pupils of several classes, listed by class', async () => {
    const { context, page, faults } = await open('okafor', '/classes')
    await page.getByRole('link', { name: 'Teaching sets' }).click()
    await page.getByText('There is no teaching set in this year yet.').waitFor()
    await page.getByRole('button', { name: 'Add a set' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Maths upper')
    await page.getByRole('combobox', { name: 'Subject' }).selectOption(maths.id)
    await page.getByRole('checkbox', { name: 'Ada Nowak' }).check()
    await picture(page, 'sets-new')
    await expectForEverybody(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    await page.getByRole('button', { name: 'Pupils of Maths upper' }).click()
    await page.getByRole('combobox', { name: 'Show' }).selectOption({ label: '3A' })
    await page.getByRole('checkbox', { name: /Haddad, Fatima/ }).check()
    await page.getByRole('combobox', { name: 'Show' }).selectOption({ label: '3B' })
    await expect.poll(() => page.getByRole('checkbox', { name: /Haddad/ }).count()).toBe(0)
    await page.getByRole('checkbox', { name: /Chen, Mei/ }).check()
    await picture(page, 'sets-pupils')
    await expectForEverybody(page)
    await page.getByRole('button', { name: 'Save 2 pupils' }).click()
    await dialogsClosed(page)
    const [made] = await setsNow()
    expect(made).toMatchObject({ name: 'Maths upper', subject: { id: maths.id }, students: 2, teachers: [{ id: people.ada.id }] })
    await expect.poll(() => page.getByRole('row', { name: /Maths upper/ }).innerText()).toMatch(/Mathematics\s+Ada Nowak\s+2/)
    await picture(page, 'sets-pc')
    await expectForEverybody(page)
    expect(faults).toEqual([])
    await context.close()
  })

  test('is added with its teachers or not at all; after a refusal the dialog stays, and the next try adds one set', async () => {
    const { context, page, faults } = await open('okafor', '/sets')
    const head = await site.as('okafor')
    const allow = (isActive: boolean) => head.schools.updateMember({ params: { userId: people.byrne.id }, body: { isActive } })
    await page.getByRole('button', { name: 'Add a set' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Maths lower')
    await page.getByRole('combobox', { name: 'Subject' }).selectOption(maths.id)
    await page.getByRole('checkbox', { name: 'Cathal Byrne' }).check()
    await allow(false)
    const named = async () => (await setsNow()).filter(({ name }) => name === 'Maths lower')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByText('Nothing is saved yet', { exact: false }).waitFor()
    await expect.poll(() => page.getByRole('checkbox', { name: 'Cathal Byrne' }).count()).toBe(0)
    await picture(page, 'sets-refused')
    expect(await named()).toEqual([])
    await page.getByRole('checkbox', { name: 'Ada Nowak' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    expect(await named()).toMatchObject([{ teachers: [{ id: people.ada.id }] }])
    await allow(true)
    expect(faults).toEqual([])
    await context.close()
  })

  test('its teacher opens the marks from Today, enters marks for pupils of two classes, and sees the results', async () => {
    const set = await upper()
    // Only for 3A.
    await (await site.as('quinn')).assessments.create({
      body: { termId: michaelmas.id, subjectId: english.id, title: 'Poem', assessmentType: 'coursework', studentGroupId: class3A.id },
    })
    const { context, page, faults } = await open('ada', '/')
    await page.getByRole('combobox', { name: 'Term', exact: true }).selectOption({ label: 'Michaelmas' })
    await page.getByRole('link', { name: /English.*English upper|English upper.*English/ }).waitFor()
    await picture(page, 'sets-today')
    await page.getByRole('link', { name: /English.*English upper|English upper.*English/ }).click()
    const grid = page.getByRole('grid')
    await grid.waitFor()
    await expect
      .poll(() => grid.getByRole('rowheader').allInnerTexts())
      .toEqual(expect.arrayContaining([expect.stringMatching(/Haddad Fatima · 3A/), expect.stringMatching(/Chen Mei · 3B/)]))
    await expect.poll(() => grid.getByText('not for this pupil').count()).toBe(1)
    const cell = (row: number, col: number) => grid.locator(`[role="gridcell"][data-row="${row}"][data-col="${col}"]`)
    await cell(0, 0).click()
    await page.keyboard.type('41')
    await page.keyboard.press('Enter')
    await page.keyboard.type('37')
    await page.keyboard.press('Enter')
    await expect.poll(async () => [await scoreOf(fatima), await scoreOf(mei)]).toEqual([41, 37])
    // Mei of 3B cannot have a mark in an assessment of 3A.
    const closed = grid.locator('[data-look="closed"]')
    await closed.click()
    await page.keyboard.type('5')
    await page.keyboard.press('Enter')
    expect(await grid.getByRole('textbox').count()).toBe(0)
    await picture(page, 'sets-grid')
    await expectForEverybody(page)
    await page.getByRole('link', { name: 'Results of the set' }).click()
    await expect.poll(() => page.getByRole('row', { name: /Haddad, Fatima/ }).innerText()).toMatch(/3A\s+82\.00/)
    await picture(page, 'sets-results')
    await expectForEverybody(page)
    expect(faults).toEqual([])
    expect(set.name).toBe('English upper')
    await context.close()
  })

  test('an assessment added in its grid is for the set only; one for every class names the classes', async () => {
    const set = await upper()
    const head = await site.as('okafor')
    const { context, page, faults } = await open('ada', `/marks/sets/${set.id}?term=${michaelmas.id}`)
    await page.getByRole('grid').waitFor()
    await page.getByRole('button', { name: 'Add an assessment' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Set paper')
    const whom = dialog.getByRole('combobox', { name: 'Class or set' })
    expect(await whom.locator('option').allInnerTexts()).toEqual(['Every class that takes it', 'only English upper'])
    expect(await whom.inputValue()).toBe(set.id)
    const reach = dialog.getByText('It is for every class that takes the subject', { exact: false })
    expect(await reach.count()).toBe(0)
    await whom.selectOption({ label: 'Every class that takes it' })
    await reach.waitFor()
    await whom.selectOption({ label: 'only English upper' })
    await expect.poll(() => reach.count()).toBe(0)
    await picture(page, 'sets-assessment')
    await expectForEverybody(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    await page.getByRole('columnheader', { name: /Set paper/ }).waitFor()
    const scope = { termId: michaelmas.id, subjectId: english.id }
    const made = (await head.assessments.list({ query: scope })).find(({ title }) => title === 'Set paper')
    expect(made).toMatchObject({ teaching_set_id: set.id, student_group_id: null })
    await context.close()
    // In the grid of a class the cells of pupils outside the set are closed.
    const own = await open('okafor', `/marks/${class3B.id}/${english.id}?term=${michaelmas.id}`)
    const grid = own.page.getByRole('grid')
    await grid.getByRole('columnheader', { name: /Set paper/ }).waitFor()
    await expect.poll(() => grid.locator('[data-look="closed"]').count()).toBe(5)
    await picture(own.page, 'sets-class-grid')
    await expectForEverybody(own.page)
    await own.page.goto(`${site.url}/assessments?subject=${english.id}`)
    await expect.poll(() => own.page.getByRole('row', { name: /Set paper/ }).innerText()).toMatch(/only English upper/)
    expect([...faults, ...own.faults]).toEqual([])
    await own.context.close()
    await head.assessments.remove({ params: { id: made?.id ?? '' } })
  })

  test('its marks are exported to a spreadsheet and imported; rows of an assessment for another class are left out with a message', async () => {
    const set = await upper()
    const of3A = (await (await site.as('quinn')).assessments.list({ query: { termId: michaelmas.id, subjectId: english.id } })).find(
      ({ title }) => title === 'Poem',
    )
    expect(of3A?.student_group_id).toBe(class3A.id)
    const { context, page, faults } = await open('ada', `/marks/sets/${set.id}?term=${michaelmas.id}`)
    await page.getByRole('grid').waitFor()
    await page.getByRole('button', { name: 'Import or mark sheet' }).click()
    const dialog = page.getByRole('dialog').first()
    const download = page.waitForEvent('download')
    await dialog.getByRole('link', { name: 'Download the mark sheet' }).click()
    expect((await download).suggestedFilename()).toBe('English upper English michaelmas.xlsx')
    const [chen, haddad] = [`${mei.last_name},${mei.first_name}`, `${fatima.last_name},${fatima.first_name}`]
    const table = ['Last name,First name,Essay,Poem', `${haddad},43,12`, `${chen},44,13`].join('\n')
    await dialog.getByLabel('File (.xlsx or .csv)').setInputFiles({ name: 'set.csv', mimeType: 'text/csv', buffer: Buffer.from(table) })
    await dialog.getByRole('button', { name: 'See what would happen' }).click()
    await dialog.getByText('Poem: is for another class or teaching set than the pupil’s', { exact: false }).waitFor()
    await picture(page, 'sets-import')
    await expectForEverybody(page)
    await dialog.getByLabel('Poem: is for another class', { exact: false }).fill('')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Write 2 rows' }).click()
    await dialog.getByText('The table is imported.', { exact: false }).waitFor()
    expect([await scoreOf(fatima), await scoreOf(mei)]).toEqual([43, 44])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Import or mark sheet' }).click()
    await dialog.getByText('1 earlier import').click()
    await dialog.getByText('set.csv', { exact: false }).waitFor()
    await picture(page, 'sets-import-earlier')
    expect(faults).toEqual([])
    await context.close()
  })

  test('deletions and changes are undone, with teachers and pupils', async () => {
    await upper()
    const { context, page, faults } = await open('okafor', '/sets')
    const row = page.getByRole('row', { name: /English upper|English top/ })
    const dialog = page.locator('[role="dialog"]:not([aria-modal="false"])')
    const before = await setsNow()
    await page.getByRole('button', { name: 'Change English upper' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('English top')
    await page.getByRole('checkbox', { name: 'Ada Nowak' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => row.innerText()).toMatch(/English top\s+English\s+nobody yet\s+2/)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => row.innerText()).toMatch(/English upper\s+English\s+Ada Nowak\s+2/)
    await page.reload()
    await page.getByRole('button', { name: 'Change English upper' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.last().getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => row.count()).toBe(0)
    await page.getByText('An administrator can restore it for 30 days', { exact: false }).first().waitFor()
    await picture(page, 'sets-deleted')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => row.innerText()).toMatch(/English upper\s+English\s+Ada Nowak\s+2/)
    const sameAs = before.map(({ updated_at: _, ...set }) => set)
    expect(await setsNow()).toMatchObject(sameAs)
    await page.getByRole('button', { name: 'Redo' }).click()
    await expect.poll(() => row.count()).toBe(0)
    await page.goto(`${site.url}/bin`)
    const binned = page.getByRole('row', { name: /^Teaching set English upper/ })
    await expect
      .poll(() => binned.innerText())
      .toMatch(/Teaching set\s+English upper\s+English · 2025\/26\s+2 places in sets.*1 teacher of a set/s)
    await expectForEverybody(page)
    await picture(page, 'sets-bin')
    await binned.getByRole('button', { name: 'Restore English upper' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await dialogsClosed(page)
    await expect.poll(() => binned.count()).toBe(0)
    expect(await setsNow()).toMatchObject(sameAs)
    expect(faults).toEqual([])
    await context.close()
  })

  test('fits a telephone, and is listed where marks are chosen', async () => {
    const set = await upper()
    const { context, page } = await open('ada', '/marks', { viewport: sizes.phone })
    await page.getByRole('link', { name: 'English, English upper' }).waitFor()
    for (const [name, path] of [
      ['sets', '/sets'],
      ['set', `/sets/${set.id}`],
      ['set-marks', `/marks/sets/${set.id}?term=${michaelmas.id}`],
    ] as const) {
      await page.goto(`${site.url}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
      await expectFits(page)
      await expectForEverybody(page)
      await picture(page, `${name}-phone`)
    }
    await context.close()
  })
})
