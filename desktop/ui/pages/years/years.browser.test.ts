import { fatima, mei, sean, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3B, english } from '@markbook/shared/story/school-year'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('the page of years and terms', () => {
  const { site, open } = siteInBrowser()

  test('the head adds a year with a term, activates it, ends it, and deletes both', async () => {
    const okafor = await site.as('okafor')
    const { context, page, faults } = await open('okafor', '/years')
    await page.getByRole('button', { name: 'Add a year' }).click()
    // What is typed replaces the proposed name.
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('2026/27')
    await page.keyboard.type('2031/32')
    expect(await page.getByLabel('Name').inputValue()).toBe('2031/32')
    await page.getByLabel('First day').fill('2031-09-01')
    await page.getByLabel('Last day').fill('2032-06-30')
    for (const term of ['Michaelmas', 'Hilary', 'Trinity']) await page.getByRole('checkbox', { name: term }).uncheck()
    await expectForEverybody(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    const year = page.getByRole('region', { name: '2031/32' })
    const ofYear = async () => (await okafor.academicYears.list()).find(({ name }) => name === '2031/32')
    await year.getByRole('button', { name: 'Add a term' }).click()
    await page.getByLabel('First day').fill('2031-09-01')
    await page.getByLabel('Last day').fill('2031-12-20')
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    await expect.poll(async () => (await okafor.terms.list({ query: { yearId: (await ofYear())?.id ?? '' } })).length).toBe(1)

    // The next term is proposed after the existing one; an overlap is shown, and can be saved.
    await year.getByRole('button', { name: 'Add a term' }).click()
    const days = () => Promise.all(['First day', 'Last day'].map((label) => page.getByLabel(label).inputValue()))
    expect(await days()).toEqual(['2031-12-21', '2032-03-26'])
    await page.getByRole('dialog').getByLabel('Term', { exact: true }).selectOption('Trinity')
    expect(await days()).toEqual(['2032-03-27', '2032-06-30'])
    await page.getByLabel('First day').fill('2031-12-20')
    await page.getByText('These days are also days of Michaelmas.', { exact: false }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'years-overlap-pc')
    expect(await page.getByRole('button', { name: 'Save' }).isEnabled()).toBe(true)
    await page.getByLabel('First day').fill('2031-12-21')
    await page.getByText('These days are also days of', { exact: false }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await dialogsClosed(page)

    // The school's own name is stored and shown unchanged.
    await year.getByRole('button', { name: 'Add a term' }).click()
    await page.getByRole('dialog').getByLabel('Term', { exact: true }).selectOption('A word of your own …')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByText('Please fill this in.').waitFor()
    await page.getByLabel('Name of the term').fill('michaelmas')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByText('already has a term with that name', { exact: false }).waitFor()
    await page.getByLabel('Name of the term').fill('été ')
    await expectForEverybody(page)
    await picture(page, 'years-own-word-pc')
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    const own = year.getByRole('button', { name: 'Change the term été' })
    await own.click()
    expect(await page.getByLabel('Name of the term').inputValue()).toBe('été')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete the term été?' }).getByRole('button', { name: 'Delete' }).click()
    await dialogsClosed(page)

    await year.getByRole('button', { name: 'Make it the current year' }).click()
    await expectForEverybody(page)
    await page.getByRole('dialog', { name: 'Make 2031/32 the current year?' }).getByRole('button', { name: 'Make it' }).click()
    await dialogsClosed(page)
    await year.getByText('current year', { exact: true }).waitFor()
    expect((await ofYear())?.is_active).toBe(true)
    await picture(page, 'years-pc')
    await year.getByRole('button', { name: 'End this year' }).click()
    await page.getByRole('dialog', { name: 'End 2031/32?' }).getByRole('button', { name: 'End this year' }).click()
    await dialogsClosed(page)
    await expect.poll(async () => (await ofYear())?.is_active).toBe(false)

    await year.getByRole('button', { name: 'Change the term Michaelmas' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete the term Michaelmas?' }).getByRole('button', { name: 'Delete' }).click()
    await dialogsClosed(page)
    await year.getByText('This year has no terms yet.').waitFor()
    await picture(page, 'years-sets-pc')
    await page.setViewportSize({ width: 390, height: 800 })
    await picture(page, 'years-sets-phone')
    await page.setViewportSize({ width: 1366, height: 768 })
    // All terms at once, in equal parts of the year.
    await year.getByRole('button', { name: 'Semester 1 and Semester 2' }).click()
    // One request: if somebody has added one of the terms meanwhile, none is added.
    const yearOfTerms = (await ofYear())?.id ?? ''
    const inAutumn = { startDate: '2031-09-01', endDate: '2031-10-01', examWeight: 60, courseworkWeight: 40 }
    const second = await okafor.terms.create({ body: { academicYearId: yearOfTerms, name: 'Semester 2', ...inAutumn } })
    const dialogOfTerms = page.getByRole('dialog')
    await dialogOfTerms.getByRole('button', { name: 'Add them' }).click()
    await dialogOfTerms.getByText('This year already has a term called Semester 2.').waitFor()
    expect(await okafor.terms.list({ query: { yearId: yearOfTerms } })).toHaveLength(1)
    await okafor.terms.remove({ params: { id: second.id } })
    await dialogOfTerms.getByRole('button', { name: 'Add them' }).click()
    await dialogsClosed(page)
    await year.getByRole('button', { name: 'Change the term Semester 2' }).waitFor()
    const made = await okafor.terms.list({ query: { yearId: (await ofYear())?.id ?? '' } })
    expect(made.map(({ name, start_date, end_date }) => [name, start_date, end_date])).toEqual([
      ['Semester 1', '2031-09-01', '2032-01-30'],
      ['Semester 2', '2032-01-31', '2032-06-30'],
    ])
    // Undone by one request too: where a mark was set in one of them meanwhile, none of the others goes.
    const [maths] = await okafor.subjects.list()
    const [, last] = made
    const test = { title: 'First test', maxScore: 10, weight: 1, assessmentType: 'exam', assessmentDate: last?.end_date } as const
    const assessment = await okafor.assessments.create({ body: { ...test, subjectId: maths?.id ?? '', termId: last?.id ?? '' } })
    const undo = page.getByRole('button', { name: 'Undo' }).first()
    await undo.click()
    await page.getByText('This term has assessments, marks or report books and cannot be deleted.').first().waitFor()
    expect(await okafor.terms.list({ query: { yearId: yearOfTerms } })).toHaveLength(2)
    await okafor.assessments.remove({ params: { id: assessment.id } })
    await okafor.terms.removeBulk({ body: { termIds: made.map(({ id }) => id) } })

    // Categories of assessments, with the weight that is left.
    await year.getByRole('link', { name: 'Categories' }).click()
    await page.getByText('There is no category.', { exact: false }).waitFor()
    for (const [name, weight, isExtra] of [
      ['Quizzes', '40', false],
      ['Extra', '5', true],
    ] as const) {
      await page.getByRole('button', { name: 'Add a category' }).click()
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Weight, in %').fill(weight)
      if (isExtra) await page.getByLabel('Extra credit', { exact: false }).check()
      else await page.getByLabel('Lowest marks dropped').fill('1')
      await expectForEverybody(page)
      await page.getByRole('button', { name: 'Save' }).click()
      await dialogsClosed(page)
    }
    await page.getByText('Coursework: together 40 %. Assessments without a category count with the 60 % that are left.').waitFor()
    await picture(page, 'categories-pc')
    await page.setViewportSize({ width: 390, height: 800 })
    await picture(page, 'categories-phone')
    await page.setViewportSize({ width: 1366, height: 768 })
    await page.getByRole('button', { name: 'Change the category Extra' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete Extra?' }).getByRole('button', { name: 'Delete' }).click()
    await dialogsClosed(page)
    const yearId = (await ofYear())?.id ?? ''
    expect(await okafor.assessmentCategories.list({ query: { academicYearId: yearId } })).toMatchObject([
      { name: 'Quizzes', weight: 40, drop_lowest: 1 },
    ])
    await page.goto(`${site.url}/years`)
    await page.getByRole('button', { name: 'Change the year 2031/32' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete 2031/32?' }).getByRole('button', { name: 'Delete' }).click()
    await dialogsClosed(page)
    await expect.poll(ofYear).toBeUndefined()
    expect(faults).toEqual([])
    await context.close()
  })

  test('the head adds a year with the terms of the year before, on the same weekdays, as one change', async () => {
    const okafor = await site.as('okafor')
    const { context, page, faults } = await open('okafor', '/')
    // The earlier year arrives late.
    await page.route('**/api/academic-years', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue()
    })
    await page.goto(`${site.url}/years`)
    await page.getByRole('button', { name: 'Add a year' }).click()
    const day = (name: string) => page.getByLabel(name, { exact: true })
    const days = () =>
      Promise.all(
        ['Michaelmas', 'Hilary', 'Trinity'].flatMap((term) => [`${term}: from`, `${term}: to`]).map((name) => day(name).inputValue()),
      )
    await day('Michaelmas: from').waitFor()
    expect(await days()).toEqual(['2026-09-01', '2026-12-19', '2027-01-06', '2027-03-27', '2027-04-13', '2027-06-30'])
    await expectForEverybody(page)
    await page.getByRole('button', { name: 'Save' }).scrollIntoViewIfNeeded()
    await picture(page, 'years-new-pc')
    // Days that were not typed follow the days of the year.
    await day('Hilary: from').fill('2027-01-11')
    await page.getByLabel('First day').fill('2026-09-07')
    expect(await days()).toEqual(['2026-09-07', '2026-12-26', '2027-01-11', '2027-04-03', '2027-04-20', '2027-06-30'])
    // Wrong or missing days of the year are not reported for the terms.
    const last = page.getByLabel('Last day')
    await last.fill('2026-01-01')
    await page.getByText('The last day must come after the first.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await last.fill('')
    await page.getByText('Please fill this in.').waitFor()
    expect(await page.getByText('have days in common.', { exact: false }).count()).toBe(0)
    await last.fill('2027-06-30')
    await page.getByText('The last day must come after the first.').waitFor({ state: 'detached' })
    await day('Michaelmas: from').fill('2026-09-01')
    await page.getByText('This day is not in the year.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This day is not in the year.').waitFor()
    expect((await okafor.academicYears.list()).map(({ name }) => name)).not.toContain('2026/27')
    await day('Michaelmas: from').fill('2026-09-08')
    await day('Michaelmas: to').fill('2027-01-11')
    await page.getByText('Michaelmas and Hilary have days in common.', { exact: false }).waitFor()
    await picture(page, 'years-new-overlap-pc')
    await day('Michaelmas: to').fill('2026-12-18')
    await page.getByText('have days in common.', { exact: false }).waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Trinity' }).uncheck()
    expect(await day('Trinity: from').isDisabled()).toBe(true)
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await page.getByRole('button', { name: 'Save' }).scrollIntoViewIfNeeded()
    await picture(page, 'years-new-phone')
    await page.setViewportSize(sizes.pc)
    const asked: string[] = []
    page.on('request', (request) => request.method() === 'POST' && asked.push(new URL(request.url()).pathname))
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    expect(asked).toEqual(['/api/academic-years'])
    const made = async () => {
      const year = (await okafor.academicYears.list()).find(({ name }) => name === '2026/27')
      const terms = year ? await okafor.terms.list({ query: { yearId: year.id } }) : null
      return terms?.map(({ name, start_date, end_date, exam_weight }) => [name, start_date, end_date, exam_weight])
    }
    const terms = [
      ['michaelmas', '2026-09-08', '2026-12-18', 60],
      ['hilary', '2027-01-11', '2027-04-03', 60],
    ]
    expect(await made()).toEqual(terms)
    await page.getByRole('region', { name: '2026/27' }).getByRole('button', { name: 'Change the term Hilary' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await expect.poll(made).toBeUndefined()
    await page.getByRole('button', { name: 'Redo' }).first().click()
    await expect.poll(made).toEqual(terms)
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await expect.poll(made).toBeUndefined()
    expect(faults).toEqual([])
    await context.close()
  })

  test('what the server refuses in a field is said until the field is changed, or another one that belongs to it', async () => {
    const { context, page } = await open('okafor', '/years')
    await page.getByRole('button', { name: 'Change the term Hilary' }).first().click()
    const term = page.getByRole('dialog').getByLabel('Term', { exact: true })
    const proposed = await term.inputValue()
    const [own, name] = [{ label: 'A word of your own …' }, page.getByLabel('Name of the term')]
    const notice = page.getByText('Some of what was sent')
    const refused = async () => {
      // A text of which nothing is seen.
      await name.fill('\u200b')
      await page.getByRole('button', { name: 'Save' }).click()
      await notice.waitFor()
      expect(await name.getAttribute('aria-invalid')).toBe('true')
    }
    await term.selectOption(own)
    await refused()
    await name.fill('Spring')
    await notice.waitFor({ state: 'detached' })
    expect(await name.getAttribute('aria-invalid')).not.toBe('true')
    await refused()
    await term.selectOption(proposed)
    await notice.waitFor({ state: 'detached' })
    await term.selectOption(own)
    await context.close()
  })

  test('a year with its days in the wrong order says so as they are typed, and is not sent', async () => {
    const { context, page, faults } = await open('okafor', '/years', { viewport: sizes.phone })
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
    await page.getByRole('button', { name: 'Change the year 2025/26' }).click()
    const [first, last] = [page.getByLabel('First day'), page.getByLabel('Last day')]
    const days = [await first.inputValue(), await last.inputValue()] as const
    const fault = page.getByText('The last day must come after the first.')
    for (const [field, day] of [
      [last, days[0]],
      [first, '2031-01-01'],
    ] as const) {
      await field.fill(day)
      await fault.waitFor()
      expect(await last.getAttribute('aria-invalid')).toBe('true')
      await page.getByRole('button', { name: 'Save' }).click()
      await first.fill(days[0])
      await last.fill(days[1])
      await fault.waitFor({ state: 'detached' })
    }
    expect(sent).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the days of a term are checked as they are typed, and nothing is sent before they are right', async () => {
    const { context, page, faults } = await open('okafor', '/years', { viewport: sizes.phone })
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
    await page.getByRole('button', { name: 'Change the term Hilary' }).first().click()
    const [first, last] = [page.getByLabel('First day'), page.getByLabel('Last day')]
    const save = page.getByRole('button', { name: 'Save' })
    const days = [await first.inputValue(), await last.inputValue()] as const
    const cases = [
      [last, '2024-01-01', 'This day is not in the year.'],
      [last, days[0], 'The last day must come after the first.'],
      [first, '2031-01-01', 'This day is not in the year.'],
      [first, '', 'Please fill this in.'],
    ] as const
    for (const [field, text, fault] of cases) {
      await field.fill(text)
      await page.getByText(fault).waitFor()
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      expect(await page.getByText('These days are also days of', { exact: false }).count()).toBe(0)
      await save.click()
      await first.fill(days[0])
      await last.fill(days[1])
      await page.getByText(fault).waitFor({ state: 'detached' })
    }
    await first.fill('2025-09-15')
    await page.getByText('These days are also days of Michaelmas.', { exact: false }).waitFor()
    await expectFits(page)
    expect(sent).toEqual([])
    await first.fill(days[0])
    await save.click()
    await dialogsClosed(page)
    expect(sent).toHaveLength(1)
    expect(faults).toEqual([])
    await context.close()
  })

  test('of two heads who add one year at the same time the second is asked; a year that exists twice is shown as that', async () => {
    const okafor = await site.as('okafor')
    const named = async () => (await okafor.academicYears.list()).filter(({ name }) => name.startsWith('2033/34')).map(({ name }) => name)
    const { context, page, faults } = await open('okafor', '/years')
    await page.getByRole('button', { name: 'Add a year' }).click()
    const dialog = page.getByRole('dialog')
    await page.getByLabel('Name').fill('2033/34 ')
    await page.getByLabel('First day').fill('2033-09-01')
    await page.getByLabel('Last day').fill('2034-06-30')
    await page.getByLabel('Hilary: from', { exact: true }).fill('2034-01-11')
    await okafor.academicYears.create({
      body: { name: '2033/34', startDate: '2033-09-02', endDate: '2034-06-30', gradingModel: 'term_based', mayRepeat: false },
    })
    for (const _ of [1, 2]) {
      await page.getByRole('button', { name: 'Save' }).press('Enter')
      await dialog.getByText('There is already a year of this name', { exact: false }).waitFor()
      expect(await named()).toEqual(['2033/34'])
    }
    // Typed days stay, although the year before is another one now.
    expect(await page.getByLabel('Hilary: from', { exact: true }).inputValue()).toBe('2034-01-11')
    await expectForEverybody(page)
    await picture(page, 'years-repeated-pc')
    // The question is scrolled into view, although «Save» is at the end of the form.
    const top = () => page.getByLabel('Add another one all the same').evaluate((it) => it.getBoundingClientRect().top)
    expect(await top()).toBeGreaterThan(0)
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'years-repeated-phone')
    await page.setViewportSize(sizes.pc)
    await page.getByLabel('Add another one all the same').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    expect(await named()).toEqual(['2033/34', '2033/34'])
    await expect.poll(() => page.getByText('2033/34 has the name or the days of another year here.', { exact: false }).count()).toBe(2)
    await picture(page, 'years-alike-pc')
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await page.getByText('has the name or the days of another year', { exact: false }).first().waitFor({ state: 'detached' })
    for (const { id, name } of await okafor.academicYears.list())
      if (name === '2033/34') await okafor.academicYears.remove({ params: { id } })
    expect(faults).toEqual([])
    await context.close()
  })

  test('the head opens the next year: one pupil repeats, one leaves, a class is new; the choices survive a reload', async () => {
    const okafor = await site.as('okafor')
    const body = { name: '2032/33', startDate: '2032-09-01', endDate: '2033-06-30', gradingModel: 'term_based' } as const
    const year = await okafor.academicYears.create({ body })
    const of = { query: { academicYearId: class3B.academic_year_id } }
    await okafor.assessmentCategories.create({ body: { ...of.query, assessmentType: 'coursework', name: 'Projects', weight: 30 } })
    const set = await okafor.teachingSets.create({ body: { ...of.query, subjectId: english.id, name: 'English upper' } })
    await okafor.teachingSets.setTeachers({ params: set, body: { teacherIds: [people.ada.id] } })
    await okafor.teachingSets.setStudents({ params: set, body: { studentIds: [fatima, mei, sean, zoe].map(({ id }) => id) } })
    const bands = [{ letter: 'P', minimum: 0, remark: 'Passed' }]
    await okafor.gradingScale.put({ ...of, body: { passMark: 55, bands } })
    const { context, page, faults } = await open('okafor', `/years/${year.id}/roll-over`)
    const opened = page.getByRole('region', { name: 'Classes of the new year' })
    await opened.getByLabel('Name of new class 1').waitFor()
    await opened.getByLabel('Class teacher of 4A').selectOption({ label: 'Ada Nowak' })
    await opened.getByRole('button', { name: 'Add a class' }).click()
    await opened.getByLabel('Name of new class 3').fill('3B')

    await page.getByRole('button', { name: 'Where the pupils of 3B go' }).click()
    await page.getByLabel('Adeyemi, Zoë goes to').selectOption('3B (repeats)')
    await page.getByLabel('Chen, Mei goes to').selectOption('Leaves the school')
    await page.getByLabel('Murphy, Seán goes to').selectOption('Not placed yet')
    await expectForEverybody(page)
    await picture(page, 'roll-over-pupils')
    await page.getByRole('button', { name: 'Close' }).click()
    await dialogsClosed(page)
    expect(await page.getByLabel('The categories of assessments: Projects').isChecked()).toBe(true)
    await page.getByLabel('The grading scale of 2025/26').check()
    const day = (name: string) => page.getByLabel(name, { exact: true })
    expect(await day('Hilary: from').inputValue()).toBe('2033-01-05')
    await day('Hilary: from').fill('2033-08-01')
    await page.getByText('This day is not in the year.').waitFor()
    expect(await page.getByRole('button', { name: 'See what would happen' }).isDisabled()).toBe(true)
    await page.getByText('First correct the days of the terms.').waitFor()
    await day('Hilary: from').fill('2033-01-10')
    await page.getByRole('checkbox', { name: 'Trinity' }).uncheck()
    expect(await page.getByLabel('The teaching sets: English upper').isChecked()).toBe(true)
    expect(await page.getByLabel('1 pupil who repeats stays in these sets too').isChecked()).toBe(false)
    await page.reload()
    await expect.poll(() => page.getByLabel('The grading scale of 2025/26').isChecked()).toBe(true)
    expect(await day('Hilary: from').inputValue()).toBe('2033-01-10')
    await page.getByText('1 repeats', { exact: true }).waitFor()
    await page.getByText('1 leaves').waitFor()
    await page.getByText('2: Murphy, Seán; Gallagher, Robin').waitFor()
    await expectForEverybody(page)
    const look = page.getByRole('button', { name: 'See what would happen' })
    expect(await page.getByRole('button', { name: 'Write it' }).isDisabled()).toBe(true)
    await look.press('Enter')
    await page.getByText('1 pupil is made inactive.', { exact: false }).waitFor()
    // A second Enter, or the second press of a double click, makes the preview again.
    const again = page.waitForResponse((response) => response.url().includes('/roll-over?dryRun=true'))
    await page.keyboard.press('Enter')
    await again
    await look.dblclick()
    await page.waitForLoadState('networkidle')
    expect(await okafor.classes.list({ query: { academicYearId: year.id } })).toEqual([])
    expect(new URL(page.url()).pathname).toBe(`/years/${year.id}/roll-over`)
    await page
      .getByText(
        '1 category of assessments comes along. The scale comes along. 1 teaching set comes along. Places in sets: 1. 2 terms are added.',
        {
          exact: false,
        },
      )
      .waitFor()
    await page.getByLabel('1 pupil who repeats stays in these sets too').check()
    await page.getByRole('button', { name: 'See what would happen' }).click()
    await page.getByText('Places in sets: 2.', { exact: false }).waitFor()
    await page.getByLabel('1 pupil who repeats stays in these sets too').uncheck()
    await page.getByRole('button', { name: 'See what would happen' }).click()
    await page.getByText('Places in sets: 1.', { exact: false }).waitFor()
    await picture(page, 'roll-over-seen')
    expect(await okafor.classes.list({ query: { academicYearId: year.id } })).toEqual([])
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'roll-over-phone')
    for (const places of [2, 1]) {
      await page.getByLabel('1 pupil who repeats stays in these sets too').setChecked(places === 2)
      await page.getByRole('button', { name: 'See what would happen' }).click()
      await page.getByText(`Places in sets: ${places}.`, { exact: false }).waitFor()
      // The notice moves the next button down.
      const lowest = () => page.getByRole('button', { name: 'Write it' }).evaluate((it) => it.getBoundingClientRect().bottom)
      await expect.poll(lowest).toBeLessThan(sizes.phone.height + 1)
    }
    await page.setViewportSize(sizes.pc)

    // A class with that name was added meanwhile: it is reported, and nothing is written.
    const other = await okafor.classes.create({ body: { name: '4A', academicYearId: year.id } })
    await page.getByRole('button', { name: 'Write it' }).click()
    await page.getByText('This year already has a class called 4A.').waitFor()
    expect(await okafor.classes.list({ query: { academicYearId: year.id } })).toHaveLength(1)
    // The preview is not valid any more, and the page lists that class.
    expect(await page.getByText('Nothing is written yet.', { exact: false }).count()).toBe(0)
    await page.getByText('already open').first().waitFor()
    await expectForEverybody(page)
    await picture(page, 'roll-over-refused')
    // Also in Arabic.
    await okafor.classes.remove({ params: { classId: other.id } })
    await page.evaluate(() => localStorage.setItem('markbook.language', 'ar'))
    await page.reload()
    await page.getByRole('button', { name: 'معاينة ما سيحدث' }).click()
    const inArabic = page.getByRole('button', { name: 'كتابته' })
    await expect.poll(() => inArabic.isEnabled()).toBe(true)
    const another = await okafor.classes.create({ body: { name: '4A', academicYearId: year.id } })
    await inArabic.click()
    await page.getByText(/في هذه السنة صف باسم .?4A.? من قبل\./).waitFor()
    await expectForEverybody(page)
    await picture(page, 'roll-over-refused-arabic')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'roll-over-refused-arabic-phone')
    await page.setViewportSize(sizes.pc)
    await page.evaluate(() => localStorage.setItem('markbook.language', 'en'))
    await okafor.classes.remove({ params: { classId: another.id } })
    await page.reload()
    await page.getByRole('button', { name: 'See what would happen' }).click()
    await page.getByRole('button', { name: 'Write it' }).click()
    await page.waitForURL(`${site.url}/classes`)
    const terms = await okafor.terms.list({ query: { yearId: year.id } })
    expect(terms.map(({ name, start_date, end_date }) => [name, start_date, end_date])).toEqual([
      ['michaelmas', '2032-09-01', '2032-12-18'],
      ['hilary', '2033-01-10', '2033-03-26'],
    ])
    const classes = await okafor.classes.list({ query: { academicYearId: year.id } })
    expect(classes.map(({ name }) => name)).toEqual(['3B', '4A', '4B'])
    const namesIn = async (name: string) => {
      const id = classes.find((one) => one.name === name)?.id ?? ''
      return (await okafor.classes.students({ params: { id } })).map((one) => one.first_name)
    }
    expect(await namesIn('3B')).toEqual(['Zoë'])
    const here = { query: { academicYearId: year.id } }
    expect(await okafor.assessmentCategories.list(here)).toMatchObject([{ name: 'Projects', weight: 30 }])
    expect(await okafor.gradingScale.get(here)).toEqual({ pass_mark: 55, bands })
    expect(await namesIn('4B')).toEqual(['Aoife', 'Élan', 'Łukasz'])
    const setNow = async () => {
      const [one] = await okafor.teachingSets.list(here)
      const pupils = await okafor.teachingSets.students({ params: { id: one?.id ?? '' } })
      return [one?.name, one?.subject.id, one?.teachers.map(({ id }) => id), pupils.map(({ first_name }) => first_name)]
    }
    expect(await setNow()).toEqual(['English upper', english.id, [people.ada.id], ['Fatima']])
    expect((await okafor.students.list({ query: { search: 'Mei' } }))[0]).toMatchObject({ is_active: false })

    // The second run: forgotten pupils go into the existing class.
    await page.goto(`${site.url}/years/${year.id}/roll-over`)
    await page.getByText('already open').first().waitFor()
    expect(await day('Hilary: from').count()).toBe(0)
    await page.getByRole('button', { name: 'See what would happen' }).click()
    // Robin had no class in the year before either.
    await page.getByText('1 pupil is not placed yet and has no class afterwards. Nothing is written yet.', { exact: false }).waitFor()
    await picture(page, 'roll-over-unplaced')
    await page.getByRole('button', { name: 'Write it' }).click()
    await page.waitForURL(`${site.url}/classes`)
    expect(await namesIn('4B')).toEqual(['Aoife', 'Seán', 'Élan', 'Łukasz'])
    expect((await setNow())[3]).toEqual(['Fatima', 'Seán'])
    expect(faults).toEqual([])
    await context.close()
  })
})
