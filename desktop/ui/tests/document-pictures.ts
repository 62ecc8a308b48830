import { join } from 'node:path'
import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import type { PersonName } from '@markbook/shared/story/people'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { seedDemo } from '../../../server/cli/demo/seed-demo.ts'
import { REAL_ADMIN, seedRealPupils } from '../../../server/cli/seed/real/seed-real.ts'
import { launchBrowser, openWindow, sizes } from './browser.ts'
import { cell, GRID } from './grid.ts'
import { inStep, underTheMinistry } from './joined.ts'
import { openSite, type Site } from './site.ts'

/** `shown`: resolves when the page is as the picture shall show it. */
type Shot = { path: string; options?: BrowserContextOptions; shown(page: Page): Promise<unknown> }

/**
 * Takes the pictures of single pages that the documents show, into `folder`: the demonstration, the school with the real marks, and a
 * conflict between a school and its centre.
 */
export async function takeDocumentPictures(folder: string): Promise<void> {
  const browser = await launchBrowser()
  const take = async (site: Site, signIn: (context: BrowserContext) => Promise<void>, name: string, { path, options, shown }: Shot) => {
    const { context, page } = await openWindow(browser, options)
    await signIn(context)
    await page.goto(`${site.url}${path}`)
    await shown(page)
    // What the page moves at its start has come to rest.
    await page.waitForTimeout(500)
    await page.screenshot({ path: join(folder, `${name}.png`) })
    await context.close()
  }

  const demo = await openSite({ story: false })
  await seedDemo(demo.running().node.services.store)
  const ofDemo = (person: PersonName, name: string, shot: Shot) => {
    const signIn = async (context: BrowserContext) => {
      await context.addInitScript((id) => sessionStorage.setItem('markbook.term', id), michaelmas.id)
      await demo.signIn(context, person)
    }
    return take(demo, signIn, name, shot)
  }
  const arabic = { locale: 'ar' }
  const linkShown = (name: string) => (page: Page) => page.getByRole('link', { name, exact: true }).first().waitFor()
  const figureShown = (page: Page) => page.getByTitle(FIGURE).waitFor()
  const gridShown = (page: Page) => cell(page, 0, 0).waitFor()
  await ofDemo('ada', 'grid', { path: GRID, shown: gridShown })
  await ofDemo('ada', 'grid-phone-arabic', { path: GRID, options: { ...arabic, viewport: sizes.phone, hasTouch: true }, shown: gridShown })
  await ofDemo('byrne', 'results', { path: `/results/${class3B.id}`, shown: figureShown })
  await ofDemo('byrne', 'panel', { path: `/results/${class3B.id}`, shown: tryMark })
  await ofDemo('okafor', 'today-arabic', { path: '/', options: arabic, shown: linkShown('3A') })
  await ofDemo('okafor', 'today-phone', {
    path: '/',
    options: { viewport: sizes.phone, colorScheme: 'dark' },
    shown: linkShown('3A'),
  })
  await demo.close()

  const real = await openSite({ story: false })
  await seedRealPupils(real.running().node.services, () => {})
  await take(real, (context) => real.signInAs(context, naturalId('user', REAL_ADMIN)), 'overview', {
    path: '/overview',
    shown: linkShown('GP 01'),
  })
  await real.close()

  const { centre, box, line, close } = await underTheMinistry()
  line.cut()
  const id = naturalId('grade', mathsExam.id, zoe.id)
  await (await box.as('ada')).grades.update({ params: { id }, body: { score: 81 } })
  await (await centre.as('byrne')).grades.update({ params: { id }, body: { score: 65 } })
  line.mend()
  await box.running().node.services.replication?.refresh()
  await inStep(box)
  await take(box, (context) => box.signIn(context, 'okafor'), 'conflict-desk', {
    path: '/sync/conflicts',
    shown: (page) => page.getByText('1 of 1').waitFor(),
  })
  await close()
  await browser.close()
}

const FIGURE = 'Explain Mathematics of Zoë Adeyemi'

/** Shows what another mark in the exam would give. */
async function tryMark(page: Page): Promise<void> {
  await page.getByTitle(FIGURE).click()
  await page.getByRole('textbox', { name: 'Try a mark in Christmas exam, at most 100' }).fill('75')
  await page.getByText('now 71.00').waitFor()
}
