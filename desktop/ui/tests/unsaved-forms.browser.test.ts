import { type MarkCode, standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { zoe } from '@markbook/shared/story/marks'
import { class3B } from '@markbook/shared/story/school-year'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { dialogsClosed, expectFits, expectForEverybody, openWindow, picture, sizes } from './browser.ts'
import { headlessPath } from './chromium.ts'
import { siteInBrowser } from './site.ts'

/** Forms with a save button: the page, how to open it, and one of its fields. */
const forms = [
  { path: `/classes/${class3B.id}`, opens: 'Rename', field: 'Name' },
  { path: '/subjects', opens: 'Change Irish', field: 'Name' },
  { path: `/students/${zoe.id}`, opens: 'Change', field: 'Last name' },
  { path: '/school', opens: null, field: 'Telephone' },
  { path: '/account', opens: null, field: 'First name' },
] as const

describe.skipIf(!headlessPath)('a form with a save button', () => {
  const { site, browser } = siteInBrowser()
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    ;({ context, page } = await openWindow(browser))
    await site.signIn(context, 'okafor')
  })

  for (const { path, opens, field } of forms)
    test(`keeps what was typed while the server is away, and asks before it is lost: ${path.split('/')[1]}`, async () => {
      await page.goto(`${site.url}${path}`)
      if (opens) await page.getByRole('button', { name: opens, exact: true }).click()
      const place = opens ? page.getByRole('dialog') : page.getByRole('main')
      await place.getByLabel(field).first().fill('typed')
      await context.setOffline(true)
      await place.getByRole('button', { name: 'Save' }).first().click()
      await place.getByText('The server cannot be reached.', { exact: false }).first().waitFor()
      expect(await place.getByLabel(field).first().inputValue()).toBe('typed')
      await context.setOffline(false)
      const [question] = await Promise.all([page.waitForEvent('dialog'), page.evaluate(() => setTimeout(() => location.reload()))])
      expect(question.type()).toBe('beforeunload')
      await question.dismiss()
      expect(await place.getByLabel(field).first().inputValue()).toBe('typed')
      // After saving there is no question.
      await place.getByRole('button', { name: 'Save' }).first().click()
      await page.getByRole('button', { name: 'Undo', exact: true }).click()
      await page.getByRole('button', { name: 'Redo', exact: true }).waitFor()
      let asked = 0
      page.on('dialog', (dialog) => {
        asked += 1
        void dialog.accept()
      })
      await page.reload()
      page.removeAllListeners('dialog')
      expect(asked).toBe(0)
    })

  test.each(['/school', '/account', '/scale'])(
    'another page asks before unsaved text is lost, and not after it was saved: %s',
    async (path) => {
      await page.goto(`${site.url}${path}`)
      const field = page.getByRole('main').getByRole('textbox').first()
      await field.fill('57')
      const elsewhere = page.getByRole('link', { name: 'Subjects', exact: true })
      const question = page.getByRole('dialog', { name: 'Leave without saving?' })
      await elsewhere.click()
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'detached' })
      expect(await field.inputValue()).toBe('57')
      await elsewhere.click()
      await question.getByRole('button', { name: 'Leave without saving' }).click()
      await page.getByRole('heading', { name: 'Subjects', level: 1 }).waitFor()
      await page.goBack()
      await expect.poll(() => field.inputValue()).not.toBe('57')
      await field.fill('58')
      await page.getByRole('main').getByRole('button', { name: 'Save' }).first().click()
      await page.getByRole('button', { name: 'Undo', exact: true }).first().waitFor()
      await elsewhere.click()
      await page.getByRole('heading', { name: 'Subjects', level: 1 }).waitFor()
    },
  )

  test('a dialog that is being saved takes no text, which would be lost when it closes', async () => {
    const path = '**/api/subjects/*'
    await page.goto(`${site.url}/subjects`)
    await page.getByRole('button', { name: 'Change Irish', exact: true }).click()
    const name = page.getByRole('dialog').getByLabel('Name')
    await name.fill('Irish language')
    let answer = () => {}
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(path, async (route) => {
      await isAnswered
      await route.continue()
    })
    await name.press('Enter')
    await page.getByRole('button', { name: 'Saving …' }).waitFor()
    await name.pressSequentially(' and literature')
    expect(await name.inputValue()).toBe('Irish language')
    answer()
    await page.getByText('Irish language').first().waitFor()
    await dialogsClosed(page)
    await page.unroute(path)
  })

  test('a scale that is typed stays where another year is chosen, and where somebody else saves one', async () => {
    const own = await context.newPage()
    await own.clock.install()
    await own.goto(`${site.url}/scale`)
    const pass = own.getByLabel('Pass mark')
    const year = own.getByLabel('Scale of')
    await pass.fill('57')
    await year.selectOption({ index: 1 })
    const question = own.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect([await pass.inputValue(), await year.inputValue()]).toEqual(['57', ''])
    const okafor = await site.as('okafor')
    const save = async (passMark: number) => {
      const { bands } = await okafor.gradingScale.get({ query: {} })
      await okafor.gradingScale.put({ query: {}, body: { passMark, bands } })
      // The page reads it again when its window gets the focus.
      await own.clock.fastForward(20_000)
      const read = own.waitForResponse('**/api/grading-scale*')
      await own.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
      await (await read).finished()
      await own.waitForTimeout(300)
    }
    await save(44)
    expect(await pass.inputValue()).toBe('57')
    const notice = own.getByText('Meanwhile something else was saved here.', { exact: false })
    await notice.waitFor()
    await pass.fill('44')
    await notice.waitFor({ state: 'detached' })
    await save(45)
    expect(await pass.inputValue()).toBe('45')
    expect(await notice.count()).toBe(0)
    await year.selectOption({ index: 1 })
    expect(await question.count()).toBe(0)
    await own.close()
  })

  test('what another head saved since is not replaced unseen: codes of marks, and the scale', async () => {
    const own = await context.newPage()
    const okafor = await site.as('okafor')
    await own.goto(`${site.url}/scale`)
    const codes = own.getByRole('region', { name: 'Codes in place of marks' })
    const codeNames = async () => (await okafor.schools.mine()).mark_codes?.map(({ name }) => name)
    const name = codes.getByRole('textbox').first()
    await name.fill('Mine')
    const theirs = [{ ...standardMarkCodes[0], name: 'Theirs' }, ...standardMarkCodes.slice(1)] as MarkCode[]
    await okafor.schools.updateMine({ body: { markCodes: theirs } })
    await codes.getByRole('button', { name: 'Save', exact: true }).click()
    const notice = own.getByText('Meanwhile something else was saved here.', { exact: false })
    await notice.waitFor()
    expect(await name.inputValue()).toBe('Mine')
    expect((await codeNames())?.[0]).toBe('Theirs')
    await expectForEverybody(own)
    await picture(own, 'codes-meanwhile-pc')
    await own.setViewportSize(sizes.phone)
    await expectFits(own)
    await picture(own, 'codes-meanwhile-phone')
    await own.setViewportSize(sizes.pc)
    // Once this was said, saving replaces it.
    await codes.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(async () => (await codeNames())?.[0]).toBe('Mine')
    await notice.waitFor({ state: 'detached' })

    const pass = own.getByLabel('Pass mark')
    await pass.fill('58')
    const { bands } = await okafor.gradingScale.get({ query: {} })
    await okafor.gradingScale.put({ query: {}, body: { passMark: 47, bands } })
    await own.locator('form').first().getByRole('button', { name: 'Save', exact: true }).click()
    await notice.waitFor()
    expect((await okafor.gradingScale.get({ query: {} })).pass_mark).toBe(47)
    expect(await pass.inputValue()).toBe('58')
    await own.getByRole('button', { name: 'Take what is saved' }).click()
    expect(await pass.inputValue()).toBe('47')
    await notice.waitFor({ state: 'detached' })
    await own.close()
  })

  test('what is typed while the scale or the codes are being saved stays, and «Undo» shows what was there before', async () => {
    const own = await context.newPage()
    await own.goto(`${site.url}/scale`)
    const codes = own.getByRole('region', { name: 'Codes in place of marks' })
    await own.evaluate(() => {
      const seen = () => {
        if (document.body.innerText.includes('Meanwhile something else was saved here.')) document.body.dataset['saidOther'] = 'yes'
      }
      new MutationObserver(seen).observe(document.body, { childList: true, subtree: true })
    })
    for (const { path, form, field } of [
      { path: '**/api/grading-scale*', form: own.locator('form').first(), field: own.getByLabel('Pass mark') },
      { path: '**/api/schools/mine', form: codes, field: codes.getByRole('textbox').first() },
    ]) {
      let answer = () => {}
      const isAnswered = new Promise<void>((resolve) => {
        answer = resolve
      })
      await own.route(path, async (route) => {
        if (route.request().method() !== 'GET') await isAnswered
        await route.continue()
      })
      const save = form.getByRole('button', { name: 'Save', exact: true })
      await field.fill('61')
      await save.click()
      await form.getByRole('button', { name: 'Saving …' }).waitFor()
      await field.fill('62')
      answer()
      await save.waitFor()
      await own.waitForTimeout(300)
      expect(await field.inputValue()).toBe('62')
      // Not even for a moment: what was saved is the person's own.
      expect(await own.evaluate(() => document.body.dataset['saidOther'])).toBeUndefined()
      const newest = own.getByRole('button', { name: 'Undo', exact: true }).first()
      const former = await newest.elementHandle()
      await save.click()
      await expect.poll(() => newest.evaluate((button, other) => button === other, former)).toBe(false)
      await newest.click()
      await expect.poll(() => field.inputValue()).toBe('61')
      await own.unroute(path)
    }
    await own.close()
  })

  test('a press beside a dialog, Esc and Back ask before they close it with typed text; Back closes an empty one', async () => {
    await page.goto(`${site.url}/`)
    await page.getByRole('link', { name: 'Subjects', exact: true }).click()
    const open = () => page.getByRole('button', { name: 'Add a subject' }).click()
    const form = page.getByRole('dialog', { name: 'Add a subject' })
    const question = page.getByRole('dialog', { name: 'Close without saving?' })
    await open()
    await form.waitFor()
    await page.goBack()
    await form.waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).pathname).toBe('/subjects')
    await open()
    await form.getByLabel('Name').fill('Astronomy')
    for (const dismiss of [() => page.mouse.click(5, 300), () => page.keyboard.press('Escape'), () => page.goBack()]) {
      await dismiss()
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'detached' })
      expect(await form.getByLabel('Name').inputValue()).toBe('Astronomy')
    }
    await expect.poll(() => new URL(page.url()).pathname).toBe('/subjects')
    await page.mouse.click(5, 300)
    await question.getByRole('button', { name: 'Close without saving' }).click()
    await form.waitFor({ state: 'detached' })
  })
})
