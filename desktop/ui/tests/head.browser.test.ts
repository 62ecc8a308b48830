import { people } from '@markbook/shared/story/people'
import { class3B } from '@markbook/shared/story/school-year'
import { describe, expect, test } from 'vitest'
import { headlessPath } from './chromium.ts'
import { siteInBrowser } from './site.ts'

describe.skipIf(!headlessPath)('the head', () => {
  const { site, open } = siteInBrowser()

  test('adds next year with its terms, whose weights must give 100, and opens its classes from this year’s', async () => {
    const { context, page, faults } = await open('okafor', '/years')
    await page.getByRole('button', { name: 'Add a year' }).click()
    // As the year before, a year later.
    expect(await page.getByLabel('Name').inputValue()).toBe('2026/27')
    expect(await page.getByLabel('First day').inputValue()).toBe('2026-09-01')
    expect(await page.getByLabel('Last day').inputValue()).toBe('2027-06-30')
    expect(await page.getByLabel('Results are counted').inputValue()).toBe('year_based')
    await page.getByRole('button', { name: 'Save' }).click()
    const card = page.getByRole('region', { name: '2026/27', exact: true })
    const yearAtTop = page.getByLabel('Year', { exact: true })
    await yearAtTop.selectOption({ label: '2026/27' })
    await page.getByText('2026/27 has no terms yet. They are added under “Years and terms”.').waitFor()
    expect(await yearAtTop.locator('option:checked').innerText()).toBe('2025/26')
    await card.getByRole('button', { name: 'Add a term' }).click()
    await page.getByLabel('Exams, in %').fill('70')
    expect(await page.getByLabel('Coursework, in %').inputValue()).toBe('30')
    await page.getByLabel('Coursework, in %').fill('no number')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('Please type a number')
    await page.getByLabel('Coursework, in %').fill('30')
    await page.getByRole('button', { name: 'Save' }).click()
    await card.getByText('Exams 70 %, coursework 30 %').waitFor()
    // Nothing came before the first year, so it has no such link.
    const first = page.getByRole('region', { name: '2024/25', exact: true })
    await first.waitFor()
    expect(await first.getByRole('link', { name: /^Open the classes/ }).count()).toBe(0)
    await card.getByRole('link', { name: 'Open the classes from last year’s' }).click()
    await page.getByLabel('Name of new class 1').waitFor()
    expect(await page.getByLabel('Name of new class 2').inputValue()).toBe('4B')
    await page.getByRole('button', { name: 'See what would happen' }).click()
    await page.getByText('Nothing is written yet', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Write it' }).click()
    await page.waitForURL('**/classes')
    await page.getByText('The classes of 2026/27.').waitFor()
    await page.getByRole('link', { name: '4A', exact: true }).waitFor()
    const head = await site.as('okafor')
    const years = await head.academicYears.list()
    const next = years.find(({ name }) => name === '2026/27')
    const classes = await head.classes.list({ query: { academicYearId: next?.id } })
    expect(classes.map(({ name }) => name)).toEqual(['4A', '4B'])
    const [before, after] = await Promise.all([class3B.id, classes[1]?.id ?? ''].map((id) => head.classes.students({ params: { id } })))
    expect(after?.map(({ id }) => id)).toEqual(before?.map(({ id }) => id))
    // Who had chosen the old year sees the new one once it is the current one.
    await page.getByRole('link', { name: 'Years and terms' }).click()
    await yearAtTop.selectOption({ label: '2025/26' })
    await card.getByRole('button', { name: 'Make it the current year' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make it the current year' }).click()
    await expect.poll(() => yearAtTop.locator('option:checked').innerText()).toBe('2026/27')
    expect(faults).toEqual([])
    await context.close()
  })

  test('lets somebody in who asked, as a teacher, and gives a code at the desk that signs in once', async () => {
    const { context, page } = await open('okafor', '/people')
    await page.getByRole('button', { name: 'Accept Tomás Keane' }).click()
    await page.getByText('Tomás Keane now belongs to the school.').waitFor()
    const head = await site.as('okafor')
    expect(await head.schools.members()).toContainEqual(expect.objectContaining({ user_id: people.tomas.id, role: 'teacher' }))
    await page.getByLabel('For whom').selectOption({ label: 'Ada Nowak' })
    await page.getByRole('button', { name: 'Give a code' }).click()
    const code = await page.getByText(/^\d{4} \d{4}$/).innerText()
    const verify = () =>
      fetch(`${site.url}/api/auth/otp/verify`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: people.ada.email, token: code }),
      })
    expect((await verify()).status).toBe(200)
    expect((await verify()).status).toBe(400)
    await context.close()
  })

  test('imports a list of pupils: first what would happen row by row, then all of it, then enrols them together', async () => {
    const { context, page } = await open('okafor', '/students')
    const table = (rows: string) => ({
      name: 'pupils.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`first_name,last_name,gender\n${rows}`),
    })
    await page.getByRole('button', { name: 'Import a list' }).click()
    await page.getByLabel('File (.xlsx or .csv)').setInputFiles(table('Nuala,Álvarez,female\nSeán,Barry,nobody\n'))
    await page.getByRole('button', { name: 'See what would happen' }).click()
    await page.getByText('1 row that cannot be taken', { exact: false }).waitFor()
    await page.getByLabel('File (.xlsx or .csv)').setInputFiles(table('Nuala,Álvarez,female\nSeán,Barry,male\n'))
    await page.getByRole('button', { name: 'See what would happen' }).click()
    await page.getByRole('button', { name: 'Write 2 rows' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Álvarez, Nuala' }).waitFor()
    await page.getByLabel('Find by name').fill('alvarez')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.goto(`${site.url}/classes/${class3B.id}`)
    await page.getByRole('button', { name: 'Enrol pupils' }).click()
    await page.getByLabel('Find a pupil').fill('ba')
    await page.getByLabel('Barry, Seán').check()
    await page.getByLabel('Find a pupil').fill('alv')
    await page.getByLabel('Álvarez, Nuala').check()
    await page.getByRole('button', { name: 'Enrol 2 pupils' }).click()
    await page.getByRole('link', { name: 'Barry, Seán' }).waitFor()
    await context.close()
  })

  test('cannot save a scale that leaves results without a letter, and saves one that does not', async () => {
    const { context, page } = await open('okafor', '/scale')
    await page.getByLabel('Letter 1').waitFor()
    await page.getByRole('button', { name: 'Add a line' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).first().isDisabled()).toBe(true)
    const lines = await page.getByLabel(/^Letter \d+$/).count()
    await page.getByLabel(`From, line ${lines - 1}`).fill('12,5')
    await page.getByLabel(`Letter ${lines}`).fill('Z')
    await page.getByLabel(`From, line ${lines}`).fill('0')
    await page.getByLabel(`Remark, line ${lines}`).fill('Come and see us')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('The scale is saved.', { exact: false }).first().waitFor()
    const scale = await (await site.as('okafor')).gradingScale.get()
    expect(scale.bands.at(-1)).toEqual({ letter: 'Z', minimum: 0, remark: 'Come and see us' })
    expect(scale.bands.at(-2)?.minimum).toBe(12.5)
    await context.close()
  })

  test('adds an assessment with a decimal comma, leaves it out with a reason, and deletes it only by its title', async () => {
    const { context, page } = await open('okafor', '/assessments')
    await page.getByRole('button', { name: 'Add an assessment' }).click()
    await page.getByLabel('Title').fill('Test 9')
    await page.getByLabel('Maximum').fill('12,5')
    await page.getByLabel('Weight').fill('2')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Change Test 9' }).click()
    await page.getByLabel('Counts in the results').uncheck()
    await page.getByLabel('Why it is left out').fill('Fire drill')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('left out: Fire drill').waitFor()
    await page.getByRole('button', { name: 'Change Test 9' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    expect(await page.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await page.getByLabel('Type the title').fill('Test 9')
    await page.getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Change Test 9' }).count()).toBe(0)
    await context.close()
  })
})
