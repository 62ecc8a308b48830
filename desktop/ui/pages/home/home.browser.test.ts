import { naturalId } from '@markbook/shared/ids'
import { storyId } from '@markbook/shared/story/ids'
import { hilltop, people } from '@markbook/shared/story/people'
import { class3B, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { asSystem } from '../../../../server/store/tx.ts'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

const card = (page: Page, name: string | RegExp) => page.getByRole('region', { name }).first()

describe.skipIf(!headlessPath)('today', () => {
  const { site, browser } = siteInBrowser()

  const chooseMichaelmas = async (page: Page) => {
    await page.getByLabel('Term').selectOption({ value: michaelmas.id })
  }

  test('a teacher sees missing marks, and a link to them', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'ada')
    await page.goto(site.url)
    await chooseMichaelmas(page)
    const marks = card(page, 'Your marks in Michaelmas')
    await marks.getByText('1 missing').waitFor()
    expect(await marks.innerText()).toContain('3B · Mathematics')
    expect(await marks.innerText()).toContain('17 of 18')
    expect(await page.getByText('Report books of').count()).toBe(0)
    await expectForEverybody(page)
    await picture(page, 'home-teacher-pc')
    await marks.getByRole('link', { name: 'Enter marks: 3B · Mathematics' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/marks\/[0-9a-f-]+\/[0-9a-f-]+$/)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a class teacher also sees the report books of the class, and what they need', async () => {
    const { context, page, faults } = await openWindow(browser, { viewport: sizes.phone, reducedMotion: 'reduce' })
    await site.signIn(context, 'byrne')
    await page.goto(site.url)
    await chooseMichaelmas(page)
    const reports = card(page, 'Report books of 3B')
    await reports.getByText('1 draft').waitFor()
    expect(await reports.innerText()).toContain('1 closed for good')
    const marks = reports.getByRole('list', { name: 'Marks of 3B' })
    expect(await marks.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Mathematics\s+17 of 18 marks, 1 missing$/),
      expect.stringMatching(/^English\s+complete, 12 marks$/),
      expect.stringMatching(/^Irish\s+.* 1 missing$/),
    ])
    expect(await reports.getByRole('link', { name: 'Open the report books' }).getAttribute('href')).toMatch(/^\/reports\/[0-9a-f-]+$/)
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'home-class-teacher-phone')
    await page.setViewportSize(sizes.pc)
    const starts = await marks.locator('progress').evaluateAll((bars) => bars.map((bar) => Math.round(bar.getBoundingClientRect().x)))
    expect(starts.length).toBeGreaterThan(1)
    expect(new Set(starts).size).toBe(1)
    const motion = await page
      .getByRole('link', { name: 'Open the report books' })
      .evaluate((link) => getComputedStyle(link).transitionDuration)
    for (const one of motion.split(', ')) expect(Number.parseFloat(one)).toBeLessThan(0.001)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the head sees open requests and missing marks, in dark mode and in French', async () => {
    const { context, page, faults } = await openWindow(browser, { colorScheme: 'dark' })
    await site.signIn(context, 'okafor')
    await page.goto(site.url)
    await chooseMichaelmas(page)
    const waiting = card(page, 'Waiting for you')
    await waiting.getByText('1 person asks to join:').waitFor()
    expect(await waiting.innerText()).toContain('Tomás Keane')
    const classes = card(page, 'Marks of every class')
    const of3A = classes.getByRole('listitem').filter({ has: page.getByRole('heading', { name: '3A' }) })
    await of3A.getByText('6 missing').waitFor()
    await expectForEverybody(page)
    await picture(page, 'home-head-dark-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'home-head-dark-phone')
    await page.setViewportSize(sizes.pc)
    const next = classes.getByRole('link', { name: /^Next: 3A · / })
    const first = of3A.getByRole('link', { name: /^Enter marks: 3A · / }).first()
    expect(await next.getAttribute('href')).toBe(await first.getAttribute('href'))
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitemradio', { name: 'Français' }).click()
    await page.getByText('1 personne demande à rejoindre').waitFor()
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 683, height: 384 })
    await expectFits(page)
    await page.setViewportSize(sizes.pc)
    await picture(page, 'home-head-french-pc')
    expect(faults).toEqual([])
    await context.close()
  })

  test('the head sees that the server makes no backups any more', async () => {
    const { context, page, faults } = await openWindow(browser, { viewport: sizes.phone })
    await site.signIn(context, 'okafor')
    const newest_at = '2026-01-02T02:00:00.000Z'
    const backups = { scheduled: true, newest_at, proved_at: newest_at, trial_failed: true, overdue: true }
    await page.route('**/api/schools/mine/backups', (route) => route.fulfill({ json: backups }))
    await page.goto(site.url)
    await card(page, 'Waiting for you')
      .getByText('None has been made for more than two days: tell whoever looks after the server')
      .waitFor()
    await card(page, 'Waiting for you').getByText('The last one did not come back whole').waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'home-backups-overdue-phone')
    expect(faults).toEqual([])
    await context.close()
  })

  test('the head sees that a second server has the database of the school', async () => {
    const { node } = site.running()
    const before = node.services.presence
    node.services.presence = { urls: () => [], duplicates: () => ['https://192.168.1.31:3000'] }
    try {
      const { context, page, faults } = await openWindow(browser, { viewport: sizes.phone })
      await site.signIn(context, 'okafor')
      await page.goto(site.url)
      await card(page, 'Waiting for you').getByText('A second server of this school runs at https://192.168.1.31:3000.').waitFor()
      await expectForEverybody(page)
      await expectFits(page)
      await picture(page, 'home-two-servers-phone')
      expect(faults).toEqual([])
      await context.close()
    } finally {
      node.services.presence = before
    }
  })

  test('a term that ends soon with missing marks is shown at the top, and can be hidden', async () => {
    const { context, page, faults } = await openWindow(browser)
    await page.clock.setFixedTime('2025-12-12T10:00:00.000Z')
    await site.signIn(context, 'ada')
    await page.goto(site.url)
    await chooseMichaelmas(page)
    const waiting = card(page, 'Waiting for you')
    await waiting.getByText(/^Michaelmas ends on .* 2025, and 1 mark is missing:$/).waitFor()
    expect(await waiting.innerText()).toContain('3B · Mathematics')
    await expectForEverybody(page)
    await picture(page, 'home-waiting')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'home-waiting-phone')
    await waiting.getByRole('button', { name: /^Put aside: Michaelmas/ }).press('Enter')
    await waiting.waitFor({ state: 'detached' })
    await page.reload()
    await card(page, 'Your marks in Michaelmas').waitFor()
    expect(await page.getByText('Waiting for you').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the ? beside a heading opens by keyboard, explains the page, and closes by Escape', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'byrne')
    for (const [path, words] of [
      [`/marks/${class3B.id}/${maths.id}`, 'Marks save themselves'],
      [`/results/${class3B.id}`, 'as they stand now. †'],
      [`/reports/${class3B.id}`, 'a published book can be closed for good'],
    ] as const) {
      await page.goto(`${site.url}${path}`)
      const sign = page.getByRole('button', { name: /^Help: / })
      await sign.press('Enter')
      await page.getByText(words).waitFor()
      await expectForEverybody(page)
      await picture(page, `help-${path.split('/')[1]}`)
      await page.keyboard.press('Escape')
      await page.getByText(words).waitFor({ state: 'detached' })
      expect(await sign.evaluate((one) => one === document.activeElement)).toBe(true)
    }
    expect(faults).toEqual([])
    await context.close()
  })

  test('a person who was added by another school’s server is asked, and agrees or declines', async () => {
    const { services } = site.running().node
    const offer = (id: string, role: string) => ({
      id: storyId('request', 1, 90 + (role === 'admin' ? 1 : 0)),
      school_id: hilltop,
      table_name: 'school_management',
      row_id: naturalId('membership', id, hilltop),
      unit: 'role',
      value: { role },
      actor_id: people.marker.id,
      hlc: 1,
      code: 'awaits_person',
      refused_at: '2026-01-12T08:00:00.000Z',
      seen_at: null,
      peer_id: storyId('request', 1, 92),
    })
    const rows = [offer(people.ada.id, 'teacher'), offer(people.byrne.id, 'admin')]
    await services.store.write(asSystem(), (tx) => tx.local.insert(tx.t.sync_refused).values(rows))
    for (const [name, press, said] of [
      ['ada', 'Agree', 'You have agreed.'],
      ['byrne', 'Decline', 'You have declined.'],
    ] as const) {
      const { context, page, faults } = await openWindow(browser)
      await site.signIn(context, name)
      await page.goto(site.url)
      const asked = card(page, 'Hilltop-Marker School has added you')
      await asked.getByText(name === 'ada' ? 'as a teacher' : 'as an administrator').waitFor()
      await expectForEverybody(page)
      await expectFits(page)
      if (name === 'ada') await picture(page, 'home-offer-pc')
      await asked.getByRole('button', { name: press }).click()
      await page.getByText(said).waitFor()
      await asked.waitFor({ state: 'detached' })
      expect(faults).toEqual([])
      await context.close()
    }
    const asking = await (await site.as('ada')).auth.me()
    expect(asking.pending_join_request?.school.id).toBe(hilltop)
    expect((await (await site.as('byrne')).auth.me()).pending_join_request).toBe(null)
  })

  test('members without a role in teaching, and suspended ones, see what that means', async () => {
    for (const [person, path, words] of [
      ['niamh', '/', 'there is nothing for you to enter here'],
      ['doyle', '/', 'Your account at St Brigid’s is switched off'],
      // Instead of a message that the school has no year.
      ['doyle', '/marks', 'Your account at St Brigid’s is switched off'],
    ] as const) {
      const { context, page } = await openWindow(browser)
      await site.signIn(context, person)
      await page.goto(`${site.url}${path}`)
      await page.getByText(words).waitFor()
      await expectForEverybody(page)
      await picture(page, `home-${person}-pc`)
      await context.close()
    }
  })

  test('the first steps of a new school are checked when done, and disappear when all are', async () => {
    const { context, page } = await openWindow(browser)
    const head = await site.as('okafor')
    await site.signIn(context, 'okafor')
    await page.goto(site.url)
    await card(page, 'Waiting for you').waitFor()
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
    const year = await head.academicYears.create({
      body: { name: '2026/27', startDate: '2026-09-01', endDate: '2027-06-30', gradingModel: 'term_based' },
    })
    await head.academicYears.activate({ params: { id: year.id } })
    await page.reload()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.getByRole('link', { name: 'Do it: the terms' }).waitFor()
    expect(await page.getByRole('link', { name: 'Do it: the school year' }).count()).toBe(0)
    await head.academicYears.activate({ params: { id: thisYear.id } })
    await context.close()
  })
})
