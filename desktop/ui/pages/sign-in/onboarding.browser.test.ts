import { people, stBrigids } from '@markbook/shared/story/people'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { catchPost } from '../../tests/post.ts'
import { openSite, type Site } from '../../tests/site.ts'

/** Twice as long as the waiting page takes to look again. */
const NEXT_LOOK = { timeout: 25_000 }

describe.skipIf(!headlessPath)('the first days', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  test('the first person on a new server signs in, gives a name, opens the school and is led on, by keyboard', async () => {
    const site = await openSite({ story: false })
    const post = catchPost(site)
    const { context, page, faults } = await openWindow(browser)
    await page.goto(site.url)
    await page.getByLabel('Your email address').fill('maeve.quill@school.example')
    await page.keyboard.press('Enter')
    await page.getByLabel('Code', { exact: true }).fill(await post.codeFor('maeve.quill@school.example'))
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await expectForEverybody(page)
    await picture(page, 'welcome-name-pc')
    await page.getByLabel('First name').fill('Maeve')
    await page.keyboard.press('Enter')
    await page.getByText('Please fill this in.').waitFor()
    await page.getByLabel('Last name').fill('Quill')
    await page.keyboard.press('Enter')
    await page.getByLabel('Name of the school').fill('Scoil Mhuire')
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'welcome-create-pc')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.getByText('answers on its own computer alone').waitFor()
    site.running().node.services.presence = { urls: () => ['https://192.168.1.20:3000'] }
    await page.reload()
    await page.getByText('Tell them this address: https://192.168.1.20:3000.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'home-first-steps-pc')
    const steps = await page
      .getByRole('listitem')
      .filter({ hasText: /school year|Subjects/ })
      .allInnerTexts()
    expect(steps.some((text) => text.includes('Subjects') && text.includes('done'))).toBe(true)
    await page.setViewportSize(sizes.phone)
    await expectFits(page)
    await picture(page, 'home-first-steps-phone')
    await page.getByRole('link', { name: 'Do it: the school year' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/years')
    expect(faults).toEqual([])
    await context.close()
    await site.close()
  })

  describe('at a school that is there', () => {
    let site: Site
    beforeAll(async () => {
      site = await openSite({ env: { DEDICATED: 'false' } })
    })
    afterAll(() => site.close())

    test('whoever asks to join waits, and the page goes on by itself once they are let in', async () => {
      const { context, page, faults } = await openWindow(browser)
      await site.signIn(context, 'nobody')
      await page.goto(`${site.url}/subjects`)
      await page.getByLabel('First name').fill('Niall')
      await page.getByLabel('Last name').fill('Ó Sé')
      await page.keyboard.press('Enter')
      await page.getByLabel('Find your school').fill('brigid')
      await page.getByRole('button', { name: 'Ask to join' }).click()
      await page.getByText('Please choose a school below.').waitFor()
      await page.getByRole('radio', { name: /St Brigid’s/ }).check()
      await page.getByLabel('A word to the school').fill('I teach music.')
      await expectForEverybody(page)
      await picture(page, 'welcome-join-pc')
      await page.setViewportSize(sizes.phone)
      await expectFits(page)
      await picture(page, 'welcome-join-phone')
      await page.getByRole('button', { name: 'Ask to join' }).click()
      await page.getByRole('heading', { name: 'Waiting for an answer' }).waitFor()
      await page.getByText('You asked to join St Brigid’s').waitFor()
      await expectForEverybody(page)
      await picture(page, 'waiting-phone')
      const head = await site.as('okafor')
      const requests = await head.schools.joinRequests()
      const own = requests.find(({ user }) => user.id === people.nobody.id)
      expect(own?.message).toBe('I teach music.')
      await head.schools.approve({ params: { requestId: own?.id ?? '' }, body: { role: 'teacher' } })
      await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor(NEXT_LOOK)
      await page.getByText('St Brigid’s has let you in.').waitFor()
      await picture(page, 'home-new-teacher-phone')
      expect(faults).toEqual([])
      await context.close()
    })

    test('whoever is refused is told, also when they come back later, and may ask again', async () => {
      const { context, page } = await openWindow(browser, { colorScheme: 'dark' })
      await site.signIn(context, 'tomas')
      await page.goto(site.url)
      await page.getByRole('button', { name: 'Withdraw the request' }).click()
      await expectForEverybody(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw the request' }).click()
      await page.getByRole('heading', { name: 'Which school?' }).waitFor()
      expect(await page.getByText('has not accepted').count()).toBe(0)
      await page.getByRole('radio', { name: /St Brigid’s/ }).check()
      await page.getByRole('button', { name: 'Ask to join' }).click()
      await page.getByRole('heading', { name: 'What happens next' }).waitFor()
      await picture(page, 'waiting-dark-pc')
      const head = await site.as('okafor')
      const [request] = await head.schools.joinRequests()
      expect(request?.school.id).toBe(stBrigids)
      await head.schools.reject({ params: { requestId: request?.id ?? '' } })
      await page.getByRole('heading', { name: 'The request was not accepted' }).waitFor(NEXT_LOOK)
      await expectForEverybody(page)
      await picture(page, 'waiting-refused-pc')
      await page.goto(site.url)
      await page.getByText('St Brigid’s has not accepted your request.').waitFor()
      await page.getByRole('link', { name: /Create a school/ }).click()
      await page.getByLabel('Name of the school').fill('Gaelscoil Tomáis')
      await page.getByRole('radio', { name: 'Primary' }).check()
      await page.getByRole('button', { name: 'Create the school' }).click()
      await page.getByRole('heading', { name: 'First steps' }).waitFor()
      await context.close()
    })
  })
})
