import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NEW_PEER, peerById } from '../../../../server/replication/identity/enrolment.ts'
import { noteWiped } from '../../../../server/replication/identity/wipe.ts'
import { asSystem } from '../../../../server/store/tx.ts'
import type { BadLine } from '../../../../server/testing/bad-line.ts'
import { expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { type Joined, underTheMinistry } from '../../tests/joined.ts'
import type { Site } from '../../tests/site.ts'

const gradeId = naturalId('grade', mathsExam.id, zoe.id)

describe.skipIf(!headlessPath)('the sync pages of a school under a centre', () => {
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

  test('shows what waits while the connection is cut; a conflict about an exam is decided by a key, at both ends', async () => {
    const scoreAt = async (site: Site) =>
      (await (await site.as('okafor')).grades.list({ query: { assessmentId: mathsExam.id } })).find(({ id }) => id === gradeId)?.score
    const first = await scoreAt(box)
    const { context, page, faults } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync`)
    await page.getByText('All marks are at the ministry').first().waitFor()
    line.cut()
    await (await box.as('ada')).grades.update({ params: { id: gradeId }, body: { score: 81 } })
    await (await centre.as('byrne')).grades.update({ params: { id: gradeId }, body: { score: 65 } })
    await page.getByText('Offline: 1 mark waits').first().waitFor()
    await page.getByRole('row').filter({ hasText: 'Ada Nowak' }).getByText('81 / 100').waitFor()
    await expectForEverybody(page)
    await picture(page, 'sync-waiting')
    line.mend()
    await box.running().node.services.replication?.refresh()
    await page.getByText('1 entry needs your decision').first().waitFor()
    await page.goto(box.url)
    await page.getByText('1 value was written differently at two places', { exact: false }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'conflict-today')
    await page.getByRole('link', { name: 'Decide', exact: true }).click()
    const [now, other] = [page.getByRole('region', { name: 'Counts now' }), page.getByRole('region', { name: 'Was written too' })]
    await now.getByText('65 / 100').waitFor()
    await page.getByText(`Before both it was ${first} / 100.`).waitFor()
    expect(await now.innerText()).toMatch(/Cathal Byrne[\s\S]*The ministry/)
    expect(await other.innerText()).toMatch(/81[\s\S]*Ada Nowak[\s\S]*The office/)
    await expectForEverybody(page)
    await picture(page, 'conflict-desk')
    // A key that is pressed before the conflict can be read decides nothing.
    const none = page.getByText('Nothing needs a decision.')
    await expect.poll(() => page.keyboard.press('ArrowRight').then(() => none.isVisible())).toBe(true)
    await page.getByText('Now counts: 81 / 100.').first().waitFor()
    expect(await scoreAt(box)).toBe(81)
    await expectForEverybody(page)
    await picture(page, 'conflict-decided')
    await page.getByRole('button', { name: 'Undo: 65 / 100 counts again' }).click()
    await page.getByText('Now counts: 65 / 100.').first().waitFor()
    expect(await scoreAt(box)).toBe(65)
    await (await box.as('ada')).grades.update({ params: { id: gradeId }, body: { score: 81 } })
    await expect.poll(() => scoreAt(centre), { timeout: 20_000 }).toBe(81)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a third value can be typed where neither is right', async () => {
    line.cut()
    await (await box.as('ada')).grades.update({ params: { id: gradeId }, body: { score: 20 } })
    await (await centre.as('byrne')).grades.update({ params: { id: gradeId }, body: { score: 30 } })
    line.mend()
    await box.running().node.services.replication?.refresh()
    const { context, page } = await openWindow(browser, { viewport: sizes.phone, colorScheme: 'dark' })
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync/conflicts`)
    await page.getByRole('button', { name: 'Type another value' }).click()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'conflict-desk-phone')
    const field = page.getByLabel('Mark', { exact: true })
    await page.keyboard.type('abc')
    expect(await field.inputValue()).toBe('abc')
    await page.getByRole('alert').getByText('Please type a number, such as 24.5.').waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'conflict-typed-phone')
    await field.fill('24,5')
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.keyboard.press('Enter')
    await page.getByText('Nothing needs a decision.').waitFor()
    const grades = await (await box.as('okafor')).grades.list({ query: { assessmentId: mathsExam.id } })
    expect(grades.find(({ id }) => id === gradeId)?.score).toBe(24.5)
    await context.close()
  })

  test('shows that a clock was wrong, and does not offer conflicts that are for others to decide', async () => {
    const by = { actor: people.ada, at: '2026-01-12T09:00:00.000Z', node: 'Library PC' }
    const mark = {
      entity: 'grade',
      row_id: gradeId,
      unit: 'score',
      kind: 'value',
      reason: null,
      where: 'Zoë Adeyemi · Christmas exam · Mathematics',
    }
    const values = { kept: { score: 51 }, current: { score: 52 }, before: null, out_of: 100 }
    const written = { ...by, clock_off_ms: null, standing: { ...by, clock_off_ms: 3 * 3_600_000 } }
    const theirs = { id: gradeId, ...mark, ...values, ...written, may_decide: false, status: 'open', resolved_at: null, resolved_by: null }
    const { context, page, faults } = await openWindow(browser)
    await page.route('**/api/sync/conflicts*', (route) => route.fulfill({ json: [theirs] }))
    await box.signIn(context, 'ada')
    await page.goto(`${box.url}/sync/conflicts`)
    await page.getByText('The clock there was 3 hours ahead: which came later is not certain.').waitFor()
    await page.getByText('An administrator, or whoever may write it, decides this.').waitFor()
    expect(await page.getByRole('button', { name: 'Take this one' }).count()).toBe(0)
    await page.waitForTimeout(600)
    await page.keyboard.press('ArrowRight')
    await page.getByText('51 / 100').waitFor()
    await expectForEverybody(page)
    await picture(page, 'conflict-not-yours')
    expect(faults).toEqual([])
    await context.close()
  })

  test('says what to do about a program that is too old, here or at the parent', async () => {
    const { context, page } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.route('**/api/sync/events', (route) => route.abort())
    let changed: object = { state: 'upgrade' }
    await page.route('**/api/sync/status', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), ...changed } })
    })
    await page.goto(`${box.url}/sync`)
    await page.getByText('This program is too old to send').first().waitFor()
    await page.getByText('Install the newer Markbook on this computer.', { exact: false }).waitFor()
    changed = { state: 'offline', obstacle: 'parent_older' }
    await page.reload()
    await page.getByText('The ministry’s program is too old to receive').first().waitFor()
    await page.getByText('The newer Markbook must be installed there.', { exact: false }).waitFor()
    await expectForEverybody(page)
    await context.close()
  })

  test('a revoked laptop shows what it stores, and what to do', async () => {
    const { context, page } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.route('**/api/sync/events', (route) => route.abort())
    const holds = { why: 'revoked', school: 'St Brigid’s', pupils: 8, marks: 1, as_of: '2026-01-12T10:00:00.000Z' }
    await page.route('**/api/sync/status', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), state: 'revoked', holds } })
    })
    await page.goto(`${box.url}/sync`)
    await page.getByText('An administrator of St Brigid’s shut this laptop out.').waitFor()
    await page.getByText(/still holds 8 pupils and 1 mark of St Brigid’s, as they were on 12 Jan/).waitFor()
    await page.getByText('let them erase the laptop from there', { exact: false }).waitFor()
    await expectForEverybody(page)
    await context.close()
  })

  test('the head has a laptop erased, and sees when that was requested and done', async () => {
    const { store } = box.running().node.services
    const peer = { ...NEW_PEER, side: 'child', kind: 'laptop', name: 'Ada’s laptop', school_id: stBrigids, user_id: people.ada.id } as const
    const id = people.ada.id
    await store.write(asSystem(), (tx) =>
      tx.local.insert(tx.t.sync_peer).values({ ...peer, id, node_id: id, public_key: '', box_key: '', enrolled_at: tx.now }),
    )
    const { context, page } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync/nodes`)
    await page.getByRole('button', { name: 'Erase Ada’s laptop' }).click()
    await page.getByText('There is no way back.', { exact: false }).waitFor()
    await expectForEverybody(page)
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByText(/^to be erased when it is next heard, asked /).waitFor()
    expect(await page.getByRole('button', { name: 'Erase Ada’s laptop' }).count()).toBe(0)
    await store.write(asSystem(), async (tx) => noteWiped(tx, id, (await peerById(tx, id))?.wipe_asked_at ?? ''))
    await page.reload()
    await page.getByText(/^erased /).waitFor()
    await expectForEverybody(page)
    await picture(page, 'nodes-erased')
    await context.close()
  })

  test('the head invites a laptop, and revokes a computer', async () => {
    const { context, page } = await openWindow(browser)
    await centre.signIn(context, 'okafor')
    await page.goto(`${centre.url}/sync/nodes`)
    await page.getByRole('rowheader', { name: 'The office' }).waitFor()
    await page.goto(`${centre.url}/sync`)
    await page.getByText('nobody: the others send to this one').waitFor()
    await page.getByText('1 school server').waitFor()
    await picture(page, 'sync-centre')
    await page.goto(`${centre.url}/sync/nodes`)
    await page.getByLabel('Whose laptop?').selectOption({ label: 'Ada Nowak' })
    await page.getByRole('button', { name: 'Make a code' }).click()
    const box = page.getByRole('status').filter({ hasText: 'Good until' })
    await box.getByText('For Ada Nowak’s laptop').waitFor()
    const code = /[0-9A-Z]{5}(-[0-9A-Z]+){5}/.exec(await box.innerText())?.[0]
    await box.getByText(`${centre.url} is this computer’s own address`).waitFor()
    await page.getByText(`markbook join <address> ${code} --laptop`).waitFor()
    await expectForEverybody(page)
    await picture(page, 'nodes')
    await page.getByLabel('Whose laptop?').selectOption({ label: 'Cathal Byrne' })
    await box.waitFor({ state: 'detached' })
    await page.route('**/api/schools/mine/addresses', (route) => route.fulfill({ json: { urls: ['https://192.168.1.10:3000'] } }))
    await page.reload()
    await page.getByLabel('What is to join?').selectOption({ label: 'The school’s own server' })
    await page.getByText('Join a central server. Or on its console: markbook join https://192.168.1.10:3000 <code>').waitFor()
    await page.getByRole('button', { name: 'Make a code' }).click()
    await box.getByText('For the school’s own server').waitFor()
    await box.getByText('Address: https://192.168.1.10:3000').waitFor()
    expect(await page.getByText('--laptop').count()).toBe(0)
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'invited-server-phone')
    await page.getByRole('heading', { name: 'Computers', exact: true }).waitFor()
    await expectForEverybody(page)
    const shutOut = await page.getByRole('button', { name: 'Shut out The office' }).boundingBox()
    expect((shutOut?.x ?? 0) + (shutOut?.width ?? 0)).toBeLessThan(sizes.phone.width)
    expect(shutOut?.x ?? 0).toBeGreaterThan(0)
    await page.setViewportSize(sizes.pc)
    await page.getByLabel('What is to join?').selectOption({ label: 'A teacher’s laptop' })
    await box.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Shut out The office' }).click()
    await page.getByRole('button', { name: 'Shut out', exact: true }).click()
    await page.getByText(/^shut out /).waitFor()
    await context.close()
  })

  test('administrators see a computer that was copied, with a link to revoke one of the two', async () => {
    const { context, page, faults } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.route('**/api/sync/events', (route) => route.abort())
    await page.route('**/api/sync/status', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), copies: 1 } })
    })
    await page.goto(`${box.url}/sync`)
    const main = page.getByRole('main')
    await main.getByText('1 computer was copied').waitFor()
    await main.getByText('One computer was copied, and both copies take part', { exact: false }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'sync-copied')
    await main.getByRole('link', { name: 'Computers and invitations' }).last().click()
    await page.getByRole('heading', { name: 'Computers and invitations' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
