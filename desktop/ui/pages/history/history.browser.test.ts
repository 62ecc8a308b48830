import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const gradeId = naturalId('grade', mathsExam.id, zoe.id)

describe.skipIf(!headlessPath)('the history page', () => {
  const { site, open } = siteInBrowser()
  beforeAll(async () => {
    await (await site.as('ada')).grades.update({ params: { id: gradeId }, body: { score: 80, remarks: 'Much better.' } })
  })

  test('shows who changed what and when, before and after, and undoes a change', async () => {
    const { context, page } = await open('byrne', `/history?entity=grade&id=${gradeId}`)
    const newest = page.getByRole('row').nth(1)
    await expect.poll(() => newest.innerText()).toContain('Ada Nowak')
    expect(await newest.innerText()).toMatch(/Mark: 71 → 80/)
    await expectForEverybody(page)
    await picture(page, 'history-pc')
    await newest.getByRole('button', { name: /^Undo: back to Mark 71, Remark nothing/ }).click()
    await expect.poll(() => newest.innerText()).toMatch(/Cathal Byrne[\s\S]*Mark: 80 → 71/)
    await page.getByRole('row').nth(2).getByRole('button').click()
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('changed since')
    await context.close()
  })

  test('says what to do where the address names nothing, also in French', async () => {
    const { context, page } = await open('ada', '/history', { viewport: sizes.phone, locale: 'fr-FR' })
    await page.getByText('L’adresse ne désigne rien').waitFor()
    await expectFits(page)
    await context.close()
  })
})
