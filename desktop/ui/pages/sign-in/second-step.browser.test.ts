import { people } from '@markbook/shared/story/people'
import { beforeAll, describe, expect, test } from 'vitest'
import { stepAt, totpOf } from '../../../../server/features/auth/totp.ts'
import { fromBase32 } from '../../../../server/testing/authenticator.ts'
import { expectForEverybody, picture } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { catchPost, type Post } from '../../tests/post.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('a second factor after the code by mail', () => {
  const { site, open } = siteInBrowser()
  let post: Post
  beforeAll(async () => {
    post = catchPost(site)
  })

  test('is chosen in the account, and then asked for after a correct code', async () => {
    const head = await site.as('okafor')
    const secret = fromBase32((await head.outage.enrolTotp()).secret)
    const now = () => stepAt(Date.now())
    await head.outage.confirmTotp({ body: { token: totpOf(secret, now() - 1) } })
    const { context, page, faults } = await open('okafor', '/account')
    await page.getByText('You are an administrator: we advise it.').waitFor()
    await page.getByRole('button', { name: 'Ask for it', exact: true }).click()
    await page.getByText(/^asked for since/).waitFor()
    await expectForEverybody(page)
    await context.clearCookies()

    await page.goto(`${site.url}/sign-in`)
    await page.getByLabel('Your email address').fill(people.okafor.email)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await page.getByLabel('Code', { exact: true }).fill(await post.codeFor(people.okafor.email))
    await page.getByText('Now give your second factor').waitFor()
    await expectForEverybody(page)
    await picture(page, 'second-step-pc')
    const field = page.getByLabel('Second code')
    await field.fill(totpOf(secret, now() + 100))
    await page.getByText('Wait for the app’s next code').waitFor()
    await field.fill(totpOf(secret, now() + 1))
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
