import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { openWindow } from './browser.ts'
import type { Site } from './site.ts'

/** The page of marks of 3B in mathematics, Michaelmas. */
export const GRID = `/marks/${class3B.id}/${maths.id}?term=${michaelmas.id}`

/** The shown mark in a row (in the order of last names) and column of the grid. */
export const cell = (page: Page, row: number, col: number) => page.locator(`[data-row="${row}"][data-col="${col}"]`)
export const textOf = async (page: Page, row: number, col: number) => (await cell(page, row, col).innerText()).split('\n')[0]

/** Opens the grid in a window of a person, and waits for its marks. */
export async function openGrid(
  site: Site,
  browser: Browser,
  person: 'ada' | 'byrne' | 'okafor' = 'ada',
  options: BrowserContextOptions = {},
) {
  const opening = await openWindow(browser, options)
  await site.signIn(opening.context, person)
  await opening.page.goto(`${site.url}${GRID}`)
  await opening.page.getByRole('grid').waitFor()
  await expect.poll(() => textOf(opening.page, 0, 2)).toBe('71')
  return opening
}
