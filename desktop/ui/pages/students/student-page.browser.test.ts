import { elan, oisin } from '@markbook/shared/story/marks'
import { class3B } from '@markbook/shared/story/school-year'
import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('the page of a pupil', () => {
  const { site, browser, open } = siteInBrowser()

  test('a class teacher sees personal data, past results, classes, report books and missing marks, with one request', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'byrne')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${site.url}/students/${elan.id}`)
    const results = page.getByRole('region', { name: 'Results' })
    await results.getByRole('row', { name: /Overall/ }).waitFor()
    await page.getByText('4 Mar 2011').waitFor()
    expect(await results.getByRole('row').count()).toBeGreaterThan(2)
    await page
      .getByRole('region', { name: 'Classes' })
      .getByRole('row', { name: /3B Brendan Byrne|3B .*Byrne/ })
      .waitFor()
    await page.getByRole('region', { name: 'Report books' }).getByText('draft').first().waitFor()
    await page.getByRole('region', { name: /marks? (is|are) missing/ }).waitFor()
    expect(asked.filter((path) => path.startsWith('/api/students') || path.startsWith('/api/calculations'))).toEqual([
      `/api/students/${elan.id}/overview`,
    ])
    await expectForEverybody(page)
    await picture(page, 'pupil-pc')
    await page.mouse.wheel(0, 2_000)
    await picture(page, 'pupil-pc-below')
    // The term and the year are tabs of the page.
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Term' }).click()
    await page.waitForURL(new RegExp(`/results/${class3B.id}/students/${elan.id}$`))
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'At a glance' }).click()
    await results.waitFor()
    await page.getByRole('link', { name: 'History' }).click()
    await page.waitForURL(/\/history\?/)
    expect(faults).toEqual([])
    await context.close()
  })

  test('an administrator is told at once that a pupil with marks or report books cannot be deleted', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'okafor')
    await page.goto(`${site.url}/students/${elan.id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Élan Ó Briain cannot be deleted' })
    await dialog.getByText('This pupil has marks or report books and cannot be deleted.', { exact: false }).waitFor()
    expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Close'])
    await expectForEverybody(page)
    await picture(page, 'pupil-no-delete')
    await dialog.getByRole('button', { name: 'Close' }).click()
    const okafor = await site.as('okafor')
    const { id } = await okafor.students.create({ body: { firstName: 'Nora', lastName: 'Without', gender: 'female' } })
    await page.goto(`${site.url}/students/${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete Nora Without?' }).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Nora Without is deleted.', { exact: false }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test.each([
    ['en', 'light'],
    ['ar', 'dark'],
  ] as const)('no table is wider than a telephone, in %s', async (language, colorScheme) => {
    const { context, page } = await openWindow(browser, { viewport: sizes.phone, colorScheme })
    await site.signIn(context, 'byrne')
    await page.addInitScript((chosen) => localStorage.setItem('markbook.language', chosen), language)
    for (const [name, path] of [
      ['pupil', `/students/${elan.id}`],
      ['pupil-term', `/results/${class3B.id}/students/${elan.id}`],
      ['pupil-year', `/results/${class3B.id}/students/${elan.id}?view=year`],
    ] as const) {
      await page.goto(`${site.url}${path}`)
      await page.getByRole('table').first().waitFor()
      const wide = await page
        .getByRole('table')
        .evaluateAll((tables) => tables.map(({ parentElement: box }) => (box?.scrollWidth ?? 0) - (box?.clientWidth ?? 0)))
      expect(wide, path).toEqual(wide.map(() => 0))
      await expectFits(page)
      await expectForEverybody(page)
      await page.getByRole('table').first().scrollIntoViewIfNeeded()
      await picture(page, `${name}-tables-${language}`)
      await page
        .getByRole('table')
        .last()
        .evaluate((table) => table.scrollIntoView())
      await picture(page, `${name}-tables-${language}-last`)
    }
    await context.close()
  })

  test('a teacher of one subject sees the results without the birth date, and can change the name; it fits a telephone', async () => {
    const { context, page, faults } = await open('ada', `/students/${elan.id}`, { viewport: sizes.phone, colorScheme: 'dark' })
    await page
      .getByRole('region', { name: 'Results' })
      .getByRole('row', { name: /Overall.*rests on coursework/ })
      .waitFor()
    await page.getByText(/^† rests on coursework or exam alone/).waitFor()
    expect(await page.getByText(/2011|Day of birth|Gender/).count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Report books' }).count()).toBe(0)
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'pupil-phone')
    await page.getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Gender').count()).toBe(0)
    await dialog.getByLabel('First name').fill('Elan')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Elan Ó Briain' }).waitFor()
    const head = await site.as('okafor')
    expect(await head.students.get({ params: { id: elan.id } })).toMatchObject({
      first_name: 'Elan',
      gender: 'male',
      date_of_birth: '2011-03-04',
    })
    await page.goto(`${site.url}/students/${oisin.id}`)
    await page.getByText('There are no results that you can see.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('the head decides who sees birth dates', async () => {
    const { context, page, faults } = await open('okafor', '/school')
    const choice = page.getByLabel('Who sees them')
    expect(await choice.inputValue()).toBe('class_teachers')
    await choice.selectOption('All who teach')
    await page.getByText('Birth dates and genders are shown to all who teach.').waitFor()
    await expectForEverybody(page)
    await choice.scrollIntoViewIfNeeded()
    await picture(page, 'personal-data')
    expect(await (await site.as('ada')).students.get({ params: { id: elan.id } })).toMatchObject({ date_of_birth: '2011-03-04' })
    expect(faults).toEqual([])
    await context.close()
  })
})
