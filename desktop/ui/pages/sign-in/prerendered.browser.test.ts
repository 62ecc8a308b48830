import { people } from '@markbook/shared/story/people'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { catchPost } from '../../tests/post.ts'
import { siteInBrowser } from '../../tests/site.ts'

const address = (page: Page) => page.getByLabel('Your email address')
const isPrerendered = (page: Page) => page.evaluate(() => document.querySelector('[data-prerendered]') !== null)
const hydrated = (page: Page) => expect.poll(() => isPrerendered(page)).toBe(false)

/** The field is visible before it has the focus; keys pressed in between are lost. */
const focused = (page: Page) => expect.poll(() => address(page).evaluate((field) => field === document.activeElement)).toBe(true)

/** Delays the scripts of the app until the returned function is called. */
async function holdTheApp(context: BrowserContext): Promise<() => void> {
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await context.route('**/assets/{first,sign-in,app}-*.js', async (route) => {
    await gate
    await route.continue()
  })
  return letGo
}

/** The requests for codes. */
function asked(page: Page): string[] {
  const bodies: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/auth/otp/send')) bodies.push(request.postData() ?? '')
  })
  return bodies
}

describe.skipIf(!headlessPath)('the sign-in page before the app is loaded', () => {
  const { site, browser } = siteInBrowser()
  beforeAll(async () => {
    catchPost(site)
  })

  test('is shown before any script: with title and focus, accessible, in light and dark mode, in both languages', async () => {
    for (const { locale, label, colorScheme, viewport } of [
      { locale: 'en-IE', label: 'Your email address', colorScheme: 'light', viewport: sizes.pc },
      { locale: 'fr-FR', label: 'Votre adresse électronique', colorScheme: 'dark', viewport: sizes.phone },
    ] as const) {
      const { context, page, faults } = await openWindow(browser, { locale, colorScheme, viewport })
      const letGo = await holdTheApp(context)
      await page.goto(`${site.url}/sign-in`, { waitUntil: 'commit' })
      const field = page.getByLabel(label)
      await expect.poll(() => field.evaluate((it) => it === document.activeElement)).toBe(true)
      expect(await isPrerendered(page)).toBe(true)
      await expectForEverybody(page)
      await expectFits(page)
      await picture(page, `prerendered-${locale}`)
      const before = await page.locator('#app').innerText()
      letGo()
      await hydrated(page)
      expect(await page.locator('#app').innerText()).toBe(before)
      await picture(page, `hydrated-${locale}`)
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('keeps typed text, checkbox and caret, and the next key continues there', async () => {
    const { context, page, faults } = await openWindow(browser)
    const bodies = asked(page)
    const letGo = await holdTheApp(context)
    await page.goto(`${site.url}/sign-in`, { waitUntil: 'commit' })
    await focused(page)
    // Inserts a missing letter at the caret.
    const caret = people.okafor.email.indexOf('@')
    await page.keyboard.type(people.okafor.email.replace('@', ''))
    for (const key of ['Tab', 'Space', 'Shift+Tab', 'Home']) await page.keyboard.press(key)
    for (let at = 0; at < caret; at += 1) await page.keyboard.press('ArrowRight')
    await page.evaluate(() => Object.assign(window, { field: document.activeElement }))
    letGo()
    await hydrated(page)
    expect(await page.evaluate(() => (window as { field?: unknown }).field === document.activeElement)).toBe(true)
    await page.keyboard.type('@')
    expect(await address(page).inputValue()).toBe(people.okafor.email)
    expect(await page.getByLabel('Remember the address').isChecked()).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByLabel('Code', { exact: true }).waitFor()
    expect(bodies).toEqual([JSON.stringify({ email: people.okafor.email })])
    // The next time the field has the address before any script.
    const second = await context.newPage()
    await context.unrouteAll()
    const letGoAgain = await holdTheApp(context)
    await second.goto(`${site.url}/sign-in`, { waitUntil: 'commit' })
    await expect.poll(() => address(second).inputValue()).toBe(people.okafor.email)
    letGoAgain()
    await hydrated(second)
    expect(await address(second).inputValue()).toBe(people.okafor.email)
    expect(await second.getByLabel('Remember the address').isChecked()).toBe(true)
    expect(faults).toEqual([])
    await context.close()
  })

  test('Enter before the app is loaded is handled once it is, and only once; the page does not scroll', async () => {
    const { context, page, faults } = await openWindow(browser)
    const bodies = asked(page)
    const letGo = await holdTheApp(context)
    await page.goto(`${site.url}/subjects`, { waitUntil: 'commit' })
    await page.getByText('You sign in with a code of eight digits.').waitFor()
    await focused(page)
    await page.keyboard.insertText('nobody')
    await page.keyboard.press('Enter')
    await page.keyboard.press('End')
    await page.keyboard.insertText('@school.ie')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('button', { name: 'Send me a code' }).getAttribute('aria-busy')).toBe('true')
    expect(new URL(page.url()).search).toBe('')
    letGo()
    await page.getByLabel('Code', { exact: true }).waitFor()
    expect(bodies).toEqual([JSON.stringify({ email: 'nobody@school.ie' })])
    expect(new URL(page.url()).search).toBe('?next=%2Fsubjects')
    expect(faults).toEqual([])
    await context.close()
  })

  test('an invalid address is reported once the app is loaded; with an authenticator code no mail is sent', async () => {
    const { context, page, faults } = await openWindow(browser)
    const bodies = asked(page)
    const letGo = await holdTheApp(context)
    await page.goto(`${site.url}/sign-in`, { waitUntil: 'commit' })
    await focused(page)
    await page.keyboard.insertText('nobody')
    await page.keyboard.press('Enter')
    letGo()
    await page.getByText('Please type an address').waitFor()
    expect(await page.getByRole('button', { name: 'Send me a code' }).getAttribute('aria-busy')).toBe(null)
    const second = await context.newPage()
    await context.unrouteAll()
    const letGoAgain = await holdTheApp(context)
    await second.goto(`${site.url}/sign-in`, { waitUntil: 'commit' })
    await address(second).fill(people.byrne.email)
    await second.getByRole('button', { name: 'I have a code already' }).click()
    letGoAgain()
    await second.getByText(`Type the code for ${people.byrne.email}`).waitFor()
    expect(bodies).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  test('a language chosen before the app is loaded is used by it, and by the server the next time', async () => {
    const { context, page, faults } = await openWindow(browser)
    const letGo = await holdTheApp(context)
    await page.goto(`${site.url}/sign-in`, { waitUntil: 'commit' })
    await page.getByLabel('Language').selectOption('fr')
    letGo()
    await page.getByRole('heading', { name: 'Connexion' }).waitFor()
    expect(await page.locator('select').inputValue()).toBe('fr')
    const html = await page.request.get(`${site.url}/sign-in`, { headers: { accept: 'text/html' } })
    expect(await html.text()).toContain('<html lang="fr" dir="ltr">')
    expect(faults).toEqual([])
    await context.close()
  })

  test('a person who is signed in never sees it', async () => {
    const seenBy = async (context: BrowserContext, page: Page, path: string) => {
      await page.addInitScript(() => {
        const look = () => {
          if (document.querySelector('[type=email]')) Object.assign(window, { hasSeen: true })
          requestAnimationFrame(look)
        }
        look()
      })
      await page.goto(`${site.url}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      const hasSeen = await page.evaluate(() => 'hasSeen' in window)
      await context.clearCookies()
      return hasSeen
    }
    for (const path of ['/', '/sign-in', '/subjects']) {
      const { context, page, faults } = await openWindow(browser)
      await site.signIn(context, 'okafor')
      expect(await seenBy(context, page, path), path).toBe(false)
      expect(await seenBy(context, page, path), `${path}, signed out`).toBe(true)
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('after a sign-in the app opens without a reload, and after the session has ended the form is shown', async () => {
    const post = catchPost(site)
    const { context, page, faults } = await openWindow(browser)
    await page.goto(`${site.url}/subjects`)
    await page.evaluate(() => Object.assign(window, { isSame: true }))
    await address(page).fill(people.quinn.email)
    await page.keyboard.press('Enter')
    await page.getByLabel('Code', { exact: true }).waitFor()
    await page.getByLabel('Code', { exact: true }).fill(await post.codeFor(people.quinn.email))
    await page.getByRole('heading', { name: 'Subjects', level: 1 }).waitFor()
    expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
    expect(new URL(page.url()).pathname).toBe('/subjects')
    await page.getByRole('link', { name: 'Classes' }).click()
    await page.getByRole('heading', { name: 'Classes', level: 1 }).waitFor()
    const cookies = await context.cookies()
    await page.request.post(`${site.url}/api/auth/logout`)
    await context.addCookies(cookies)
    const letGo = await holdTheApp(context)
    await page.goto(`${site.url}/classes`, { waitUntil: 'commit' })
    await address(page).waitFor()
    letGo()
    await hydrated(page)
    expect(faults).toEqual([])
    await context.close()
  })
})
