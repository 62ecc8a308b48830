import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { describe, expect, test } from 'vitest'
import { auditDue } from '../../../../server/replication/audit/schedule.ts'
import { tamper } from '../../../../server/testing/tamper.ts'
import { expectFits, expectForEverybody, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('the audit', () => {
  const { site, open } = siteInBrowser()
  const cut = async () => {
    throw new Error('there is no line')
  }

  test('the head reads who wrote what, and sees which mark was changed in the database file after the nightly audit', async () => {
    const { services } = site.running().node
    const mark = (score: number) => ({ assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] })
    await (await site.as('ada')).grades.bulk({ body: mark(72) })
    const { context, page, faults } = await open('okafor', '/audit')
    await page.getByText('This server has not compared the marks', { exact: false }).waitFor()
    await auditDue(services, cut)
    await page.reload()
    await page.getByText('Everything stands as it was written.').waitFor()
    await expect.poll(() => page.getByRole('row').nth(1).innerText()).toMatch(/Ada Nowak.*Mark.*Adeyemi Zoë · Christmas exam.*71.*72/s)
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'audit-pc')

    await page.getByLabel('Kind').selectOption('term')
    await expect.poll(() => page.getByRole('row').count()).toBe(5)
    await page.getByLabel('Kind').selectOption('')
    await page.getByLabel('Person').selectOption(people.ada.id)
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    expect(page.url()).toContain(`person=${people.ada.id}`)
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download as CSV' }).click()])
    expect(saved.suggestedFilename()).toBe('History.csv')

    await tamper({ url: '', folder: services.config.dataDir }, (at) => {
      const id = naturalId('grade', mathsExam.id, zoe.id)
      return `update ${at('grade')} set score = 97 where id = '${id}'; update ${at('audit_run')} set begun_at = '2026-01-01T00:00:00.000Z'`
    })
    await auditDue(services, cut)
    await page.goto(site.url)
    await page.getByRole('alert').filter({ hasText: 'The audit found something' }).waitFor()
    await picture(page, 'audit-today')
    await page.getByRole('link', { name: 'See what was found' }).click()
    const row = page.getByRole('row').filter({ hasText: 'The history says something else.' })
    await expect.poll(() => row.innerText()).toMatch(/Mark.*Adeyemi Zoë.*97.*72.*Ada Nowak/s)
    await expectForEverybody(page)
    await picture(page, 'audit-bad-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'audit-bad-phone')
    await page.getByRole('heading', { name: 'Who wrote what' }).scrollIntoViewIfNeeded()
    await picture(page, 'audit-list-phone')
    expect(faults).toEqual([])
    await context.close()
  })

  test('a decided conflict and a column of a newer program are told in words', async () => {
    const { context, page } = await open('okafor', '/account')
    await page.route(/api.audit.entries/, async (route) => {
      const response = await route.fetch()
      const found = await response.json()
      const conflict = { entity: { before: null, after: 'grade' }, value: { before: null, after: { score: 3 } } }
      const resolved = { status: { before: 'open', after: 'resolved' }, resolution: { before: null, after: { choice: 'kept' } } }
      const newer = { eye_colour: { before: 1, after: 2 } }
      const entry = { ...found.entries[0], name: 'Adeyemi Zoë' }
      const entries = [
        { ...entry, id: naturalId('grade', '1'), entity: 'sync_conflict', action: 'update', changes: resolved },
        { ...entry, id: naturalId('grade', '2'), entity: 'sync_conflict', action: 'create', changes: conflict },
        { ...entry, id: naturalId('grade', '3'), entity: 'student', action: 'update', changes: newer },
      ]
      await route.fulfill({ response, json: { ...found, entries } })
    })
    await page.goto(`${site.url}/audit`)
    const list = page.getByRole('region', { name: 'Who wrote what' })
    const rows = list.getByRole('row')
    await expect.poll(() => rows.nth(1).innerText()).toMatch(/It was decided which entry counts.*Adeyemi Zoë/s)
    expect(await rows.nth(2).innerText()).toMatch(/Two servers had different entries.*Adeyemi Zoë/s)
    expect(await rows.nth(3).innerText()).toMatch(/Value:\s1\s→\s2/)
    expect(await list.innerText()).not.toMatch(/[a-z]_[a-z]|\{/)
    await context.close()
  })
})
