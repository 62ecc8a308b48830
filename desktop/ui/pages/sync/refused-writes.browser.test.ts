import { elan, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../../../server/store/tx.ts'
import type { BadLine } from '../../../../server/testing/bad-line.ts'
import { expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { inStep, joinedUnder } from '../../tests/joined.ts'
import { openSite, type Site } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('refused writes of a laptop', () => {
  let school: Site
  let laptop: Site
  let line: BadLine
  let browser: Browser
  beforeAll(async () => {
    const names = {
      school: { NODE_NAME: 'The office', COOKIE_PREFIX: 'school' },
      laptop: { NODE_NAME: 'STAFF-PC-07', COOKIE_PREFIX: 'laptop' },
    }
    ;[school, laptop, browser] = await Promise.all([
      openSite({ env: names.school }),
      openSite({ story: false, env: names.laptop }),
      openBrowser(),
    ])
    line = await joinedUnder(school, laptop, people.ada.id)
    line.cut()
    await marksOnTheBus()
    line.mend()
    await laptop.running().node.services.replication?.refresh()
  })
  afterAll(async () => {
    await browser.close()
    await laptop.close()
    await line.close()
    await school.close()
  })

  /** Ada enters two marks offline; meanwhile the subject gets another teacher, and the school's server is restored from a backup. */
  async function marksOnTheBus() {
    const { store } = school.running().node.services
    await store.write(asSystem(people.okafor.id), async (tx) => {
      const { teacher_subject_assignment: of } = tx.t
      const own = (await tx.db.select().from(of)).filter(({ user_profile_id }) => user_profile_id === people.ada.id)
      await tx.remove('teacher_subject_assignment', own)
    })
    const grades = [
      { studentId: zoe.id, score: 99, remarks: 'Much better since she sits in front' },
      { studentId: elan.id, score: 41 },
    ]
    await (await laptop.as('ada')).grades.bulk({ body: { assessmentId: mathsExam.id, grades } })
    await store.renewNode()
  }

  test('the head reads whose laptop, which pupil, what and why, in one line for a mark; enters one, and puts one aside', async () => {
    const { context, page, faults } = await openWindow(browser)
    await school.signIn(context, 'okafor')
    await page.goto(`${school.url}/sync`)
    await page.getByText('2 entries sent here were not taken').first().waitFor()
    const list = page.getByRole('region', { name: 'Not taken from the laptop of Ada Nowak' })
    await list.getByText('STAFF-PC-07 sent these', { exact: false }).waitFor()
    const rows = list.getByRole('row')
    expect(await rows.count()).toBe(3)
    const ofZoe = rows.filter({ hasText: 'Adeyemi Zoë' })
    expect(await ofZoe.innerText()).toMatch(
      /Mark Adeyemi Zoë · Christmas exam[\s\S]*99 \/ 100, Remark: Much better[\s\S]*Ada Nowak[\s\S]*may not \(or no longer\) enter that/,
    )
    expect(await rows.filter({ hasText: 'Élan' }).innerText()).toContain('41 / 100')
    await expectForEverybody(page)
    await expectFits(page)
    await list.scrollIntoViewIfNeeded()
    await picture(page, 'not-taken-head')
    // Beside what was written stands what counts now.
    expect(await ofZoe.innerText()).toMatch(/99 \/ 100[\s\S]*71 \/ 100/)
    expect(await rows.filter({ hasText: 'Élan' }).innerText()).toContain('not there')
    await ofZoe.getByRole('button', { name: 'Enter it after all' }).click()
    await page.getByText('1 entry sent here was not taken').first().waitFor()
    const marks = await (await school.as('okafor')).grades.list({ query: { assessmentId: mathsExam.id } })
    const mark = marks.find(({ student_id }) => student_id === zoe.id)
    expect(mark).toMatchObject({ score: 99, remarks: 'Much better since she sits in front', updated_by: people.okafor.id })
    await rows.filter({ hasText: 'Élan' }).getByRole('button', { name: 'I have seen it' }).click()
    await list.waitFor({ state: 'detached' })
    await page.getByText('Everything is saved on this server').first().waitFor()
    await picture(page, 'not-taken-settled')
    expect(faults).toEqual([])
    await context.close()
  })

  test('on the laptop a mark is one line too, with the laptop’s wording; another teacher sees nothing', async () => {
    await inStep(laptop, 'ada')
    const { context, page } = await openWindow(browser, { viewport: sizes.phone })
    await laptop.signIn(context, 'ada')
    await page.goto(`${laptop.url}/sync`)
    const list = page.getByRole('region', { name: 'Not taken by the other side' })
    await list.getByRole('row').filter({ hasText: 'Adeyemi Zoë' }).waitFor()
    expect(await list.getByRole('row').count()).toBe(3)
    await list.getByText('may not write that there', { exact: false }).first().waitFor()
    await page.getByText('2 entries were not taken').first().waitFor()
    expect(await page.getByText('All marks are at school').count()).toBe(0)
    await expectForEverybody(page)
    await expectFits(page)
    await list.scrollIntoViewIfNeeded()
    await picture(page, 'not-taken-laptop-phone')
    await context.close()
    const refused = async (who: 'ada' | 'byrne') => (await (await school.as(who)).replication.refused()).length
    expect([await refused('ada'), await refused('byrne')]).toEqual([2, 0])
  })
})
