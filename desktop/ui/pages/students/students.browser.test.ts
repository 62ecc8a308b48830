import { DATE_STYLES, row, workbook, worksheet } from '@markbook/shared/spreadsheet/workbook.fixtures'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const FILE = 'File (.xlsx or .csv)'
const csv = (text: string) => ({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

describe.skipIf(!headlessPath)('the import of pupils', () => {
  const { site, open } = siteInBrowser()

  const opened = async (options = {}) => {
    const { context, page, faults } = await open('okafor', '/students', options)
    await page.getByRole('button', { name: 'Import a list' }).click()
    return { context, page, faults, dialog: page.getByRole('dialog') }
  }
  const found = async (search: string) => (await site.as('okafor')).students.list({ query: { search } })

  test('takes a list with the school’s own headings, asks about unknown ones, and names each pupil', async () => {
    const { context, page, faults, dialog } = await opened()
    const list = (gender: string) =>
      `\ufeffSurname;Pupil’s forename;Boy/Girl;House;D.O.B.;Form;Ref\r\nBarry;Seán;${gender};Oak;2012-03-25;3B;B-1\r\nÁlvarez;Nuala;girl;Elm;2012-07-01;3a;B-2\r\n`
    await page.getByLabel(FILE).setInputFiles(csv(list('nobody')))
    await dialog.getByText('2 columns are not understood.').waitFor()
    const meant = async () => Promise.all((await dialog.getByRole('combobox').all()).map((select) => select.inputValue()))
    expect(await meant()).toEqual(['last_name', 'first_name', 'gender', '', 'date_of_birth', 'class', ''])
    await expectForEverybody(page)
    await picture(page, 'students-import-columns-pc')
    await dialog.getByLabel('Ref').selectOption('Student number')
    await dialog.getByRole('button', { name: 'See what would happen' }).press('Enter')
    const wrong = dialog.getByRole('row', { name: /Barry, Seán/ })
    await wrong.getByText('Boy/Girl: “nobody” is not understood; write female, male or other').waitFor()
    expect(await wrong.innerText()).toMatch(/^2\s/)
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'students-import-outcome-pc')
    await page.getByLabel(FILE).setInputFiles(csv(list('boy')))
    await expect.poll(meant).toEqual(['last_name', 'first_name', 'gender', '', 'date_of_birth', 'class', 'student_number'])
    await dialog.getByRole('button', { name: 'See what would happen' }).click()
    await dialog
      .getByRole('row', { name: /Álvarez, Nuala/ })
      .getByText('new')
      .waitFor()
    await dialog.getByRole('button', { name: 'Write 2 rows' }).click()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Barry, Seán' }).waitFor()
    expect(await found('barry')).toMatchObject([{ gender: 'male', date_of_birth: '2012-03-25', student_number: 'B-1' }])
    expect(faults).toEqual([])
    await context.close()
  })

  test('takes rows copied from a spreadsheet; assigning one meaning to two columns is refused', async () => {
    const { context, page, dialog } = await opened()
    await dialog.getByText('Paste rows instead of a file').click()
    await page.getByLabel('Rows of a spreadsheet').fill('Nom\tPrénom\tSexe\tAutre\nDiop\tAwa\tFille\tx\n')
    await dialog.getByText('1 column is not understood.').waitFor()
    await dialog.getByLabel('Autre').selectOption('Gender')
    await dialog.getByText('Another column is said to be the same.').first().waitFor()
    const look = dialog.getByRole('button', { name: 'See what would happen' })
    expect(await look.isDisabled()).toBe(true)
    await dialog.getByLabel('Autre').selectOption('not used')
    await dialog.getByLabel('Prénom').selectOption('not used')
    await dialog.getByText('Say which columns hold the last name and the first name').waitFor()
    await dialog.getByLabel('Prénom').selectOption('First name')
    await look.click()
    await dialog.getByRole('button', { name: 'Write 1 row' }).click()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Diop, Awa' }).waitFor()
    expect(await found('diop')).toMatchObject([{ gender: 'female' }])
    await context.close()
  })

  test('takes a workbook with unknown headings; it fits a telephone in dark mode', async () => {
    const { context, page, dialog } = await opened({ viewport: sizes.phone, colorScheme: 'dark' })
    const rows = [
      row(1, 'A name', 'Another', 'Which', 'When'),
      `${row(2, 'Kovač', 'Ivana', 'f').replace('</row>', '')}<c r="D2" s="1"><v>40627</v></c></row>`,
    ]
    const buffer = Buffer.from(workbook({ sheets: [{ name: 'List', xml: worksheet(rows.join('')) }], styles: DATE_STYLES }))
    await page.getByLabel(FILE).setInputFiles({ name: 'list.xlsx', mimeType: 'application/zip', buffer })
    for (const [heading, meaning] of [
      ['A name', 'Last name'],
      ['Another', 'First name'],
      ['Which', 'Gender'],
      ['When', 'Date of birth'],
    ] as const)
      await dialog.getByLabel(heading, { exact: true }).selectOption(meaning)
    await dialog.getByText('such as 2011-03-25').waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'students-import-columns-phone')
    await dialog.getByRole('button', { name: 'See what would happen' }).click()
    await dialog.getByRole('row', { name: /Kovač, Ivana/ }).waitFor()
    await expectFits(page)
    await page.getByRole('button', { name: 'Write 1 row' }).scrollIntoViewIfNeeded()
    await picture(page, 'students-import-outcome-phone')
    await page.setViewportSize({ width: 683, height: 384 })
    await expectFits(page)
    await dialog.getByRole('button', { name: 'Write 1 row' }).click()
    await dialog.getByText('The table is imported. 1 new.').waitFor()
    expect(await found('kovac')).toMatchObject([{ gender: 'female', date_of_birth: '2011-03-25' }])
    await context.close()
  })

  test('shows the server’s message for a file that is no table', async () => {
    const { context, page, dialog } = await opened()
    await page.getByLabel(FILE).setInputFiles({ name: 'list.xlsx', mimeType: 'application/zip', buffer: Buffer.from('%PDF-1.7') })
    await dialog.getByRole('button', { name: 'See what would happen' }).click()
    await dialog.getByRole('alert').waitFor()
    await context.close()
  })

  test('adds a missing class from the dialog, and lists every fault of a row, also in French', async () => {
    const list = (day: string) => `Nom;Prénom;Sexe;Né le;Classe\nFarge;Lou;fille;${day};3Z\nPetit;Max;garçon;2012-01-04;3Z\n`
    const { context, page, faults } = await open('okafor', '/students', { locale: 'fr-FR' })
    await page.getByRole('button', { name: 'Importer une liste' }).click()
    const dialog = page.getByRole('dialog')
    const file = dialog.locator('input[type=file]')
    await file.setInputFiles(csv(list('31/02/2012')))
    await dialog.getByRole('cell', { name: 'Farge' }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'students-import-understood-french')
    const look = dialog.getByRole('button', { name: 'Voir ce qui se passerait' })
    await look.click()
    const farge = dialog.getByRole('row', { name: /^2 Farge, Lou/ })
    await farge.getByText('Né le : le jour « 31/02/2012 » n’existe pas').waitFor()
    await farge.getByText('Classe : il n’y a pas de classe « 3Z » en 2025/26').waitFor()
    await dialog.getByText('2 lignes qui ne peuvent pas être prises.', { exact: false }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'students-import-faults-french')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await page.setViewportSize(sizes.pc)
    await dialog.getByRole('button', { name: 'Créer la classe 3Z' }).click()
    await farge.getByText('il n’y a pas de classe').waitFor({ state: 'detached' })
    await file.setInputFiles(csv(list('2012-02-28')))
    await look.click()
    await dialog.getByText('2 nouveaux.', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Écrire 2 lignes' }).click()
    await dialog.getByRole('button', { name: 'Fermer' }).click()
    await page.getByRole('link', { name: 'Farge, Lou' }).waitFor()
    const classes = await (await site.as('okafor')).classes.list()
    expect(classes.map(({ name }) => name)).toContain('3Z')
    expect(faults).toEqual([])
    await context.close()
  })

  test('a pupil is found by number, and the list shows the class', async () => {
    const { context, page, faults } = await open('okafor', '/students')
    await page.getByLabel('Find by name or number').fill('sb-004')
    const row = page.getByRole('row', { name: /Murphy, Aoife/ })
    await row.getByRole('link', { name: '3B' }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await expectForEverybody(page)
    await picture(page, 'students-list')
    await page.goto(`${site.url}/classes`)
    await page.getByRole('row', { name: /^3B Cathal Byrne \d+ / }).waitFor()
    await picture(page, 'classes-list')
    expect(faults).toEqual([])
    await context.close()
  })

  test('a pupil who is added by hand is in the chosen class at once', async () => {
    const { context, page, faults } = await open('okafor', '/students')
    await page.getByRole('button', { name: 'Add a pupil' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a pupil' })
    await dialog.getByLabel('First name').fill('Nora')
    await dialog.getByLabel('Last name').fill('Quill')
    await dialog.getByLabel('Gender').selectOption('female')
    await dialog.getByLabel('Class').selectOption({ label: '3B' })
    await picture(page, 'student-add')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('row', { name: /Quill, Nora/ })
      .getByRole('link', { name: '3B' })
      .waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('row', { name: /Quill, Nora/ }).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })
})
    await page.setViewportSize(sizes.phone)
    await page.getByText('Síle Quinn').waitFor()
    await expectFits(page)
    await picture(page, 'classes-list-phone')
