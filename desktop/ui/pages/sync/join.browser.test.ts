import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepCertificates } from '../../../../server/lan/authority.ts'
import { summaryOf } from '../../../../server/lan/certificate.ts'
import { listen } from '../../../../server/lan/listener.ts'
import { invite } from '../../../../server/replication/identity/enrolment.ts'
import { revokePeer } from '../../../../server/replication/identity/nodes.ts'
import { asSystem } from '../../../../server/store/tx.ts'
import { expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { inStep, joinedUnder } from '../../tests/joined.ts'
import { openSite, type Site } from '../../tests/site.ts'

const codeAt = (site: Site, user: string | null, schoolId: string | null) =>
  site
    .running()
    .node.services.store.write(asSystem(), (tx) =>
      invite(tx, { kind: user ? 'laptop' : 'school', schoolId, userId: user, by: schoolId && people.okafor.id }),
    )
    .then(({ code }) => code)

describe.skipIf(!headlessPath)('a server joins the one above it in the app', () => {
  let browser: Browser
  const closing: (() => unknown)[] = []
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    for (const close of closing.reverse()) await close()
  })
  const opened = async (options: Parameters<typeof openSite>[0]) => {
    const site = await openSite(options)
    closing.push(() => site.close())
    return site
  }

  test('a head joins the school to the centre after comparing the fingerprint, by keyboard', async () => {
    const centre = await opened({ story: false, env: { NODE_NAME: 'The ministry', COOKIE_PREFIX: 'centre' } })
    const box = await opened({ env: { NODE_NAME: 'The office', COOKIE_PREFIX: 'box' } })
    const folder = mkdtempSync(join(tmpdir(), 'markbook-tls-'))
    closing.push(() => rmSync(folder, { recursive: true, force: true }))
    const names = { dns: ['localhost'], ips: ['127.0.0.1'] }
    const { authority, server } = await keepCertificates(folder, { hostname: 'ministry', names, now: Date.now() })
    const secured = await listen(centre.running().node.app, { host: '127.0.0.1', port: 0 }, server)
    closing.push(() => {
      secured.closeAllConnections()
      secured.close()
    })
    const address = `127.0.0.1:${(secured.address() as AddressInfo).port}`

    const { context, page, faults } = await openWindow(browser)
    await box.signIn(context, 'okafor')
    await page.goto(`${box.url}/sync/nodes`)
    await page.getByLabel('Address of the other server').press('Enter')
    await expect.poll(() => page.getByText('Please fill this in.').count()).toBe(2)
    await page.getByLabel('Address of the other server').fill(address)
    await page.getByLabel('Code', { exact: true }).fill('AAAAA-AAAAA')
    await expectForEverybody(page)
    await picture(page, 'join-pc')
    await page.keyboard.press('Enter')
    await page.getByText(summaryOf(authority).fingerprint).waitFor()
    await expectForEverybody(page)
    await picture(page, 'join-fingerprint')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await page.setViewportSize(sizes.pc)
    await page.getByRole('button', { name: 'It is the same: join' }).press('Enter')
    await page.getByText('This invitation is wrong, was used already, or is too old.').waitFor()
    await page.getByLabel('Code', { exact: true }).fill((await codeAt(centre, null, null)).toLowerCase())
    await page.keyboard.press('Enter')
    await page.getByText('Joined The ministry. Everything is exchanged now.').waitFor()
    await page.getByRole('rowheader', { name: 'The ministry' }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'joined-pc')
    await inStep(box)
    const taught = await (await centre.as('okafor')).schools.mine()
    expect(taught.id).toBe(stBrigids)
    await page.reload()
    await page.getByRole('rowheader', { name: 'The ministry' }).waitFor()
    expect(await page.getByLabel('Address of the other server').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a teacher whose laptop was revoked types a new code on the page that says so', async () => {
    const box = await opened({ env: { NODE_NAME: 'The office', COOKIE_PREFIX: 'office' } })
    const laptop = await opened({ story: false, env: { NODE_NAME: 'Ada’s laptop', COOKIE_PREFIX: 'laptop' } })
    const line = await joinedUnder(box, laptop, people.ada.id)
    closing.push(() => line.close())
    const { store } = box.running().node.services
    await store.write(asSystem(), async (tx) => {
      for (const peer of await tx.db.select().from(tx.t.sync_peer)) await revokePeer(tx, peer)
    })
    const { context, page, faults } = await openWindow(browser)
    await laptop.signIn(context, 'ada')
    await page.goto(`${laptop.url}/sync`)
    await page.getByRole('heading', { name: 'Join The office again' }).waitFor()
    await page
      .getByText('An administrator shut this computer out, or it was restored on another machine and is no longer known there.')
      .waitFor()
    await expectForEverybody(page)
    const elsewhere = await context.newPage()
    await elsewhere.route('**/api/sync/events', (route) => route.abort())
    await elsewhere.route('**/api/sync/status', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), is_laptop: false } })
    })
    await elsewhere.goto(`${laptop.url}/sync`)
    await elsewhere.getByText('Ask an administrator of your school to type it in here.').waitFor()
    expect(await elsewhere.getByRole('heading', { name: 'Join The office again' }).count()).toBe(0)
    await elsewhere.close()
    await page.getByLabel('Code', { exact: true }).fill(await codeAt(box, people.ada.id, stBrigids))
    await picture(page, 'join-again')
    await page.keyboard.press('Enter')
    await page.getByText('All marks are at school').first().waitFor()
    await page.getByRole('heading', { name: 'Join The office again' }).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })
})
