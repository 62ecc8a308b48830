import { people } from '@markbook/shared/story/people'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { catchPost, consoleCode, noMailLeaves } from '../../tests/post.ts'
import { openSite, type Site } from '../../tests/site.ts'

const NAME = 'markbook.school'
const wrong = (code: string) => String((Number(code) + 1) % 10 ** 8).padStart(8, '0')
const spaced = (code: string) => ` ${code.slice(0, 4)} ${code.slice(4)} `
const codeField = (page: Page) => page.getByLabel('Code', { exact: true })
const today = (page: Page) => page.getByRole('heading', { name: 'Today', level: 1 })

describe.skipIf(!chromiumPath)('the sign-in page', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([openSite(), openBrowser(`--host-resolver-rules=MAP ${NAME} 127.0.0.1`)])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  test('by keyboard alone: address, code with its spaces, and on to the page that was asked for', async () => {
    const post = catchPost(site)
    const { context, page, faults } = await openWindow(browser)
    await page.goto(`${site.url}/subjects`)
    await page.getByLabel('Your email address').waitFor()
    await expectForEverybody(page)
    await picture(page, 'sign-in-address-pc')
    await page.keyboard.type(people.okafor.email)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await codeField(page).waitFor()
    await expect.poll(() => codeField(page).evaluate((field) => field === document.activeElement)).toBe(true)
    await expectForEverybody(page)
    await picture(page, 'sign-in-code-pc')
    await page.keyboard.insertText(spaced(post.codeFor(people.okafor.email)))
    await page.getByRole('heading', { name: 'Subjects', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/subjects')
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect.poll(() => page.getByLabel('Your email address').inputValue()).toBe(people.okafor.email)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a wrong code says so and can be typed over; too early a wish for another says how long', async () => {
    const post = catchPost(site)
    const { context, page } = await openWindow(browser)
    await page.goto(`${site.url}/sign-in`)
    await page.getByLabel('Your email address').fill('nobody')
    await page.keyboard.press('Enter')
    await page.getByText('Please type an address').waitFor()
    await page.getByLabel('Your email address').fill(people.byrne.email)
    await page.keyboard.press('Enter')
    await codeField(page).waitFor()
    const code = post.codeFor(people.byrne.email)
    expect(await page.getByRole('button', { name: 'Send another' }).isDisabled()).toBe(true)
    await page.getByText(/Another one in \d+ seconds/).waitFor()
    await codeField(page).fill(wrong(code))
    await page.getByText('That code is not right').waitFor()
    await expectForEverybody(page)
    await picture(page, 'sign-in-wrong-pc')
    await page.getByRole('button', { name: 'Another address' }).click()
    // It was sent a moment ago, and is still the one to type.
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await codeField(page).fill(code)
    await today(page).waitFor()
    await context.close()
  })

  test('after ten wrong codes it says how long to wait', async () => {
    catchPost(site)
    const { context, page } = await openWindow(browser)
    await page.goto(`${site.url}/sign-in`)
    await page.getByLabel('Your email address').fill(people.ada.email)
    await page.getByRole('button', { name: 'I have a code already' }).click()
    const tries = Array.from({ length: 10 }, (_, count) =>
      page.request.post(`${site.url}/api/auth/otp/verify`, { data: { email: people.ada.email, token: `0000000${count}` } }),
    )
    await Promise.all(tries)
    await codeField(page).fill('12345678')
    await page.getByText(/Please wait \d+ minutes/).waitFor()
    await context.close()
  })

  test('while no mail can leave it says what to do, and a code of the desk signs in', async () => {
    catchPost(site, noMailLeaves)
    const { context, page } = await openWindow(browser, { viewport: sizes.phone, colorScheme: 'dark' })
    await page.goto(`${site.url}/sign-in`)
    await page.getByText('No mail can leave the school at the moment.').waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'sign-in-no-mail-phone')
    const { code } = await (await site.as('okafor')).outage.issueDeskCode({ body: { userId: people.quinn.id } })
    await page.getByLabel('Your email address').fill(people.quinn.email)
    await page.keyboard.press('Enter')
    await codeField(page).fill(code)
    await today(page).waitFor()
    await context.close()
  })

  test('in French, under a name that is no secure context, at 200 % zoom', async () => {
    const post = catchPost(site)
    const { context, page, faults } = await openWindow(browser, { viewport: { width: 683, height: 384 } })
    await page.goto(`http://${NAME}:${site.running().port}/sign-in?next=//evil.example`)
    expect(await page.evaluate(() => window.isSecureContext)).toBe(false)
    await page.getByLabel('Language').selectOption('fr')
    await page.getByRole('heading', { name: 'Connexion' }).waitFor()
    await expectFits(page)
    await picture(page, 'sign-in-french-zoom')
    await page.getByLabel('Votre adresse électronique').fill(people.niamh.email)
    await page.keyboard.press('Enter')
    await page.getByLabel('Code', { exact: true }).fill(post.codeFor(people.niamh.email))
    await page.getByRole('heading', { name: 'Aujourd’hui' }).waitFor()
    expect(new URL(page.url()).host).toBe(`${NAME}:${site.running().port}`)
    expect(faults).toEqual([])
    await context.close()
  })

  test('who is signed out in the middle signs in over the page, and what was typed is still there', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'okafor')
    await page.goto(`${site.url}/subjects`)
    await page.getByRole('button', { name: 'Add a subject' }).click()
    await page.getByLabel('Name').fill('Music')
    await page.getByLabel('Code').fill('MU')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Please sign in again' })
    await dialog.waitFor()
    await picture(page, 'sign-in-again-pc')
    await expectForEverybody(page)
    await dialog.getByRole('button', { name: 'I have a code already' }).click()
    await dialog.getByLabel('Code', { exact: true }).fill(await consoleCode(site, people.okafor.email))
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Name').inputValue()).toBe('Music')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => page.getByRole('row', { name: /Music/ }).count()).toBe(1)
    expect(faults).toEqual([])
    await context.close()
  })
})

describe.skipIf(!chromiumPath)('a demonstration', () => {
  test('lets a newcomer in with two presses', async () => {
    const [site, browser] = await Promise.all([openSite({ demo: true }), openBrowser()])
    const { page, faults } = await openWindow(browser)
    await page.goto(site.url)
    await page.getByText('Try it as somebody').waitFor()
    await expectForEverybody(page)
    await picture(page, 'sign-in-demo-pc')
    await page.getByRole('button', { name: /Cathal Byrne/ }).click()
    await page.getByText('The code that would be mailed').waitFor()
    await expectForEverybody(page)
    await picture(page, 'sign-in-demo-code-pc')
    await page.keyboard.press('Enter')
    await today(page).waitFor()
    expect(faults).toEqual([])
    await browser.close()
    await site.close()
  })
})
