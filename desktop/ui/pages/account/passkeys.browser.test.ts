import { people } from '@markbook/shared/story/people'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../../../server/store/tx.ts'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { catchPost, consoleCode } from '../../tests/post.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('passkeys', () => {
  const { site, browser } = siteInBrowser()
  /** The server's address by host name, where passkeys can be used, and by IP address. */
  let named: string
  let numbered: string
  beforeAll(async () => {
    catchPost(site)
    const { port } = new URL(site.url)
    ;[named, numbered] = [`http://localhost:${port}`, `http://127.0.0.1:${port}`]
  })

  /** Adds the virtual authenticator of Chrome, which finds its keys and verifies its user by itself. */
  async function withAuthenticator(page: Page) {
    const session = await page.context().newCDPSession(page)
    await session.send('WebAuthn.enable')
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return (isUserVerified: boolean) => session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  }

  test('a passkey is set up, signs in without address and code, gives a fresh proof, and is removed', async () => {
    const { context, page, faults } = await openWindow(browser)
    const recognise = await withAuthenticator(page)
    await page.goto(`${named}/sign-in`)
    await page.getByLabel('Your email address').fill(people.byrne.email)
    await page.getByRole('button', { name: 'I have a code already' }).click()
    await page.getByLabel('Code', { exact: true }).fill(await consoleCode(site, people.byrne.email))
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()

    await page.goto(`${named}/account`)
    await page.getByRole('button', { name: 'Set up a passkey' }).click()
    await expectForEverybody(page)
    await page.getByLabel('What shall it be called?').fill('My telephone')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('From now on the passkey can sign you in.').first().waitFor()
    await page.getByText('For localhost').waitFor()
    await page.getByText('Not used yet').waitFor()
    await expectForEverybody(page)
    await picture(page, 'passkeys-pc')

    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'sign-in-passkey-pc')
    await recognise(false)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('No passkey was used.').waitFor()
    await recognise(true)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()

    await site.running().node.services.store.write(asSystem(), ({ local, t }) => local.update(t.session).set({ proved_at: null }))
    await page.goto(`${named}/account`)
    await page
      .getByText(/^Last used/)
      .nth(0)
      .waitFor()
    await page.getByRole('button', { name: 'Remove: My telephone' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'With a passkey' }).click()
    await page.getByText('The passkey no longer signs you in.').first().waitFor()
    expect(await page.getByText('For localhost').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('at an IP address the page says why there are no passkeys, and the sign-in page does not offer them', async () => {
    const { context, page, faults } = await openWindow(browser, { viewport: sizes.phone })
    await page.goto(`${numbered}/sign-in`)
    await page.getByLabel('Your email address').waitFor()
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
    await page.getByLabel('Your email address').fill(people.ada.email)
    await page.getByRole('button', { name: 'I have a code already' }).click()
    await page.getByLabel('Code', { exact: true }).fill(await consoleCode(site, people.ada.email))
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    await page.goto(`${numbered}/account`)
    await page.getByText(/because 127\.0\.0\.1:\d+ is a number/).waitFor()
    expect(await page.getByRole('button', { name: 'Set up a passkey' }).count()).toBe(0)
    await expectForEverybody(page)
    await expectFits(page)
    expect(faults).toEqual([])
    await context.close()
  })
})
