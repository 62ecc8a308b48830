import { naturalId } from '@markbook/shared/ids'
import { aoife, elan, lukasz, mathsExam, mathsQuiz, sean } from '@markbook/shared/story/marks'
import { maths, michaelmas } from '@markbook/shared/story/school-year'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BadLine } from '../../../../server/testing/bad-line.ts'
import { expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { inStep, type Joined, underTheMinistry } from '../../tests/joined.ts'
import type { Site } from '../../tests/site.ts'

const gradeOf = (pupil: { id: string }) => naturalId('grade', mathsExam.id, pupil.id)

describe.skipIf(!headlessPath)('the conflict desk', () => {
  let centre: Site
  let box: Site
  let line: BadLine
  let joined: Joined
  let browser: Browser
  beforeAll(async () => {
    ;[joined, browser] = await Promise.all([underTheMinistry(), openBrowser()])
    ;({ centre, box, line } = joined)
  })
  afterAll(async () => {
    await browser.close()
    await joined.close()
  })
  const openAt = async (site: Site) => (await site.as('okafor')).replication.conflicts({ query: { status: 'open' } })
  /** Writes at both ends while the connection is cut, and waits until both have met. */
  const meeting = async (atBox: (site: Site) => Promise<unknown>, atCentre: (site: Site) => Promise<unknown>) => {
    const before = (await openAt(box)).length
    line.cut()
    await atBox(box)
    await atCentre(centre)
    line.mend()
    await box.running().node.services.replication?.refresh()
    await expect.poll(async () => (await openAt(box)).length).toBeGreaterThan(before)
    await inStep(box)
  }
  const marked = (person: 'ada' | 'byrne', marks: readonly [{ id: string }, number][]) => async (site: Site) => {
    const client = await site.as(person)
    for (const [pupil, score] of marks) await client.grades.update({ params: { id: gradeOf(pupil) }, body: { score } })
  }

  test('conflicts and the state of the connection are both shown on the Sync page', async () => {
    const three = [sean, aoife, lukasz]
    await meeting(
      marked(
        'ada',
        three.map((pupil) => [pupil, 11]),
      ),
      marked(
        'byrne',
        three.map((pupil) => [pupil, 22]),
      ),
    )
    const { context, page } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    line.cut()
    await page.goto(`${box.url}/sync`)
    const main = page.getByRole('main')
    await main.getByText('3 entries need your decision').waitFor()
    await main.getByText('Offline; all marks are at the ministry').waitFor()
    await picture(page, 'sync-decisions-and-no-line')
    line.mend()
    await context.close()
  })

  test('French has a space before its colon; a clock is hours off', async () => {
    const { context, page } = await openWindow(browser, { locale: 'fr-FR' })
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync/conflicts`)
    await page.getByRole('heading', { name: /^Note\s: / }).waitFor()
    await page.route('**/api/sync/events', (route) => route.abort())
    await page.route('**/api/sync/status', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), clock_offset_ms: 180 * 60_000 } })
    })
    await page.goto(`${box.url}/sync`)
    await page.getByText('3 heures d’avance').waitFor()
    await context.close()
  })

  test('a held key, or one pressed before the next conflict can be read, decides only one', async () => {
    const { context, page } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync/conflicts`)
    await page.getByText('1 of 3').waitFor()
    await page.waitForTimeout(400)
    await page.evaluate(() => {
      const place = [...document.querySelectorAll('[role=status]')].find(({ textContent }) => textContent === '1 of 3') as Element
      const press = () => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }))
      new MutationObserver(() => setTimeout(press, 30)).observe(place, { characterData: true, childList: true, subtree: true })
    })
    for (let held = 0; held < 30; held += 1) {
      await page.keyboard.down('ArrowRight')
      await page.waitForTimeout(40)
    }
    await page.keyboard.up('ArrowRight')
    await page.getByText('1 of 2').waitFor()
    await page.waitForTimeout(500)
    expect(await openAt(box)).toHaveLength(2)
    for (const left of ['1 of 1', 'Nothing needs a decision.']) {
      await page.keyboard.press('ArrowLeft')
      await page.getByText(left).waitFor()
      await page.waitForTimeout(400)
    }
    await context.close()
  })

  test('on a telephone a second tap does not decide the next conflict', async () => {
    const two = [sean, aoife]
    const both = (score: number): [{ id: string }, number][] => two.map((pupil) => [pupil, score])
    await meeting(marked('ada', both(12)), marked('byrne', both(23)))
    const { context, page, faults } = await openWindow(browser, { viewport: { ...sizes.phone, height: 420 }, hasTouch: true })
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync/conflicts`)
    await page.getByText('1 of 2').waitFor()
    await page.waitForTimeout(400)
    await expectFits(page)
    await expectForEverybody(page)
    await picture(page, 'conflict-phone')
    await page.evaluate(() => {
      const place = [...document.querySelectorAll('[role=status]')].find(({ textContent }) => textContent === '1 of 2') as Element
      const take = () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.includes('Take this one'))
      new MutationObserver(() => setTimeout(() => take()?.click(), 30)).observe(place, {
        characterData: true,
        childList: true,
        subtree: true,
      })
    })
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
    await page.getByRole('button', { name: 'Take this one' }).tap()
    await page.getByText('1 of 1').waitFor()
    await page.waitForTimeout(500)
    expect(await openAt(box)).toHaveLength(1)
    // The name of the row is visible, although the tapped button is far below.
    const bar = (await page.getByRole('banner').boundingBox()) ?? { y: 0, height: 0 }
    const heading = await page.getByRole('heading', { name: /^Mark: / }).boundingBox()
    expect(heading?.y).toBeGreaterThan(bar.y + bar.height)
    await picture(page, 'conflict-decided-phone')
    await page.getByRole('button', { name: 'Take this one' }).tap()
    await page.getByText('Nothing needs a decision.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a conflict that somebody else decides disappears with a message', async () => {
    await meeting(marked('ada', [[aoife, 33]]), marked('byrne', [[aoife, 44]]))
    const { context, page } = await openWindow(browser)
    await box.signIn(context, 'ada')
    await page.goto(`${box.url}/sync/conflicts`)
    await page.getByText('1 of 1').waitFor()
    const [conflict] = await openAt(box)
    await (await box.as('okafor')).replication.resolve({ params: { id: conflict?.id ?? '' }, body: { choice: 'current' } })
    await page.getByText(/^Decided by somebody else meanwhile: Murphy Aoife/).waitFor()
    await page.getByText('Nothing needs a decision.').waitFor()
    await page.getByRole('link', { name: 'History' }).waitFor()
    await expectForEverybody(page)
    await context.close()
  })

  test('a mark and its remark are decided together', async () => {
    const entered = (person: 'ada' | 'byrne', score: number, remarks: string) => async (site: Site) =>
      (await site.as(person)).grades.update({ params: { id: gradeOf(sean) }, body: { score, remarks } })
    await meeting(entered('ada', 31, 'Careful work.'), entered('byrne', 42, 'Late.'))
    const { context, page } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync`)
    await page.getByRole('main').getByText('1 entry needs your decision').waitFor()
    await page.goto(`${box.url}/sync/conflicts`)
    await page.getByText('1 of 1').waitFor()
    const [now, other] = [page.getByRole('region', { name: 'Counts now' }), page.getByRole('region', { name: 'Was written too' })]
    expect(await now.innerText()).toMatch(/42 \/ 100\s+Remark\s+Late\./)
    expect(await other.innerText()).toMatch(/31 \/ 100\s+Remark\s+Careful work\./)
    await picture(page, 'conflict-mark-and-remark')
    await page.getByRole('button', { name: 'Type another value' }).click()
    await page.getByRole('textbox', { name: 'Mark', exact: true }).fill('35')
    await page.getByRole('textbox', { name: 'Remark' }).fill('Careful, and late.')
    await page.getByRole('button', { name: 'This one counts' }).click()
    await page.getByText('Nothing needs a decision.').waitFor()
    expect(await openAt(box)).toEqual([])
    const query = { assessmentId: mathsExam.id }
    const marks = await (await box.as('okafor')).grades.list({ query })
    expect(marks.find(({ id }) => id === gradeOf(sean))).toMatchObject({ score: 35, remarks: 'Careful, and late.' })
    await context.close()
  })

  test('a maximum lowered below a mark: the page says why it does not count, and asks about the maximum only', async () => {
    const essay = await (await box.as('okafor')).assessments.create({
      body: { termId: michaelmas.id, subjectId: maths.id, title: 'Essay', assessmentType: 'coursework', maxScore: 50 },
    })
    await inStep(box)
    const lowered = { params: { id: essay.id }, body: { maxScore: 40 } }
    await meeting(
      async (site) => (await site.as('ada')).grades.bulk({ body: { assessmentId: essay.id, grades: [{ studentId: elan.id, score: 44 }] } }),
      async (site) => (await site.as('okafor')).assessments.update(lowered),
    )
    const { context, page, faults } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync/conflicts`)
    await page.getByText('A mark is above this maximum', { exact: false }).waitFor()
    const [now, other] = [page.getByRole('region', { name: 'Counts now' }), page.getByRole('region', { name: 'Was written too' })]
    expect((await now.innerText()).split(/\n+/)).toEqual(['Counts now', 'Maximum', '50', '← Leave as it is'])
    expect(await other.innerText()).toMatch(/Maximum\s+40\s+Ngozi Okafor/)
    await expectForEverybody(page)
    await picture(page, 'conflict-maximum')
    await page.getByRole('button', { name: 'Type another value' }).click()
    expect(await page.getByRole('textbox').count()).toBe(1)
    await page.getByRole('textbox', { name: 'Maximum' }).fill('45')
    await page.getByRole('button', { name: 'This one counts' }).click()
    await page.getByText('Decided: Essay · Mathematics · Michaelmas. Now counts: 45.').waitFor()
    expect(await (await box.as('okafor')).assessments.get({ params: { id: essay.id } })).toMatchObject({
      max_score: 45,
      assessment_type: 'coursework',
    })
    expect(faults).toEqual([])
    await context.close()
  })

  test('a deletion is decided only after a warning, and offers no undo that would fail', async () => {
    await meeting(
      async (site) =>
        (await site.as('ada')).grades.bulk({ body: { assessmentId: mathsQuiz.id, grades: [{ studentId: elan.id, score: 19 }] } }),
      async (site) => (await site.as('okafor')).assessments.remove({ params: { id: mathsQuiz.id } }),
    )
    const { context, page, faults } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.route(/\/api\/sync\/conflicts\?/, async (route) => {
      const answer = await route.fetch()
      const rows = (await answer.json()) as { entity: string; current: unknown }[]
      const current = { title: 'Quiz 1', max_score: 20, term_id: mathsQuiz.term_id }
      await route.fulfill({
        response: answer,
        json: rows.filter(({ entity }) => entity === 'assessment').map((row) => ({ ...row, current })),
      })
    })
    await page.goto(`${box.url}/sync/conflicts`)
    const now = page.getByRole('region', { name: 'Counts now' })
    await now.getByText('Quiz 1').waitFor()
    expect(await now.innerText()).toMatch(/Title\s+Quiz 1\s+Maximum\s+20\s/)
    expect(await now.innerText()).not.toContain(mathsQuiz.term_id)
    await page.getByText('1 of 1').waitFor()
    await page.waitForTimeout(400)
    await page.keyboard.press('ArrowRight')
    const dialog = page.getByRole('dialog', { name: 'Delete it after all?' })
    await dialog.getByText(/^Assessment: .*Quiz 1.* then goes/).waitFor()
    await expectForEverybody(page)
    await picture(page, 'conflict-deletion')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    const taught = { termId: mathsQuiz.term_id, subjectId: mathsQuiz.subject_id }
    const isThere = async () => (await (await box.as('okafor')).assessments.list({ query: taught })).some(({ id }) => id === mathsQuiz.id)
    expect(await isThere()).toBe(true)
    await page.setViewportSize(sizes.phone)
    await page.getByRole('button', { name: 'Take this one' }).click()
    await expectFits(page)
    await picture(page, 'conflict-deletion-phone')
    await dialog.getByRole('button', { name: 'Delete it' }).click()
    await page.getByText(/^Decided: .*Quiz 1/).waitFor()
    await dialog.waitFor({ state: 'detached' })
    expect(await isThere()).toBe(false)
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })
})
