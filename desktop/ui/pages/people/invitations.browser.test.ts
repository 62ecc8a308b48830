import { describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture } from '../../tests/browser.ts'
import { headlessPath } from '../../tests/chromium.ts'
import { siteInBrowser } from '../../tests/site.ts'

describe.skipIf(!headlessPath)('inviting people', () => {
  const { browser, open } = siteInBrowser()

  test('an administrator pastes addresses and prints slips; an invited person signs in, agrees and is a member', async () => {
    const { context, page, faults } = await open('okafor', '/people')
    await page.getByRole('button', { name: 'Invite people' }).click()
    await page.getByLabel('Addresses').fill('Nuala Reilly')
    await page.getByRole('dialog').getByRole('button', { name: 'Invite people' }).click()
    await page.getByText('No address was found in: Nuala Reilly').waitFor()
    await page.getByLabel('Addresses').fill('Name\tEmail\nNuala Reilly <Nuala@mail.example>\nAda Nowak\tada.nowak@stbrigids.example')
    await page.getByText('Names: Nuala Reilly. They stand on the list of codes').waitFor()
    await page.getByText('The heading “Name, Email” is left out.').waitFor()
    await expectForEverybody(page)
    await picture(page, 'invite-dialog')
    // A press beside the dialog does not lose what was typed.
    await page.mouse.click(5, 300)
    await page.getByRole('dialog', { name: 'Close without saving?' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Invite people' }).click()
    await page.getByText('ada.nowak@stbrigids.example already belongs to the school').waitFor()
    // Codes are shown only once: only the button closes the dialog.
    await page.mouse.click(5, 300)
    await page.keyboard.press('Escape')
    const code = (await page.getByRole('dialog').locator('td code').textContent()) ?? ''
    expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    await page.getByRole('row', { name: /nuala@mail\.example Nuala Reilly/ }).waitFor()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the link of nuala@mail.example' }).click()
    await page.getByText('The link of nuala@mail.example is copied.').waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    // A colleague's telephone cannot open a loopback address.
    await page.getByText('an address that answers on the server’s computer alone').waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.getByText('Type your address, nuala@mail.example').waitFor()
    await page.locator('section').getByText('Nuala Reilly', { exact: true }).waitFor()
    await picture(page, 'invite-slips')
    await page.emulateMedia({ media: 'screen' })
    await picture(page, 'invite-codes')
    await expectForEverybody(page)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /nuala@mail.example.*teacher.*Ngozi Okafor/ }).waitFor()

    const phone = await openWindow(browser, { viewport: { width: 390, height: 844 } })
    await phone.page.goto(link)
    await phone.page.getByRole('heading', { level: 1, name: 'St Brigid’s invites you' }).waitFor()
    await phone.page.getByText('Ngozi Okafor invites you to join St Brigid’s').waitFor()
    await phone.page.getByText('First sign in: the code is filled in').waitFor()
    expect(
      await phone.page
        .getByText(/authenticator app/)
        .filter({ visible: true })
        .count(),
    ).toBe(0)
    await phone.page.getByRole('button', { name: 'Sign in' }).waitFor()
    const step = async (name: string) => {
      await expectForEverybody(phone.page)
      await expectFits(phone.page)
      await picture(phone.page, name)
    }
    await step('invite-phone-code')
    await phone.page.getByRole('button', { name: 'Sign in' }).click()
    await phone.page.getByLabel('First name').fill('Nuala')
    await step('invite-phone-name')
    await phone.page.getByLabel('Last name').fill('Reilly')
    await phone.page.getByRole('button', { name: 'Go on' }).click()
    await phone.page.getByText('invites you to join it as a teacher').waitFor()
    await phone.page.getByRole('heading', { level: 1, name: 'You are invited' }).waitFor()
    await step('invite-phone-agree')
    await phone.page.getByRole('button', { name: 'Agree' }).click()
    await phone.page.getByText('You now belong to St Brigid’s.').waitFor()
    await phone.page.getByRole('heading', { level: 1 }).waitFor()
    await step('invite-phone-today')
    await phone.page.getByRole('button', { name: 'Menu' }).click()
    await phone.page.getByRole('link', { name: 'Classes', exact: true }).waitFor()
    await step('invite-phone-menu')

    await page.reload()
    await page.getByRole('row', { name: /Nuala Reilly/ }).waitFor()
    await page.getByText('Nobody is invited at the moment').waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'people-phone')
    await page.getByRole('button', { name: 'Invite people' }).click()
    await page.getByLabel('Addresses').waitFor()
    await expectFits(page)
    await picture(page, 'people-phone-invite')
    expect([...faults, ...phone.faults]).toEqual([])
    await Promise.all([context.close(), phone.context.close()])
  })
})
