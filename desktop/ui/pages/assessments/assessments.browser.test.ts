import { mathsQuiz } from '@markbook/shared/story/marks'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { GRID } from '../../tests/grid.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('an assessment in its dialog', () => {
  const { site, open } = siteInBrowser()

  const adaAt = async (path: string) => {
    const { context, page } = await open('ada', path)
    return { context, page }
  }
  const classOf = (page: Page) => page.getByRole('dialog').getByLabel('Class or set')
  const listed = async () => (await site.as('ada')).assessments.list({ query: { termId: michaelmas.id, subjectId: maths.id } })

  test('one added from a class’s grid is for that class; one for every class names the classes', async () => {
    const { context, page } = await adaAt(GRID)
    await page.getByRole('button', { name: 'Add an assessment' }).click()
    await page.getByLabel('Title').fill('Test 9')
    expect(await classOf(page).inputValue()).toBe(class3B.id)
    await classOf(page).selectOption('')
    await page.getByText('It is for every class that takes the subject: 3A and 3B.', { exact: false }).waitFor()
    await expectForEverybody(page)
    await classOf(page).selectOption(class3B.id)
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    expect((await listed()).find(({ title }) => title === 'Test 9')?.student_group_id).toBe(class3B.id)
    await context.close()
  })

  test('one added from the page can be for a class in which the teacher marks the subject, and for no other', async () => {
    const { context, page } = await adaAt('/assessments')
    await page.getByLabel('Term').selectOption(michaelmas.id)
    await page.getByRole('button', { name: 'Add an assessment' }).click()
    await expect.poll(() => classOf(page).locator('option').allInnerTexts()).toEqual(['Every class that takes it', 'only 3B'])
    expect(await classOf(page).inputValue()).toBe('')
    await page.getByLabel('Title').fill('Test 10')
    await classOf(page).selectOption(class3B.id)
    await page.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    expect((await listed()).find(({ title }) => title === 'Test 10')?.student_group_id).toBe(class3B.id)
    await context.close()
  })

  test('one with marks of other classes shows why it cannot be changed, excluded or deleted', async () => {
    const { context, page } = await adaAt('/assessments')
    await page.getByLabel('Term').selectOption(michaelmas.id)
    const refusal = () =>
      page.getByRole('alert').filter({ hasText: 'Pupils of other classes have marks in this assessment: 3A.' }).waitFor()
    await page.getByRole('button', { name: 'Change Quiz 1' }).click()
    await page.getByLabel('Maximum').fill('25')
    await page.getByRole('button', { name: 'Save' }).click()
    await refusal()
    await page.getByLabel('Maximum').fill('20')
    await page.getByLabel('Counts in the results').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await refusal()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByLabel('Type the title').fill('Quiz 1')
    await page.getByRole('button', { name: 'Delete' }).click()
    await refusal()
    expect((await listed()).find(({ id }) => id === mathsQuiz.id)).toMatchObject({ max_score: 20, is_excluded: false })
    await context.close()
  })

  test('weight 0 is allowed, and the dialog and the head of its column say that it does not count', async () => {
    const { context, page } = await open('ada', GRID)
    const head = page.getByRole('columnheader').filter({ hasText: 'Test 11' })
    await page.getByRole('button', { name: 'Add an assessment' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Test 11')
    expect(await dialog.getByText('it counts in no result').count()).toBe(0)
    await dialog.getByLabel('Weight').fill('0')
    await dialog.getByText('With weight 0 it counts in no result.').waitFor()
    await picture(page, 'assessment-weight-none')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialogsClosed(page)
    // As wide as a telephone, whose scrollbars take no room.
    await page.setViewportSize({ ...sizes.phone, width: sizes.phone.width + 30 })
    await head.getByText('⊘ weight 0').waitFor()
    expect((await listed()).find(({ title }) => title === 'Test 11')?.weight).toBe(0)
    const isCut = (text: string) =>
      page
        .getByRole('columnheader')
        .getByText(text)
        .first()
        .evaluate((line) => line.scrollWidth > line.clientWidth)
    expect(await isCut('⊘ weight 0')).toBe(false)
    const { id = '' } = (await listed()).find(({ title }) => title === 'Test 11') ?? {}
    await (await site.as('ada')).assessments.update({ params: { id }, body: { weight: 2 } })
    await page.reload()
    await head.getByText('×2').waitFor()
    await picture(page, 'head-weight-phone')
    expect(await isCut('×2')).toBe(false)
    await context.close()
  })
})
