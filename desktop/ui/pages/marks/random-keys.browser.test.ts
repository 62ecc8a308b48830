import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import fc from 'fast-check'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { times } from '../../../../server/testing/long.ts'
import { openWindow } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { cell, GRID } from '../../tests/grid.ts'
import { siteInBrowser } from '../../tests/site.ts'
import { type CellValue, cellValueOf } from './model/cell-value.ts'

/** How a typed mark is entered: by a key, a press on another cell, or a way of leaving the page. */
const ends = ['Enter', 'Tab', 'Shift+Tab', 'ArrowDown', 'ArrowUp', 'press', 'link', 'back', 'reload'] as const
const weights = { type: 6, go: 3, press: 2, wheel: 2, undone: 1, wrong: 1, delete: 1, server: 1, reload: 1, elsewhere: 1 } as const
const kinds = Object.entries(weights).flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind as keyof typeof weights))
/** `is` chooses which of the other fields is used. */
const step = fc.record({
  is: fc.constantFrom(...kinds),
  mark: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 10 }) }, { weight: 1, arbitrary: fc.constantFrom('abs', 'inc') }),
  end: fc.constantFrom(...ends),
  key: fc.constantFrom('ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Enter', 'Tab', 'PageDown', 'End', 'Control+Home'),
  row: fc.nat(65),
  col: fc.nat(2),
  by: fc.integer({ min: -2_000, max: 2_000 }),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

describe.skipIf(!headlessPath)('random actions in the grid', () => {
  const { site, browser } = siteInBrowser()
  let context: BrowserContext
  let page: Page
  let pupils: string[]
  let columns: string[]
  beforeAll(async () => {
    const head = await site.as('okafor')
    const more = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        head.students.create({ body: { firstName: `Pupil ${at}`, lastName: `Zz ${String(at).padStart(2, '0')}`, gender: 'other' } }),
      ),
    )
    await head.classes.enrollBulk({ params: { id: class3B.id }, body: { studentIds: more.map(({ id }) => id) } })
    pupils = (await head.classes.students({ params: { id: class3B.id }, query: { limit: 500, offset: 0 } })).map(({ id }) => id)
    const query = { termId: michaelmas.id, subjectId: maths.id, studentGroupId: class3B.id }
    columns = (await head.assessments.list({ query })).map(({ id }) => id)
    ;({ context, page } = await openWindow(browser, { serviceWorkers: 'allow' }))
    page.on('dialog', (dialog) => void dialog.accept())
    await site.signIn(context, 'ada')
    await page.goto(`${site.url}${GRID}`)
    await page.evaluate(async () => void (await navigator.serviceWorker.ready))
    await cell(page, 0, 2).waitFor()
  }, 240_000)

  /** The marks of the server by cell. An assessment may have marks of another class too. */
  const stored = async () => {
    const head = await site.as('okafor')
    const marks = new Map<string, CellValue>()
    for (const [col, assessmentId] of columns.entries()) {
      for (const { student_id, score, status } of await head.grades.list({ query: { assessmentId } })) {
        const row = pupils.indexOf(student_id)
        if (row >= 0) marks.set(`${row} ${col}`, cellValueOf({ score, status }))
      }
    }
    return marks
  }
  /** The active cell, as `row col`. */
  const active = () =>
    page.getByRole('grid').evaluate((grid) => {
      const { row, col } = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')?.dataset ?? {}
      return `${row} ${col}`
    })
  const isSaved = async () => {
    await page.waitForTimeout(400)
    return (await page.getByText('Everything is saved.').count()) > 0
  }

  test(
    'what was confirmed is at the server in the end, and nothing is called saved before',
    async () => {
      let isAway = false
      /** The marks that the server has once everything is saved. */
      let expected = await stored()
      let typedAway = 0
      const server = async (away: boolean) => {
        if (away === isAway) return
        isAway = away
        typedAway = 0
        if (away) await site.stop()
        else await site.start()
      }
      const inGrid = async () => {
        await page.getByRole('grid').waitFor()
        await cell(page, 0, 0).or(page.locator('[data-row]')).first().waitFor()
        await page.getByRole('grid').focus()
      }
      const toGrid = async () => {
        await page.goto(`${site.url}${GRID}`)
        await inGrid()
      }
      const leave = async (how: 'link' | 'back' | 'reload' | 'elsewhere') => {
        if (how === 'reload') await page.reload()
        else if (how === 'back') {
          await page.goBack()
          await page.waitForTimeout(50)
        } else await page.getByRole('link', { name: 'Today' }).click()
        const dialog = page.getByRole('dialog').getByRole('button', { name: 'Leave' })
        if (await dialog.isVisible()) await dialog.click()
        if (how === 'link' || how === 'elsewhere') await page.waitForURL((url) => url.pathname === '/')
        if (how === 'reload' && page.url().includes('/marks/')) await inGrid()
        else await toGrid()
      }
      const visible = async (row: number, col: number) => {
        // Only visible cells can be pressed.
        if (await cell(page, row, col).isVisible())
          await cell(page, row, col)
            .click({ timeout: 2_000 })
            .catch(() => {})
      }

      const take = async ({ is, mark, end, key, row, col, by }: Step) => {
        // Enter on a header opens its menu, and on a figure the panel.
        if ((await page.locator('[data-base-ui-inert], [role="dialog"][data-open]').count()) > 0) await page.keyboard.press('Escape')
        if (is === 'go') return page.keyboard.press(key)
        if (is === 'press') return visible(row, col)
        if (is === 'server') return server(!isAway)
        if (is === 'reload' || is === 'elsewhere') return leave(is)
        if (is === 'wheel') {
          await page.mouse.move(400, 400)
          return page.mouse.wheel(0, by)
        }
        if ((await page.getByRole('grid').count()) === 0) return
        // Tab may have left the grid.
        await page.getByRole('grid').focus()
        const at = await active()
        // Headers and figures take no marks.
        if (!/^\d+ [012]$/.test(at)) return
        if (is === 'undone') {
          await page.keyboard.type('3')
          return page.keyboard.press('Escape')
        }
        if (is === 'wrong') {
          await page.keyboard.type('1/2')
          await page.keyboard.press('Enter')
          // An invalid entry is not saved, and stays until it is corrected.
          await visible(...(at.split(' ').map(Number) as [number, number]))
          return page.keyboard.press('Escape')
        }
        const before = expected.get(at)
        if (is === 'delete') {
          await page.keyboard.press('Delete')
          expected.delete(at)
        } else {
          // In the last row the step before may have been Enter, after which a mark is not taken: select the cell anew.
          if (at.startsWith(`${pupils.length - 1} `)) for (const key of ['ArrowUp', 'ArrowDown']) await page.keyboard.press(key)
          await page.keyboard.type(String(mark))
          expected.set(at, mark)
          if (end === 'press') await page.getByRole('heading', { level: 1 }).click()
          else if (end === 'link' || end === 'back' || end === 'reload') await leave(end)
          else await page.keyboard.press(end)
        }
        if (isAway && expected.get(at) !== before) typedAway += 1
        if (isAway && typedAway > 0) expect(await isSaved(), 'called saved while the server is away').toBe(false)
      }

      const run = async (taken: readonly Step[]) => {
        await server(false)
        await toGrid()
        expected = await stored()
        for (const each of taken) await take(each)
        await server(false)
        await toGrid()
        await expect.poll(async () => [...(await stored())].sort(), { timeout: 90_000 }).toEqual([...expected].sort())
        // `innerText` is polled so that a failure shows what the page says instead.
        await expect.poll(() => page.locator('main').innerText(), { timeout: 60_000 }).toContain('Everything is saved.')
      }
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), run), {
        numRuns: times(3, 1_000),
        endOnFailure: true,
      })
    },
    times(600_000, 10_800_000),
  )
})
