import { mathsQuiz, sean } from '@markbook/shared/story/marks'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { GRID } from '../../tests/grid.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('the school’s own structure', () => {
  const { site, open } = siteInBrowser()
  const headAt = async (path: string) => {
    const { context, page, faults } = await open('okafor', path)
    return { context, page, faults }
  }
  const phonePicture = async (page: Page, name: string) => {
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, name)
    await page.setViewportSize(sizes.pc)
  }

  test('an assessment is put into a category; the grid, the results and the explanation follow', async () => {
    const head = await site.as('okafor')
    await head.assessmentCategories.create({
      body: { academicYearId: class3B.academic_year_id, assessmentType: 'coursework', name: 'Quizzes', weight: 30 },
    })
    const { context, page, faults } = await headAt('/assessments')
    await page.getByLabel('Term').selectOption(michaelmas.id)
    await page.getByRole('button', { name: 'Change Quiz 1' }).click()
    await page.getByLabel('Category').selectOption({ label: 'Quizzes (30 %)' })
    await expectForEverybody(page)
    await picture(page, 'category-dialog')
    await phonePicture(page, 'category-dialog-phone')
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    expect((await head.assessments.get({ params: { id: mathsQuiz.id } })).category_id).not.toBeNull()
    await page.getByRole('row', { name: /Quiz 1 Coursework Quizzes/ }).waitFor()
    await phonePicture(page, 'category-list-phone')

    // Seán: 12 of 20 in the quiz with weight 30, and 6.5 of 10 in the homework with the remaining weight.
    await page.goto(`${site.url}${GRID}`)
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /Seán/ }) })
    await expect.poll(() => row.innerText()).toContain('63.50')
    await page.goto(`${site.url}/results/${class3B.id}?pupil=${sean.id}&explain=${maths.id}`)
    await page.getByText('Quizzes: 60.').waitFor()
    await page.getByText('Without a category: 65.').waitFor()
    await expect.poll(() => page.getByRole('dialog').innerText()).toContain('(60 × 30 + 65 × 70) ÷ 100 = 63.50')
    await expectForEverybody(page)
    await picture(page, 'category-explain')
    await phonePicture(page, 'category-explain-phone')
    await page.goto(`${site.url}/years/${class3B.academic_year_id}/categories`)
    await page.getByText('Quizzes').first().waitFor()
    await phonePicture(page, 'categories-phone')
    expect(faults).toEqual([])
    await context.close()
  })

  test('a year gets a scale of its own, and uses the school’s again', async () => {
    const { context, page, faults } = await headAt('/scale')
    await page.getByLabel('Scale of').selectOption('2025/26')
    await page.getByText('2025/26 goes by the school’s scale', { exact: false }).waitFor()
    await page.getByLabel('Pass mark').fill('55')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('2025/26 has a scale of its own.', { exact: false }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'scale-of-year')
    await phonePicture(page, 'scale-of-year-phone')
    const head = await site.as('okafor')
    const passMarks = async () => {
      const ofYear = await head.gradingScale.get({ query: { academicYearId: class3B.academic_year_id } })
      return [ofYear.pass_mark, (await head.gradingScale.get()).pass_mark]
    }
    expect(await passMarks()).toEqual([55, 50])
    await page.getByRole('button', { name: 'Go by the school’s scale' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Go by the school’s scale' }).click()
    await page.getByText('2025/26 goes by the school’s scale', { exact: false }).waitFor()
    expect(await passMarks()).toEqual([50, 50])
    expect(faults).toEqual([])
    await context.close()
  })
})
