import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, createApp } from '../../app/app.ts'
import { type Browser, browserOf } from '../../testing/browser.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
/** The same service on the same database, whose disk takes nothing more. */
let full: App
let cookie: string
beforeAll(async () => {
  st = await school()
  const { store } = st.services
  full = createApp({ ...st.services, store: { ...store, write: () => Promise.reject(common.storageFull()) } })
})
afterAll(() => st.close())

const on = (app: App): Browser => browserOf(app, { cookie })

beforeEach(() => {
  cookie = st.cookieOf('okafor')
})

describe('a session on a full disk', () => {
  test('whose access token has expired goes on reading, as it is', async () => {
    st.clock.advance(limits.session.accessMs + 1_000)
    const browser = on(full)
    expect(await browser.client.subjects.list()).not.toEqual([])
    expect(browser.cookie()).toBe(cookie)
  })

  test('is not renewed and not ended: 507, and afterwards it is renewed', async () => {
    expect(await on(full).client.auth.refresh.raw()).toMatchObject({ status: 507, body: { code: 'storage_full' } })
    const browser = on(st.app)
    await browser.client.auth.refresh()
    expect(browser.cookie()).not.toBe(cookie)
    // The first use of what it was given is noted, where there is room.
    cookie = browser.cookie()
    expect(await on(full).client.subjects.list()).not.toEqual([])
    expect(await on(st.app).client.subjects.list()).not.toEqual([])
  })

  test('that has ended stays ended', async () => {
    const browser = on(st.app)
    await browser.client.auth.logout()
    st.clock.advance(limits.session.accessMs + 1_000)
    expect(await on(full).client.subjects.list.raw()).toMatchObject({ status: 401 })
  })
})
