import { describe, expect, test } from 'vitest'
import { expectForEverybody, openWindow } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('the people of the school', () => {
  const { site, browser } = siteInBrowser()

  test('have joined on the day of the reader, not on that of UTC', async () => {
    const { context, page } = await openWindow(browser, { timezoneId: 'America/Lima' })
    await site.signIn(context, 'okafor')
    await page.route('**/api/schools/members*', async (route) => {
      const response = await route.fetch()
      const members: object[] = await response.json()
      await route.fulfill({ response, json: members.map((member) => ({ ...member, joined_at: '2026-01-12T02:30:00.000Z' })) })
    })
    await page.goto(`${site.url}/people`)
    await page.getByRole('row', { name: /Ada Nowak.*11 Jan 2026/ }).waitFor()
    await context.close()
  })

  test('can be changed at the school, and are read-only on a laptop', async () => {
    const { context, page, faults } = await openWindow(browser)
    await site.signIn(context, 'okafor')
    const suspend = page.getByRole('button', { name: 'Suspend Ada Nowak' })
    await page.goto(`${site.url}/people`)
    await suspend.waitFor()
    expect(await suspend.isEnabled()).toBe(true)
    const actionsOfAda = async () => {
      await page.getByRole('button', { name: 'More for Ada Nowak' }).click()
      const names = await page.getByRole('menuitem').allInnerTexts()
      await page.keyboard.press('Escape')
      return names
    }
    expect(await actionsOfAda()).toEqual(['Sign out', 'Reset sign-in', 'Remove'])
    await page.getByRole('button', { name: 'More for Ada Nowak' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('dialog', { name: 'Sign Ada Nowak out everywhere?' }).getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Ada Nowak is signed out everywhere.').waitFor()
    // A table gets the focus by Tab; its outline is inside the card, which would cut it off outside.
    const table = page.getByRole('group', { name: 'Members' })
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('Tab')
    expect(await table.evaluate((group) => group === document.activeElement && getComputedStyle(group).outlineOffset)).toBe('-3px')
    await page.route('**/api/sync/events', (route) => route.abort())
    await page.route('**/api/sync/status', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), is_laptop: true } })
    })
    await page.goto(`${site.url}/people`)
    await page.getByText('This is a laptop. Who belongs to the school, and as what, is changed at the school').waitFor()
    expect(await suspend.isEnabled()).toBe(false)
    expect(await actionsOfAda()).toEqual(['Sign out', 'Reset sign-in'])
    expect(await page.getByRole('combobox', { name: 'Role of Ada Nowak' }).isEnabled()).toBe(false)
    await expectForEverybody(page)
    expect(faults.filter((fault) => !fault.includes('/api/sync/events'))).toEqual([])
    await context.close()
  })
})
