import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { keepCertificates } from '../../../../server/lan/authority.ts'
import { summaryOf } from '../../../../server/lan/certificate.ts'
import { listen } from '../../../../server/lan/listener.ts'
import { invite } from '../../../../server/replication/identity/enrolment.ts'
import { asSystem } from '../../../../server/store/tx.ts'
import { expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { openSite, type Site } from '../../tests/site.ts'

const SECRET = 'what the desktop app and its server alone know'
const WRONG = 'This invitation is wrong, was used already, or is too old.'

describe.skipIf(!headlessPath)('the pairing page', () => {
  let school: Site
  let browser: Browser
  const closing: (() => Promise<unknown> | unknown)[] = []
  beforeAll(async () => {
    ;[school, browser] = await Promise.all([openSite(), openBrowser()])
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  afterAll(async () => {
    await browser.close()
    await school.close()
  })

  /** Opens the window of the desktop app on an empty laptop. */
  async function firstStart(options: Parameters<typeof openWindow>[1] = {}) {
    const laptop = await openSite({ story: false, env: { WINDOW_SECRET: SECRET, NODE_NAME: 'A laptop' } })
    closing.push(() => laptop.close())
    const opened = await openWindow(browser, options)
    closing.push(() => opened.context.close())
    const reply = await fetch(`${laptop.url}/window/ticket`, { method: 'POST', headers: { authorization: `Bearer ${SECRET}` } })
    const { ticket } = (await reply.json()) as { ticket: string }
    await opened.page.goto(`${laptop.url}/window?ticket=${ticket}`)
    return { laptop, ...opened }
  }
  const invitation = () =>
    school
      .running()
      .node.services.store.write(asSystem(), (tx) => invite(tx, { kind: 'laptop', schoolId: stBrigids, userId: people.ada.id, by: null }))
  const type = async (page: Page, address: string, code: string) => {
    await page.getByLabel('Address of the school’s server').fill(address)
    await page.getByLabel('Invitation code').fill(code)
    await page.getByRole('button', { name: 'Connect' }).click()
  }
  const who = (page: Page) => page.evaluate(async () => ((await (await fetch('/api/auth/me')).json()) as { email: string }).email)

  test('shows that a laptop was erased, by whom and when; data in the browser is removed too', async () => {
    const { laptop, page } = await firstStart()
    const note = { by: 'The office', asked_at: '2026-01-12T09:00:00.000Z', at: '2026-01-12T10:00:00.000Z', isErased: true }
    laptop.running().node.services.wiped = { ...note, lastWord: null, authority: null }
    await page.evaluate(() => localStorage.setItem('markbook.marks', 'Zoë 81'))
    await page.reload()
    await page.getByText(/^This laptop was erased on 12 Jan.* at the request of The office\.$/).waitFor()
    await expect.poll(() => page.evaluate(() => localStorage.getItem('markbook.marks'))).toBeNull()
    await expectForEverybody(page)
    await picture(page, 'pair-erased')
    await page.goto(`${laptop.url}/sign-in`)
    await page.getByText('It belongs to no school now.', { exact: false }).waitFor()
    await page.goto(`${laptop.url}/pair`)
    await page.getByLabel('Your email address').fill('ada@school.example')
    await page.getByRole('button', { name: 'Work without a school for now' }).click()
    await page.getByText('ada@school.example').first().waitFor()
    expect(await (await fetch(`${laptop.url}/api/auth/ways`)).json()).not.toHaveProperty('erased')
  })

  test('opens on an empty laptop in light and dark mode, in both languages, and is accessible', async () => {
    for (const { locale, address, title, colorScheme, viewport } of [
      {
        locale: 'en-IE',
        address: 'Address of the school’s server',
        title: 'Markbook: the first start',
        colorScheme: 'light',
        viewport: sizes.pc,
      },
      {
        locale: 'fr-FR',
        address: 'Adresse du serveur de l’école',
        title: 'Markbook\u00a0: premier démarrage',
        colorScheme: 'dark',
        viewport: sizes.phone,
      },
    ] as const) {
      const { page, faults } = await firstStart({ locale, colorScheme, viewport })
      const field = page.getByLabel(address)
      await field.waitFor()
      await expect.poll(() => field.evaluate((it) => it === document.activeElement)).toBe(true)
      expect([new URL(page.url()).pathname, await page.title()]).toEqual(['/pair', title])
      await expectForEverybody(page)
      await expectFits(page)
      await picture(page, `pair-${locale}`)
      expect(faults).toEqual([])
    }
  })

  test('shows what is wrong with an address or an invitation, keeps what was typed, then pairs and signs the teacher in', async () => {
    const { page, faults } = await firstStart()
    await type(page, 'ftp://school.example', 'AAAAA-BBBBB')
    await page.getByText('That is not an address').waitFor()
    await type(page, school.url, 'AAAAA-BBBBB')
    await page.getByText(WRONG).waitFor()
    expect(await page.getByLabel('Address of the school’s server').inputValue()).toBe(school.url)
    expect(await page.getByLabel('Invitation code').inputValue()).toBe('AAAAA-BBBBB')
    await type(page, school.url, (await invitation()).code.toLowerCase())
    await page.waitForURL((url) => url.pathname === '/')
    expect(await who(page)).toBe(people.ada.email)
    expect(faults).toEqual([])
  })

  test('shows the fingerprint of an unknown certificate, and connects only after a confirmation', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'markbook-tls-'))
    closing.push(() => rmSync(folder, { recursive: true, force: true }))
    const names = { dns: ['localhost'], ips: ['127.0.0.1'] }
    const { authority, server: pair } = await keepCertificates(folder, { hostname: 'school', names, now: Date.now() })
    const listening = await listen(school.running().node.app, { host: '127.0.0.1', port: 0 }, pair)
    closing.push(() => {
      listening.closeAllConnections()
      listening.close()
    })
    const address = `https://127.0.0.1:${(listening.address() as AddressInfo).port}`
    const { page, faults } = await firstStart()
    const { code } = await invitation()
    await type(page, address, code)
    const heading = page.getByRole('heading', { name: 'Is this your school?' })
    await heading.waitFor()
    await page.getByText(summaryOf(authority).fingerprint).waitFor()
    await expect.poll(() => heading.evaluate((it) => it === document.activeElement)).toBe(true)
    await expectForEverybody(page)
    await picture(page, 'pair-fingerprint')
    await page.getByRole('button', { name: 'Stop' }).click()
    expect(await page.getByLabel('Invitation code').inputValue()).toBe(code)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('button', { name: 'It is the same: connect' }).click()
    await page.waitForURL((url) => url.pathname === '/')
    expect(await who(page)).toBe(people.ada.email)
    expect(faults).toEqual([])
  })

  test('begins alone, signed in; from then on only pairing is offered', async () => {
    const { laptop, page, faults } = await firstStart()
    await page.getByLabel('Your email address').fill('nobody')
    await page.getByRole('button', { name: 'Work without a school for now' }).click()
    await page.getByRole('alert').first().waitFor()
    await page.getByLabel('Your email address').fill('ada@school.example')
    await page.getByRole('button', { name: 'Work without a school for now' }).click()
    await page.waitForURL((url) => url.pathname !== '/pair')
    expect(await who(page)).toBe('ada@school.example')
    await page.goto(`${laptop.url}/pair`)
    await page.getByLabel('Invitation code').waitFor()
    expect(await page.getByLabel('Your email address').count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('offers nothing without the cookie of the window, and does not exist on other servers', async () => {
    const { laptop, page, context } = await firstStart()
    await context.clearCookies()
    await page.goto(`${laptop.url}/pair`)
    await page.getByText('This is only for the window of Markbook on this computer.').waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    const other = await openWindow(browser)
    closing.push(() => other.context.close())
    await school.signIn(other.context, 'okafor')
    await other.page.goto(`${school.url}/pair`)
    await other.page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  })
})
