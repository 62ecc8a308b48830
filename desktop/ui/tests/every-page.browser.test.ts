import { zoe } from '@markbook/shared/story/marks'
import { class3B, maths } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from './browser.ts'
import { headlessPath } from './chromium.ts'
import { siteInBrowser } from './site.ts'

/** Every address of the app, as the head sees it; a page that is not here is in no picture and was tried by nobody. */
const PAGES = {
  today: '/',
  marks: '/marks',
  grid: `/marks/${class3B.id}/${maths.id}`,
  attendance: `/attendance/${class3B.id}?day=2025-11-17`,
  assessments: '/assessments',
  results: '/results',
  'class-results': `/results/${class3B.id}`,
  'pupil-results': `/results/${class3B.id}/students/${zoe.id}`,
  reports: '/reports',
  'class-reports': `/reports/${class3B.id}`,
  overview: '/overview',
  classes: '/classes',
  sets: '/sets',
  class: `/classes/${class3B.id}`,
  students: '/students',
  student: `/students/${zoe.id}`,
  years: '/years',
  audit: '/audit',
  subjects: '/subjects',
  scale: '/scale',
  people: '/people',
  school: '/school',
  bin: '/bin',
  sync: '/sync',
  conflicts: '/sync/conflicts',
  nodes: '/sync/nodes',
  account: '/account',
  missing: '/there-is-no-such-page',
}

const settled = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.getByText('Loading …').count(), { timeout: 15_000 }).toBe(0)
}

const readFromTheRight = (page: Page) =>
  page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })

describe.skipIf(!headlessPath)('every page', () => {
  const { site, browser } = siteInBrowser()
  let pc: Awaited<ReturnType<typeof openWindow>>
  let phone: Awaited<ReturnType<typeof openWindow>>
  beforeAll(async () => {
    pc = await openWindow(browser)
    phone = await openWindow(browser, { viewport: sizes.phone, colorScheme: 'dark' })
    await site.signIn(pc.context, 'okafor')
    await site.signIn(phone.context, 'okafor')
  })

  test.each(Object.entries(PAGES))(
    '%s is for everybody, on the old PC and on a telephone, in the light and in the dark, at 200 %%, read from the left and from the right',
    async (name, path) => {
      await pc.page.goto(`${site.url}${path}`)
      await settled(pc.page)
      await expectForEverybody(pc.page)
      await picture(pc.page, `${name}-pc`)
      // Twice as large is the same as a window of half the size.
      await pc.page.setViewportSize({ width: 683, height: 384 })
      await expectFits(pc.page)
      await pc.page.setViewportSize(sizes.pc)
      await phone.page.goto(`${site.url}${path}`)
      await settled(phone.page)
      await expectForEverybody(phone.page)
      await expectFits(phone.page)
      await picture(phone.page, `${name}-phone`)
      await readFromTheRight(phone.page)
      await expectForEverybody(phone.page)
      await expectFits(phone.page)
      expect([...pc.faults, ...phone.faults]).toEqual([])
    },
  )
})
