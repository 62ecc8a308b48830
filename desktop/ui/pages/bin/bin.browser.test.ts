import { mathsHilary, zoe } from '@markbook/shared/story/marks'
import { class3B, maths } from '@markbook/shared/story/school-year'
import { describe, expect, test } from 'vitest'
import { dialogsClosed, expectForEverybody, openWindow, picture } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('the bin', () => {
  const { site, browser, open } = siteInBrowser()

  test('a teacher deletes an assessment by mistake, and restores it with its marks', async () => {
    const { context, page, faults } = await open('ada', '/assessments')
    await page.getByLabel('Term').selectOption(mathsHilary.term_id)
    await page.getByRole('button', { name: 'Change Spring test' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByLabel('Type the title').fill('Spring test')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('It can be restored for 30 days', { exact: false }).first().waitFor()
    await page.locator('main').getByRole('link', { name: 'Bin' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Spring test' })
    await expect.poll(() => row.innerText()).toMatch(/Assessment.*Mathematics · Hilary.*6 marks.*Ada Nowak/s)
    await expectForEverybody(page)
    await picture(page, 'bin-pc')
    await row.getByRole('button', { name: 'Restore Spring test (Mathematics · Hilary)' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await dialogsClosed(page)
    await page.getByText('There is nothing to restore from the last 30 days.').waitFor()
    const marks = await (await site.as('ada')).grades.list({ query: { assessmentId: mathsHilary.id } })
    expect(marks).toHaveLength(6)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a mark that the head restored says who entered it', async () => {
    const okafor = await site.as('okafor')
    const ada = await site.as('ada')
    await ada.grades.bulk({ body: { assessmentId: mathsHilary.id, grades: [{ studentId: zoe.id, score: 41 }] } })
    await okafor.assessments.remove({ params: { id: mathsHilary.id } })
    const deleted = (await okafor.bin.list()).find(({ row_id }) => row_id === mathsHilary.id)
    await okafor.bin.restore({ params: { id: deleted?.id ?? '' } })
    const { context, page } = await open('byrne', `/marks/${class3B.id}/${maths.id}?term=${mathsHilary.term_id}`)
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await page.getByText(/^entered by Ada Nowak, restored by Ngozi Okafor, /).waitFor()
    await picture(page, 'bin-restored-mark')
    await page.keyboard.press('Alt+h')
    await page.getByRole('list', { name: 'History' }).getByText('restored', { exact: true }).first().waitFor()
    await context.close()
  })

  test('a deletion is undone in its message', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'okafor')
    await (await site.as('okafor')).subjects.create({ body: { name: 'Art', code: 'ART' } })
    await page.goto(`${site.url}/subjects`)
    await page.getByRole('button', { name: /^Change Art/ }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('dialog', { name: /^Delete/ })
    await question.getByText('For 30 days an administrator can bring it back from the bin.', { exact: false }).waitFor()
    await question.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: /^Change Art/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: /^Change Art/ }).waitFor()
    expect((await (await site.as('okafor')).subjects.list()).map(({ code }) => code)).toContain('ART')
    expect(faults).toEqual([])
    await context.close()
  })

  test('the head sees why something cannot be restored, and it stays in the bin', async () => {
    const okafor = await site.as('okafor')
    const { id } = await okafor.subjects.create({ body: { name: 'Drama', code: 'DR' } })
    await okafor.subjects.remove({ params: { id } })
    await okafor.subjects.create({ body: { name: 'Drawing', code: 'DR' } })
    const { context, page } = await open('okafor', '/bin')
    await page.getByRole('button', { name: 'Restore Drama' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('alert').filter({ hasText: 'Another subject has the code DR by now.' }).waitFor()
    expect(await okafor.bin.list()).toHaveLength(1)
    await context.close()
  })
})
