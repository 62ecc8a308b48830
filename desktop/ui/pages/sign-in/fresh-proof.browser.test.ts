import { people } from '@markbook/shared/story/people'
import { beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../../../server/store/tx.ts'
import { dialogsClosed, expectFits, expectForEverybody, openBrowser, openWindow, picture, sizes } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { catchPost, consoleCode, type Post } from '../../tests/post.ts'
import { openSite, siteInBrowser } from '../../tests/site.ts'

const PROOF = { name: 'Is it you?' }

describe.skipIf(!headlessPath)('the question for a fresh proof', () => {
  const { site, browser, open } = siteInBrowser()
  let post: Post
  beforeAll(async () => {
    post = catchPost(site)
  })

  /** Changes the database as if everybody had signed in an hour ago. */
  const anHourLater = () =>
    site
      .running()
      .node.services.store.write(asSystem(), ({ local, nowMs, t }) =>
        local.update(t.session).set({ proved_at: new Date(nowMs - 3_600_000).toISOString() }),
      )
  const askForCodes = async (person: 'byrne' | 'ada' | 'okafor', viewport: { width: number; height: number } = sizes.pc) => {
    const opened = await openWindow(browser, { viewport })
    await site.signIn(opened.context, person)
    await anHourLater()
    await opened.page.goto(`${site.url}/account`)
    await opened.page.getByRole('button', { name: 'Make ten codes' }).click()
    await opened.page.getByRole('dialog').getByRole('button', { name: 'Make ten codes' }).press('Enter')
    return { ...opened, proof: opened.page.getByRole('dialog', PROOF) }
  }

  test('is shown over the page, answered by keyboard, and then the action continues', async () => {
    const { context, page, proof, faults } = await askForCodes('byrne')
    const field = proof.getByLabel('Code', { exact: true })
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
    await expectForEverybody(page)
    await picture(page, 'proof-pc')
    const code = await consoleCode(site, people.byrne.email)
    await page.keyboard.type(code === '00000000' ? '11111111' : '00000000')
    await proof.getByText('That code is not right').waitFor()
    await page.keyboard.type(code)
    await proof.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('dialog').getByRole('listitem').count()).toBe(10)
    expect(faults).toEqual([])
    await context.close()
  })

  test('sends a code by mail, on a telephone', async () => {
    const { context, page, proof, faults } = await askForCodes('ada', sizes.phone)
    await proof.getByRole('button', { name: 'Send me a code' }).click()
    await proof.getByText(/a code is on its way there/).waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'proof-phone')
    await proof.getByLabel('Code', { exact: true }).fill(await post.codeFor(people.ada.email))
    await page.getByText('Your ten codes').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('is cancelled with Esc: nothing changes, and the page says why', async () => {
    const { context, page, proof, faults } = await askForCodes('okafor')
    await proof.waitFor()
    await page.keyboard.press('Escape')
    await proof.waitFor({ state: 'detached' })
    const below = page.getByRole('dialog')
    await below.getByText('This needs a new code from you').waitFor()
    await below.getByRole('button', { name: 'Make ten codes' }).press('Enter')
    await proof.getByRole('button', { name: 'Cancel' }).click()
    await proof.waitFor({ state: 'detached' })
    await below.getByText('This needs a new code from you').waitFor()
    await page.keyboard.press('Escape')
    await dialogsClosed(page)
    expect(faults).toEqual([])
    await context.close()
  })

  test('is not asked just after a sign-in', async () => {
    const { context, page } = await open('niamh', '/account')
    await page.getByRole('button', { name: 'Make ten codes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make ten codes' }).click()
    await page.getByText('Your ten codes').waitFor()
    await context.close()
  })
})

describe.skipIf(!headlessPath)('the question in a demonstration', () => {
  test('says that its button fills the code in', async () => {
    const [site, browser] = await Promise.all([openSite({ demo: true }), openBrowser()])
    const { page, faults } = await openWindow(browser)
    await page.goto(site.url)
    await page.getByRole('button', { name: /Cathal Byrne/ }).click()
    await page.getByText('The code that would be mailed').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForURL((url) => url.pathname === '/')
    await site
      .running()
      .node.services.store.write(asSystem(), ({ local, nowMs, t }) =>
        local.update(t.session).set({ proved_at: new Date(nowMs - 3_600_000).toISOString() }),
      )
    await page.goto(`${site.url}/account`)
    await page.getByRole('button', { name: 'Make ten codes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make ten codes' }).press('Enter')
    const proof = page.getByRole('dialog', PROOF)
    await proof.getByText('This is a demonstration, where no mail is sent: the button fills the code in.').waitFor()
    expect(await proof.getByText('is printed where the server runs', { exact: false }).count()).toBe(0)
    await expectForEverybody(page)
    await picture(page, 'proof-demo')
    await proof.getByRole('button', { name: 'Fill the code in' }).click()
    await expect.poll(() => proof.getByLabel('Code', { exact: true }).inputValue()).toMatch(/^\d{8}$/)
    await proof.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Your ten codes').waitFor()
    expect(faults).toEqual([])
    await browser.close()
    await site.close()
  })
})
