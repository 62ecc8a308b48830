import { readFileSync } from 'node:fs'
import { zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from './browser.ts'
import { headlessPath } from './chromium.ts'
import { siteInBrowser } from './site.ts'

/** Every address of the app, as the head sees it. `SET` is replaced by the id of a teaching set. */
const PAGES = {
  today: '/',
  marks: '/marks',
  grid: `/marks/${class3B.id}/${maths.id}`,
  'set-grid': '/marks/sets/SET',
  'choose-attendance': '/attendance',
  attendance: `/attendance/${class3B.id}?day=2025-11-17`,
  assessments: '/assessments',
  results: '/results',
  'class-results': `/results/${class3B.id}`,
  'pupil-results': `/results/${class3B.id}/students/${zoe.id}`,
  reports: '/reports',
  'class-reports': `/reports/${class3B.id}`,
  book: `/reports/book/${draftReport.id}`,
  overview: '/overview',
  classes: '/classes',
  sets: '/sets',
  set: '/sets/SET',
  class: `/classes/${class3B.id}`,
  students: '/students',
  student: `/students/${zoe.id}`,
  history: `/history?entity=student&id=${zoe.id}`,
  years: '/years',
  categories: `/years/${thisYear.id}/categories`,
  'roll-over': `/years/${thisYear.id}/roll-over`,
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
  await expect.poll(() => page.locator('[role="status"] > [aria-hidden]:empty').count(), { timeout: 15_000 }).toBe(0)
}

/** Chooses a term with marks, report books and remarks; the current one has none. */
const inTerm = (context: BrowserContext) => context.addInitScript((id) => sessionStorage.setItem('markbook.term', id), michaelmas.id)

/** Fails where the actions of a page are not beside its title. */
async function expectActionsBeside(page: Page): Promise<void> {
  const below = await page
    .locator('main header:has(h1)')
    .evaluateAll((heads) =>
      heads.map((head) => (head.children[1] ? head.children[1].getBoundingClientRect().top - head.getBoundingClientRect().top : 0)),
    )
  expect(Math.max(0, ...below), page.url()).toBeLessThan(8)
}

/** Fails where print has a dark background, or elements that only work on a screen. */
async function expectPaper(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  const printed = await page.evaluate(() => ({
    ground: getComputedStyle(document.body).backgroundColor,
    text: getComputedStyle(document.querySelector('h1') ?? document.body).color,
    pressed: ['[class*="primary"]', 'button[aria-haspopup="dialog"]:has(svg:only-child)', 'button[class*="quiet"][data-figure]']
      .flatMap((kind) => [...document.querySelectorAll(`main ${kind}`)])
      .filter((button) => button.getClientRects().length > 0)
      .map(({ textContent }) => textContent),
  }))
  await page.emulateMedia({ media: null })
  expect(printed, page.url()).toEqual({ ground: 'rgb(255, 255, 255)', text: 'rgb(0, 0, 0)', pressed: [] })
}

/** Pages with a test of their own, which needs a laptop without a sign-in. */
const ELSEWHERE = ['/pair']

test('every address of the app is in this test', () => {
  const source = readFileSync(new URL('../routes.tsx', import.meta.url), 'utf8')
  const paths = [...source.matchAll(/[pP]age\(\s*'(\/[^']*)'|path: '(\/[^']*)'/g)].map(([, own, other]) => own ?? other ?? '')
  expect(paths.length).toBeGreaterThan(30)
  const looked = Object.values(PAGES).map((address) => new URL(address, 'http://here').pathname)
  const isLooked = (path: string) => looked.some((address) => new RegExp(`^${path.replace(/\$\w+/g, '[^/]+')}$`).test(address))
  expect(
    paths.filter((path) => !isLooked(path) && !ELSEWHERE.includes(path)),
    'addresses without a line in PAGES of this file',
  ).toEqual([])
})

describe.skipIf(!headlessPath)('every page', () => {
  const { site, browser } = siteInBrowser()
  let pc: Awaited<ReturnType<typeof openWindow>>
  let phone: Awaited<ReturnType<typeof openWindow>>
  let arabic: Awaited<ReturnType<typeof openWindow>>
  let setId = ''
  const addressOf = (path: string) => `${site.url}${path.replace('SET', setId)}`
  beforeAll(async () => {
    pc = await openWindow(browser)
    phone = await openWindow(browser, { viewport: sizes.phone, colorScheme: 'dark' })
    arabic = await openWindow(browser, { viewport: sizes.phone, locale: 'ar-TN' })
    for (const { context } of [pc, phone, arabic]) {
      await inTerm(context)
      await site.signIn(context, 'okafor')
    }
    const head = await site.as('okafor')
    const set = await head.teachingSets.create({ body: { academicYearId: thisYear.id, subjectId: maths.id, name: 'Upper set' } })
    await head.teachingSets.setTeachers({ params: { id: set.id }, body: { teacherIds: [people.ada.id] } })
    await head.teachingSets.setStudents({ params: { id: set.id }, body: { studentIds: [zoe.id] } })
    setId = set.id
  })

  test.each(Object.entries(PAGES))(
    '%s is for everybody, on the old PC and on a telephone, in the light, in the dark and on paper, twice as large, in English and in Arabic',
    async (name, path) => {
      await pc.page.goto(addressOf(path))
      await settled(pc.page)
      await expectForEverybody(pc.page)
      await expectActionsBeside(pc.page)
      await picture(pc.page, `${name}-light`)
      // At 200 % zoom the page has half the window's size.
      await pc.page.setViewportSize({ width: 683, height: 384 })
      await expectFits(pc.page)
      await pc.page.setViewportSize(sizes.pc)
      await phone.page.goto(addressOf(path))
      await settled(phone.page)
      await expectForEverybody(phone.page)
      await expectFits(phone.page)
      await picture(phone.page, `${name}-phone`)
      await expectPaper(phone.page)
      await arabic.page.goto(addressOf(path))
      await settled(arabic.page)
      expect(await arabic.page.evaluate(() => document.documentElement.dir)).toBe('rtl')
      await expectForEverybody(arabic.page)
      await expectFits(arabic.page)
      if (process.env['PICTURES']) await furtherPictures(name)
      expect([...pc.faults, ...phone.faults, ...arabic.faults]).toEqual([])
    },
  )

  /** Takes the pictures of docs/pictures (`npm run pictures`). */
  async function furtherPictures(name: string): Promise<void> {
    // Without transitions between light and dark.
    await pc.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await pc.page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))))
    await picture(pc.page, `${name}-dark`)
    await pc.page.emulateMedia({ colorScheme: null, reducedMotion: null })
    await arabic.page.setViewportSize(sizes.pc)
    await picture(arabic.page, `${name}-arabic`)
    await arabic.page.setViewportSize(sizes.phone)
  }

  test('the entries of the menu keep their places in a language with long words, on every page', async () => {
    const french = await openWindow(browser, { locale: 'fr-FR' })
    await site.signIn(french.context, 'okafor')
    const places = async (path: string) => {
      await french.page.goto(`${site.url}${path}`)
      await settled(french.page)
      return french.page
        .locator('nav')
        .first()
        .locator('a')
        .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().top))
    }
    const atToday = await places(PAGES.today)
    expect(await places(PAGES.overview)).toEqual(atToday)
    expect(await places(PAGES.years)).toEqual(atToday)
    await french.context.close()
  })
})
