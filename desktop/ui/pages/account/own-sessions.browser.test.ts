import { people } from '@markbook/shared/story/people'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { catchPost, consoleCode, type Post } from '../../tests/post.ts'
import { siteInBrowser } from '../../tests/site.ts'

const { email } = people.byrne
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0'
const PHONE = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36'
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15'

describe.skipIf(!headlessPath)('the sessions of a person', () => {
  const { site, browser } = siteInBrowser()
  let post: Post
  beforeAll(async () => {
    post = catchPost(site)
  })

  /** A window of a person who has just signed in on a device. */
  async function signedInOn(userAgent: string, viewport: { width: number; height: number } = sizes.pc) {
    const window = await openWindow(browser, { userAgent, viewport })
    const token = await consoleCode(site, email)
    const reply = await window.context.request.post(`${site.url}/api/auth/otp/verify`, { data: { email, token } })
    expect(reply.status()).toBe(200)
    return window
  }

  test('are listed, reported in a notice, and ended one by one or all at once', async () => {
    const here = await signedInOn(FIREFOX)
    const phone = await signedInOn(PHONE, sizes.phone)
    const mac = await signedInOn(MAC)
    expect(post.outbox.filter(({ to }) => to === email)).toHaveLength(2)

    const { page } = here
    await page.goto(site.url)
    const asked = page.getByRole('region', { name: 'Was this you?' })
    await asked.getByText(/^Safari on Mac · /).waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'notices-pc')
    const first = asked.getByRole('listitem').filter({ hasText: 'Chrome on Android' })
    await first.getByRole('button', { name: 'It was me' }).click()
    await first.waitFor({ state: 'detached' })
    await asked.getByRole('link', { name: 'It was not me' }).click()

    const card = page.getByRole('region', { name: 'Where you are signed in' })
    await card.getByText('Firefox on Windows').waitFor()
    expect(await card.getByRole('listitem').count()).toBe(3)
    expect(await card.getByRole('listitem').first().innerText()).toContain('this device')
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'sessions-pc')
    await card.getByRole('button', { name: /^End: Safari on Mac/ }).click()
    await page.getByText('Safari on Mac is signed out.').waitFor()
    await expect.poll(() => card.getByRole('listitem').count()).toBe(2)
    expect((await mac.context.request.get(`${site.url}/api/auth/me`)).status()).toBe(401)

    await phone.page.goto(`${site.url}/account`)
    const onPhone = phone.page.getByRole('region', { name: 'Where you are signed in' })
    await onPhone.getByText('Firefox on Windows').waitFor()
    await onPhone.scrollIntoViewIfNeeded()
    await expectForEverybody(phone.page)
    await expectFits(phone.page)
    await picture(phone.page, 'sessions-phone')
    await phone.page.getByLabel('Language').selectOption('fr')
    await phone.page.getByText('Firefox sous Windows').waitFor()
    await phone.page.getByRole('region', { name: 'Où vous êtes connecté(e)' }).scrollIntoViewIfNeeded()
    await expectFits(phone.page)
    await picture(phone.page, 'sessions-phone-french')

    await card.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await picture(page, 'sessions-others-pc')
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click()
    await card.getByText('You are signed in nowhere else.').waitFor()
    expect((await phone.context.request.get(`${site.url}/api/auth/me`)).status()).toBe(401)
    await page.goto(site.url)
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    await page.getByRole('heading', { name: /^Your marks in/ }).waitFor()
    expect(await asked.count()).toBe(0)
    expect(here.faults).toEqual([])
    expect(phone.faults.concat(mac.faults)).toEqual([])
    for (const { context } of [here, phone, mac]) await context.close()
  })
})
