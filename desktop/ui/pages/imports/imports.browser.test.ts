import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aoife, mathsQuiz, sean } from '@markbook/shared/story/marks'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { openGrid } from '../../tests/grid.ts'
import { siteInBrowser } from '../../tests/site.ts'

const FILE = 'File (.xlsx or .csv)'
const HEAD = 'Last name,First name,Gender,Date of birth,Class'
const csv = (...lines: string[]) => ({ name: 'autumn.csv', mimeType: 'text/csv', buffer: Buffer.from([HEAD, ...lines].join('\n')) })

describe.skipIf(!headlessPath)('an import', () => {
  const { site, browser, open } = siteInBrowser()

  const opened = async (options = {}) => {
    const { context, page, faults } = await open('okafor', '/students', options)
    await page.getByRole('button', { name: 'Import a list' }).click()
    return { context, page, faults, dialog: page.getByRole('dialog').first() }
  }
  const found = async (search: string) => (await site.as('okafor')).students.list({ query: { search } })
  const focused = (page: Page) => page.evaluate(() => (document.activeElement as HTMLInputElement).value)
  const look = 'See what would happen'

  test('a file that was changed on the disk is read again when it is chosen again; a missing one is reported', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'markbook-import-'))
    const path = join(folder, 'autumn.csv')
    const { context, page, dialog } = await opened()
    writeFileSync(path, `${HEAD}\nAhearn,Ita,nobody,,\n`)
    await page.getByLabel(FILE).setInputFiles(path)
    await dialog.getByText('autumn.csv: 1 row').waitFor()
    await dialog.getByRole('button', { name: look }).click()
    await dialog.getByText('Gender: “nobody” is not understood', { exact: false }).waitFor()
    // The input is emptied, since a browser reports only a change of the choice.
    expect(await page.getByLabel(FILE).inputValue()).toBe('')
    writeFileSync(path, `${HEAD}\nAhearn,Ita,female,,\nBehan,Con,male,,\n`)
    await page.getByLabel(FILE).setInputFiles(path)
    await dialog.getByText('autumn.csv: 2 rows').waitFor()
    await dialog.getByRole('button', { name: look }).click()
    await dialog.getByRole('button', { name: 'Write 2 rows' }).waitFor()
    await page.evaluate(() => {
      File.prototype.arrayBuffer = () => Promise.reject(new DOMException('', 'NotFoundError'))
    })
    await page.getByLabel(FILE).setInputFiles(path)
    await dialog.getByText('This file cannot be read any more.', { exact: false }).waitFor()
    expect(await dialog.getByRole('button', { name: look }).isDisabled()).toBe(true)
    rmSync(folder, { recursive: true })
    await context.close()
  })

  test('offers to make the classes that are missing before it names the rows that need them', async () => {
    const { context, page, dialog } = await opened()
    await page.getByLabel(FILE).setInputFiles(csv('Egan,Ann,female,2011-03-01,6Z', 'Egan,Con,male,2011-03-02,6Z'))
    await dialog.getByRole('button', { name: look }).click()
    const top = async (name: string) => (await dialog.getByRole('button', { name }).boundingBox())?.y ?? Number.NaN
    await dialog.getByRole('button', { name: 'Leave these 2 rows out' }).waitFor()
    expect(await top('Make class 6Z')).toBeLessThan(await top('Leave these 2 rows out'))
    await context.close()
  })

  test('corrects cells with the keyboard, leaves out and saves rows, imports these later, and undoes all of it', async () => {
    const { context, page, faults, dialog } = await opened()
    const good = Array.from({ length: 56 }, (_, at) => `Cullen${at},Good,${at % 2 ? 'male' : 'female'},2011-03-${(at % 28) + 1},3B`)
    const bad = ['Devlin,Ann,nobody,2011-02-31,3B', 'Devlin,Ben,male,,3Q', '=cmd|calc,<b>Eve</b>,what,,', 'Devlin,Dan,male,then,3B']
    await page.getByLabel(FILE).setInputFiles(csv(...good.slice(0, 20), ...bad, ...good.slice(20)))
    await dialog.getByRole('button', { name: look }).click()
    await dialog.getByText('4 rows that cannot be taken.', { exact: false }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'import-faults-pc')
    const ann = dialog.getByRole('row', { name: /^22 Devlin, Ann/ })
    await ann.getByLabel('Gender: “nobody” is not understood', { exact: false }).fill('female')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('2011-02-31')
    await page.keyboard.type('2011-02-28')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('3Q')
    await ann.getByText('new').waitFor()
    await dialog.getByRole('button', { name: 'Leave out row 23 Devlin, Ben' }).click()
    await dialog.getByText('1 left out. Correct the cells', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Leave these 2 rows out' }).click()
    await dialog.getByRole('button', { name: 'Take row 25 Devlin, Dan again' }).click()
    await dialog.getByLabel('Date of birth: “then” cannot be read as a day', { exact: false }).fill('2011-04-05')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Write 58 rows' }).waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'import-corrected-pc')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Write 58 rows')
    await page.keyboard.press('Enter')
    await dialog.getByText('The table is imported. 58 new.').waitFor()
    await dialog.getByText('2 rows were left out: 23 (Devlin, Ben), 24 (=cmd|calc, <b>Eve</b>).').waitFor()
    await expectForEverybody(page)
    await picture(page, 'import-done-pc')
    expect(await found('devlin')).toMatchObject([
      { first_name: 'Ann', gender: 'female', date_of_birth: '2011-02-28' },
      { first_name: 'Dan', date_of_birth: '2011-04-05' },
    ])
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save these rows to correct them later' }).click(),
    ])
    const text = readFileSync(await saved.path(), 'utf8')
    expect(text).toBe(`\ufeff${HEAD}\r\nDevlin,Ben,male,,3Q\r\n'=cmd|calc,<b>Eve</b>,what,,\r\n`)
    await dialog.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('button', { name: 'Import a list' }).click()
    await page.getByLabel(FILE).setInputFiles({ name: 'rest.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await dialog.getByRole('button', { name: look }).click()
    await dialog.getByLabel('Class: there is no class “3Q”', { exact: false }).fill('3B')
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Gender: “what” is not understood', { exact: false }).fill('other')
    await dialog.getByLabel('Gender: “what” is not understood', { exact: false }).press('Enter')
    await dialog.getByRole('button', { name: 'Write 2 rows' }).click()
    await dialog.getByText('The table is imported. 2 new.').waitFor()
    expect(await found('cmd')).toMatchObject([{ last_name: '=cmd|calc', first_name: '<b>Eve</b>', gender: 'other' }])
    await dialog.getByRole('button', { name: 'Close' }).click()

    // Ann has a mark by now, and stays.
    const [ann_] = await found('devlin, ann')
    await (await site.as('okafor')).grades.create({ body: { assessmentId: mathsQuiz.id, studentId: ann_?.id as string, score: 3 } })
    await page.getByRole('button', { name: 'Import a list' }).click()
    await dialog.getByText('2 earlier imports').click()
    await picture(page, 'import-earlier-pc')
    await dialog.getByRole('button', { name: /^Undo the import of autumn.csv/ }).click()
    const undo = page.getByRole('dialog', { name: 'Undo this import?' })
    await undo.getByText('57 entries that the import made are removed').waitFor()
    await undo.getByText('Ann Devlin: has marks or a report by now').waitFor()
    await expectForEverybody(page)
    await picture(page, 'import-undo-pc')
    await undo.getByRole('button', { name: 'Undo the import' }).click()
    await page.getByText('The import is undone: 57 taken back. 1 stays.').first().waitFor()
    await dialog.getByText('Undone', { exact: false }).waitFor()
    expect(await found('cullen')).toEqual([])
    expect(await found('devlin')).toMatchObject([{ first_name: 'Ann' }, { first_name: 'Ben' }])
    expect(faults).toEqual([])
    await context.close()
  })

  test('asks how ambiguous days are read, shows the result, and reads them again after another choice', async () => {
    const { context, page, faults, dialog } = await opened()
    await page.getByLabel(FILE).setInputFiles(csv('Farrell,Joe,male,03/04/2011,', 'Farrell,Kay,female,05/06/2011,'))
    await dialog.getByText('“03/04/2011” may be one day or another', { exact: false }).waitFor()
    expect(await dialog.getByRole('button', { name: look }).isDisabled()).toBe(true)
    await dialog.getByLabel('The days of this list have').scrollIntoViewIfNeeded()
    await expectForEverybody(page)
    await picture(page, 'import-days-asked-pc')
    await dialog.getByLabel('The days of this list have').selectOption('the month first: 12/31/2010')
    await dialog.getByText('03/04/2011 is read as 4 Mar 2011').waitFor()
    await dialog.getByRole('button', { name: look }).click()
    await dialog.getByRole('button', { name: 'Write 2 rows' }).waitFor()
    await dialog.getByLabel('The days of this list have').selectOption('the day first: 31/12/2010')
    await dialog.getByText('03/04/2011 is read as 3 Apr 2011').waitFor()
    await expectFits(page)
    await dialog.getByLabel('The days of this list have').scrollIntoViewIfNeeded()
    await picture(page, 'import-days-pc')
    await dialog.getByRole('button', { name: look }).click()
    await dialog.getByRole('button', { name: 'Write 2 rows' }).click()
    await dialog.getByText('The table is imported. 2 new.').waitFor()
    expect((await found('farrell')).map(({ date_of_birth }) => date_of_birth)).toEqual(['2011-04-03', '2011-06-05'])
    await dialog.getByRole('button', { name: 'Undo the import' }).click()
    await page.getByRole('dialog', { name: 'Undo this import?' }).getByRole('button', { name: 'Undo the import' }).click()
    await dialog.getByText('The import is undone.', { exact: true }).waitFor()
    expect(await found('farrell')).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Import a list' }).click()
    await page
      .getByLabel(FILE)
      .setInputFiles(csv('Farrell,Joe,male,31/04/2011,', 'Farrell,Kay,female,25/06/2011,', 'Farrell,Leo,male,2011-01-02,'))
    await dialog.getByText('The list itself shows it.').waitFor()
    await dialog.getByText('2011-01-02 is read as 2 Jan 2011').waitFor()
    await page
      .getByLabel(FILE)
      .setInputFiles({ ...csv(), buffer: Buffer.from('Last name,First name,Gender,Born\nFarrell,Mo,other,40627\n') })
    await dialog.getByText('“40627” is a number and no day.', { exact: false }).waitFor()
    await dialog.getByLabel('The days of this list have').selectOption('a spreadsheet’s numbers: 40543')
    await dialog.getByText('40627 is read as 25 Mar 2011').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('keeps corrections after Escape, and writes nothing that has become wrong since the preview', async () => {
    const { context, page, dialog } = await opened()
    await page.getByLabel(FILE).setInputFiles(csv('Gill,Ned,q,2011-03-04,3B'))
    await dialog.getByRole('button', { name: look }).click()
    await dialog.getByLabel('Gender: “q” is not', { exact: false }).fill('m')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Write 1 row' }).waitFor()
    await page.keyboard.press('Escape')
    const leave = page.getByRole('dialog', { name: 'Leave this import?' })
    await leave.waitFor()
    await picture(page, 'import-leave-pc')
    await page.keyboard.press('Escape')
    await leave.waitFor({ state: 'detached' })
    // Somebody else adds the same pupil while the preview is open.
    const okafor = await site.as('okafor')
    await okafor.students.create({ body: { firstName: 'Ned', lastName: 'Gill', gender: 'male', dateOfBirth: '2011-03-04' } })
    await dialog.getByRole('button', { name: 'Write 1 row' }).click()
    await dialog.getByText('The table is imported. 1 changed.').waitFor()
    expect(await found('gill')).toHaveLength(1)
    await context.close()
  })

  test('writes everything or nothing where the server stops meanwhile, and nobody twice when it is sent again', async () => {
    const { context, page, dialog } = await opened()
    await page.getByLabel(FILE).setInputFiles(csv('Hogan,Amy,female,2011-03-04,3B', 'Hogan,Bob,male,2011-05-04,'))
    await dialog.getByRole('button', { name: look }).click()
    const write = dialog.getByRole('button', { name: 'Write 2 rows' })
    await write.waitFor()
    await page.route('**/api/students/import*', (route) => route.abort('connectionreset'), { times: 1 })
    await write.click()
    await dialog.getByText('It is not known whether the table was written.', { exact: false }).waitFor()
    await picture(page, 'import-unsure-pc')
    expect(await found('hogan')).toEqual([])
    // This time the request arrives, and only the reply is lost.
    await page.route(
      '**/api/students/import*',
      async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      },
      { times: 1 },
    )
    await write.click()
    await expect.poll(async () => (await found('hogan')).length).toBe(2)
    await dialog.getByText('It is not known whether the table was written.', { exact: false }).waitFor()
    await write.click()
    await dialog.getByText('The table is imported. 2 as they are.').waitFor()
    expect(await found('hogan')).toHaveLength(2)
    await context.close()
  })

  test('checks ten thousand rows with progress, shows 200 faults, and leaves all of them out at once', {
    timeout: 240_000,
  }, async () => {
    const { context, page, faults, dialog } = await opened()
    page.setDefaultTimeout(120_000)
    const rows = Array.from({ length: 10_000 }, (_, at) => `Irwin${at},<i>Ina</i>,${at % 4 === 0 ? 'nobody' : 'female'},2011-03-04,`)
    await page.getByLabel(FILE).setInputFiles(csv(...rows))
    await dialog.getByText('autumn.csv: 10000 rows').waitFor()
    // The message may be gone before the press has been answered here.
    await Promise.all([dialog.getByText('Checking 10000 rows').waitFor(), dialog.getByRole('button', { name: look }).click()])
    await dialog.getByText('7500 new and 2500 rows that cannot be taken.', { exact: false }).waitFor()
    await dialog.getByText('and 9800 more rows').waitFor()
    await expect.poll(() => dialog.locator('input[aria-invalid="true"]').count()).toBe(200)
    await dialog.getByRole('button', { name: 'Leave these 2500 rows out' }).click()
    await dialog.getByRole('button', { name: 'Write 7500 rows' }).waitFor()
    expect(await page.locator('td i, th i').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('every step fits a telephone', async () => {
    const { context, page, dialog } = await opened({ viewport: sizes.phone })
    await page.getByLabel(FILE).setInputFiles(csv('Joyce,Ann,nobody,03/04/2011,3Q', 'Joyce,Ben,male,04/05/2011,3B'))
    await dialog.getByLabel('The days of this list have').selectOption('the day first: 31/12/2010')
    await expectFits(page)
    await dialog.getByLabel('The days of this list have').scrollIntoViewIfNeeded()
    await picture(page, 'import-days-phone')
    await dialog.getByRole('button', { name: look }).click()
    await dialog.getByText('1 row that cannot be taken.', { exact: false }).waitFor()
    await expectFits(page)
    await picture(page, 'import-faults-phone')
    await dialog.getByLabel('Gender: “nobody” is', { exact: false }).scrollIntoViewIfNeeded()
    await picture(page, 'import-fields-phone')
    await dialog.getByRole('button', { name: 'Leave out row 2 Joyce, Ann' }).click()
    await dialog.getByRole('button', { name: 'Write 1 row' }).click()
    await dialog.getByText('Row 2 (Joyce, Ann) was left out.').waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'import-done-phone')
    await dialog.getByRole('button', { name: 'Undo the import' }).click()
    await page.getByRole('dialog', { name: 'Undo this import?' }).getByText('1 entry that the import made is removed').waitFor()
    await expectFits(page)
    await picture(page, 'import-undo-phone')
    await context.close()
  })

  test('of marks corrects cells, leaves out a row and a column, and is undone except for what another teacher changed', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada')
    await page.getByRole('button', { name: 'Import or mark sheet' }).click()
    const dialog = page.getByRole('dialog').first()
    const lines = ['Murphy,Seán,21,1', 'Murphy,Aoife,4,2', 'Nobody,Known,5,3']
    const buffer = Buffer.from(['last_name,first_name,Quiz 1,Quiz 1 (/20)', ...lines].join('\n'))
    await page.getByLabel(FILE).setInputFiles({ name: 'quiz.csv', mimeType: 'text/csv', buffer })
    await dialog.getByRole('button', { name: look }).click()
    const leaveColumn = dialog.getByRole('button', { name: 'Leave out the column Quiz 1 (/20)' })
    await leaveColumn.click()
    await dialog.getByRole('button', { name: 'Take the column Quiz 1 (/20) again' }).click()
    await leaveColumn.click()
    await dialog.getByLabel('Quiz 1: is above the maximum of 20').fill('2,5')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('Nobody')
    await expectForEverybody(page)
    await picture(page, 'import-marks-pc')
    await dialog.getByRole('button', { name: 'Leave out row 4 Nobody, Known' }).click()
    await dialog.getByRole('button', { name: 'Write 2 rows' }).click()
    await dialog.getByText('The table is imported. 2 changed.').waitFor()
    const byrne = await site.as('byrne')
    const gradeOf = async ({ id }: { id: string }) =>
      (await byrne.grades.list({ query: { assessmentId: mathsQuiz.id } })).find(({ student_id }) => student_id === id)
    expect((await gradeOf(sean))?.score).toBe(2.5)
    await byrne.grades.update({ params: { id: (await gradeOf(sean))?.id as string }, body: { score: 17 } })
    await dialog.getByRole('button', { name: 'Undo the import' }).click()
    const undo = page.getByRole('dialog', { name: 'Undo this import?' })
    await undo.getByText('Seán Murphy, Quiz 1: was changed since').waitFor()
    await undo.getByRole('button', { name: 'Undo the import' }).click()
    await dialog.getByText('The import is undone.', { exact: true }).waitFor()
    expect((await gradeOf(sean))?.score).toBe(17)
    expect((await gradeOf(aoife))?.score).not.toBe(4)
    expect(faults).toEqual([])
    await context.close()
  })

  test('of marks below a title with an assessment twice: one column is left out and the other corrected', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada')
    await page.getByRole('button', { name: 'Import or mark sheet' }).click()
    const dialog = page.getByRole('dialog').first()
    const lines = ['Collège Sainte-Brigide;;;;', '', 'N°;Nom;Prénom;Quiz 1;Quiz 1', '1;Murphy;Se\xe1n;1;12/20', '2;Murphy;Aoife;2;4,5']
    await page
      .getByLabel(FILE)
      .setInputFiles({ name: 'notes.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n'), 'latin1') })
    await dialog.getByText('notes.csv: 2 rows').waitFor()
    await dialog.getByRole('button', { name: look }).click()
    await dialog.getByRole('button', { name: 'Leave out the column Quiz 1 (E)' }).waitFor()
    await dialog.getByRole('button', { name: 'Leave out the column Quiz 1 (D)' }).click()
    await dialog.getByLabel('Quiz 1: is neither a number', { exact: false }).fill('12')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Write 2 rows' }).click()
    await dialog.getByText('The table is imported. 2 changed.').waitFor()
    const marks = await (await site.as('byrne')).grades.list({ query: { assessmentId: mathsQuiz.id } })
    expect([sean, aoife].map(({ id }) => marks.find(({ student_id }) => student_id === id)?.score)).toEqual([12, 4.5])
    expect(faults).toEqual([])
    await context.close()
  })

  test('of marks asks which of two columns with one heading has the last names', async () => {
    const { context, page, faults } = await openGrid(site, browser, 'ada')
    await page.getByRole('button', { name: 'Import or mark sheet' }).click()
    const dialog = page.getByRole('dialog').first()
    const lines = ['Nom;Prénom;Nom;Quiz 1', 'Rue Haute;Se\xe1n;Murphy;7', 'Rue Basse;Aoife;Murphy;8']
    await page
      .getByLabel(FILE)
      .setInputFiles({ name: 'notes.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n'), 'latin1') })
    await dialog.getByText('notes.csv: 2 rows').waitFor()
    const choice = dialog.getByLabel('Last name')
    expect(await choice.locator('option').allInnerTexts()).toEqual(['Please choose', 'A: Rue Haute, Rue Basse', 'C: Murphy'])
    expect(await dialog.getByRole('button', { name: look }).isDisabled()).toBe(true)
    await expectForEverybody(page)
    await picture(page, 'import-twice-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'import-twice-phone')
    await page.setViewportSize(sizes.pc)
    await choice.selectOption('C: Murphy')
    await dialog.getByRole('button', { name: look }).click()
    await dialog.getByRole('button', { name: 'Write 2 rows' }).click()
    await dialog.getByText('The table is imported. 2 changed.').waitFor()
    const marks = await (await site.as('byrne')).grades.list({ query: { assessmentId: mathsQuiz.id } })
    expect([sean, aoife].map(({ id }) => marks.find(({ student_id }) => student_id === id)?.score)).toEqual([7, 8])
    expect(faults).toEqual([])
    await context.close()
  })
})
