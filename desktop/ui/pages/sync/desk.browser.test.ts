import { naturalId } from '@markbook/shared/ids'
import { aoife, lukasz, mathsExam, sean } from '@markbook/shared/story/marks'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cable } from '../../../../server/demo/cable.ts'
import { chromiumPath, openBrowser, openWindow, picture } from '../../tests/browser.ts'
import { inStep, joinedUnder } from '../../tests/joined.ts'
import { openSite, type Site } from '../../tests/site.ts'

const gradeOf = (pupil: { id: string }) => naturalId('grade', mathsExam.id, pupil.id)

describe.skipIf(!chromiumPath)('the conflict desk', () => {
  let centre: Site
  let box: Site
  let cable: Cable
  let browser: Browser
  beforeAll(async () => {
    const names = { centre: { NODE_NAME: 'The ministry', COOKIE_PREFIX: 'centre' }, box: { NODE_NAME: 'The office', COOKIE_PREFIX: 'box' } }
    ;[centre, box, browser] = await Promise.all([
      openSite({ env: names.centre }),
      openSite({ story: false, env: names.box }),
      openBrowser(),
    ])
    cable = await joinedUnder(centre, box)
  })
  afterAll(async () => {
    await browser.close()
    await box.close()
    await cable.close()
    await centre.close()
  })
  const openAt = async (site: Site) => (await site.as('okafor')).replication.conflicts({ query: { status: 'open' } })
  /** What is written at both ends while the line is down, and has met since. */
  const meeting = async (atBox: (site: Site) => Promise<unknown>, atCentre: (site: Site) => Promise<unknown>) => {
    const before = (await openAt(box)).length
    cable.cut()
    await atBox(box)
    await atCentre(centre)
    cable.mend()
    await box.running().node.services.replication?.refresh()
    await expect.poll(async () => (await openAt(box)).length).toBeGreaterThan(before)
    await inStep(box)
  }
  const marked = (person: 'ada' | 'byrne', marks: readonly [{ id: string }, number][]) => async (site: Site) => {
    const client = await site.as(person)
    for (const [pupil, score] of marks) await client.grades.update({ params: { id: gradeOf(pupil) }, body: { score } })
  }

  test('what needs a decision and how the line stands are both said on the Sync page', async () => {
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
    cable.cut()
    await page.goto(`${box.url}/sync`)
    const main = page.getByRole('main')
    await main.getByText('3 entries need your decision').waitFor()
    await main.getByText('No line; all marks are at the ministry').waitFor()
    await picture(page, 'sync-decisions-and-no-line')
    cable.mend()
    await context.close()
  })

  test('a key that is held, or pressed before the next conflict can have been read, decides one alone', async () => {
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
})
