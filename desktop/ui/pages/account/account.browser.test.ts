import { naturalId } from '@markbook/shared/ids'
import { mathsHomework, zoe } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { stepAt, totpOf } from '../../../../server/features/auth/totp.ts'
import { asSystem } from '../../../../server/store/tx.ts'
import { fromBase32 } from '../../../../server/testing/authenticator.ts'
import { png } from '../../../../server/testing/pictures.ts'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { cell, openGrid } from '../../tests/grid.ts'
import { catchPost, noMailLeaves } from '../../tests/post.ts'
import { siteInBrowser } from '../../tests/site.ts'

const NEXT_LOOK = 10_000

describe.skipIf(!headlessPath)('the account page', () => {
  const { site, browser, open } = siteInBrowser()
  beforeAll(async () => {
    catchPost(site, noMailLeaves)
  })

  /** Signs in with a code from an app or from paper. */
  const signInWith = async (email: string, code: string) => {
    const { context, page } = await openWindow(browser)
    await page.goto(`${site.url}/sign-in`)
    await page.getByLabel('Your email address').fill(email)
    await page.getByRole('button', { name: 'Go on to the code' }).click()
    await page.getByLabel('Code', { exact: true }).fill(code)
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    await context.close()
  }
  const toast = (page: Page, text: string) => page.getByText(text).first().waitFor()

  test('an authenticator app is set up, signs in, and is removed', async () => {
    const { context, page, faults } = await open('byrne', '/account')
    await page.getByText('not set up').waitFor()
    await expectForEverybody(page)
    await picture(page, 'account-pc')
    await page.getByRole('button', { name: 'Set up an app' }).click()
    const dialog = page.getByRole('dialog')
    const secret = fromBase32((await dialog.locator('code').innerText()).replace(/\s/g, ''))
    await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'account-app-pc')
    // The app may be on the telephone that shows the QR code, so that the secret can be copied.
    await dialog.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('The key is copied. Paste it in the app.').waitFor()
    const field = dialog.getByLabel('The code that the app shows now')
    const now = () => stepAt(Date.now())
    await field.fill(totpOf(secret, now() + 100))
    await dialog.getByText('That is not the code that the app shows now.').waitFor()
    await field.fill(totpOf(secret, now()))
    await toast(page, 'From now on the app can sign you in.')
    await page.getByText(/^set up on/).waitFor()
    await signInWith(people.byrne.email, totpOf(secret, now() + 1))
    await page.getByRole('button', { name: 'Stop using it' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop using it' }).click()
    await page.getByText('not set up').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('recovery codes are shown once, copied and printed, and each signs in', async () => {
    const { context, page, faults } = await open('ada', '/account')
    await page.getByRole('button', { name: 'Make ten codes' }).click()
    await expectForEverybody(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Make ten codes' }).click()
    const codes = page.getByRole('dialog').getByRole('listitem')
    await expect.poll(() => codes.count()).toBe(10)
    const first = await codes.first().innerText()
    expect(first).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('The codes are copied.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'account-codes-pc')
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByText('Markbook: codes to sign in').isVisible()).toBe(true)
    expect(await page.locator('#app').isVisible()).toBe(false)
    await picture(page, 'account-codes-print')
    await page.emulateMedia({ media: 'screen' })
    await page.getByRole('button', { name: 'I have them' }).click()
    await page.getByText('10 left').waitFor()
    await signInWith(people.ada.email, first)
    await page.reload()
    await page.getByText('9 left').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('name, picture, appearance and language can be changed on a telephone', async () => {
    const { context, page, faults } = await open('niamh', '/account', { viewport: sizes.phone })
    await page.getByLabel('Last name').fill('Walsh-Burke')
    await page.getByRole('button', { name: 'Save' }).click()
    await toast(page, 'Your name is saved.')
    const file = { name: 'me.png', mimeType: 'image/png', buffer: png({ width: 8, height: 8 }) }
    await page.getByLabel('Choose a picture', { exact: true }).setInputFiles(file)
    await page.getByRole('button', { name: 'Use this picture' }).click()
    await toast(page, 'Your picture is saved.')
    await expect.poll(() => page.getByAltText('Your picture').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    await page.getByLabel('Appearance').selectOption('dark')
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'account-phone-dark')
    await page.getByRole('button', { name: 'Remove picture' }).click()
    await toast(page, 'Your picture is removed.')
    await page.getByAltText('Your picture').waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Remove picture' }).count()).toBe(0)
    await page.getByLabel('Language').selectOption('fr')
    await page.getByRole('heading', { name: 'Votre compte' }).waitFor()
    await expectFits(page)
    await picture(page, 'account-phone-french')
    expect(faults).toEqual([])
    await context.close()
  })

  test('a person who is approved in a second school sees both, and no data of one in the other', async () => {
    const { context, page, faults } = await openWindow(browser)
    await page.clock.install()
    await site.signIn(context, 'quinn')
    await page.goto(`${site.url}/account`)
    await page.getByRole('button', { name: 'Join another school' }).click()
    await page
      .getByRole('dialog')
      .getByRole('radio', { name: /Hilltop/ })
      .check()
    await expectForEverybody(page)
    await picture(page, 'account-join-pc')
    await page.getByRole('dialog').getByRole('button', { name: 'Ask to join' }).click()
    await page.getByText('You asked to join Hilltop-Marker School').waitFor()
    const head = await site.as('marker')
    const [request] = await head.schools.joinRequests()
    await head.schools.approve({ params: { requestId: request?.id ?? '' }, body: { role: 'admin' } })
    const banner = page.getByRole('banner')
    await page.clock.fastForward(NEXT_LOOK)
    await banner.getByText('Hilltop-Marker School').waitFor()
    await page.getByRole('link', { name: 'Subjects' }).click()
    await page.getByText('Hilltop-Marker maths').waitFor()
    await page.getByRole('button', { name: /^Account of/ }).click()
    await picture(page, 'account-menu-pc')
    await page.getByRole('menuitemradio', { name: 'St Brigid’s' }).click()
    await banner.getByText('St Brigid’s').waitFor()
    await page.getByText('3A · Mathematics').waitFor()
    expect(await page.getByRole('main').getByText('Hilltop').count()).toBe(0)
    expect(await (await site.as('quinn')).auth.me()).toMatchObject({ school_id: stBrigids, role: 'teacher' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('marks that wait for another school are counted on every page, and sent after the switch to it', async () => {
    const user_id = people.ada.id
    await site
      .running()
      .node.services.store.write(asSystem(), (tx) =>
        tx.insert('school_management', [
          { id: naturalId('membership', user_id, hilltop), school_id: hilltop, user_id, role: 'teacher', is_active: true },
        ]),
      )
    const { context, page, faults } = await openGrid(site, browser)
    await page.route('**/api/grades**', (route) => route.abort())
    await cell(page, 0, 1).click()
    await page.keyboard.type('4')
    await page.keyboard.press('Enter')
    await page.getByText('1 mark is on this device and not saved yet').waitFor()
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitemradio', { name: 'Hilltop-Marker School' }).click()
    await page.getByRole('banner').getByText('Hilltop-Marker School').waitFor()
    const notice = page.getByRole('main').getByText('1 entry waits on this device for St Brigid’s.', { exact: false })
    await notice.waitFor()
    await expectForEverybody(page)
    await picture(page, 'account-other-school-pc')
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'account-other-school-phone')
    await page.unroute('**/api/grades**')
    await page.getByRole('button', { name: 'Switch to St Brigid’s' }).click()
    await notice.waitFor({ state: 'detached' })
    const marks = () => site.as('okafor').then((head) => head.grades.list({ query: { assessmentId: mathsHomework.id } }))
    await expect.poll(async () => (await marks()).find(({ student_id }) => student_id === zoe.id)?.score, { timeout: 60_000 }).toBe(4)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a suspended membership is shown, and cannot be chosen', async () => {
    const user_id = people.byrne.id
    await site
      .running()
      .node.services.store.write(asSystem(), (tx) =>
        tx.insert('school_management', [
          { id: naturalId('membership', user_id, hilltop), school_id: hilltop, user_id, role: 'teacher', is_active: false },
        ]),
      )
    const { context, page } = await open('byrne', '/account')
    await page.getByText('switched off').waitFor()
    expect(await page.getByRole('button', { name: /^Go to/ }).count()).toBe(0)
    await context.close()
  })
})
