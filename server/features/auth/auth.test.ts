import { naturalId } from '@markbook/shared/ids'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { Row } from '@markbook/shared/tables/tables'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readSessionCookie } from '../../http/cookies.ts'
import { asSystem } from '../../store/tx.ts'
import { browserOf, signIn } from '../../testing/browser.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const HOUR = 3_600_000

/** A change by another feature or instance. */
const changed = <T extends 'school' | 'school_join_request' | 'school_management' | 'user_profile'>(
  table: T,
  schoolId: string,
  id: string,
  patch: Partial<Row<T>>,
) =>
  st.services.store.write(asSystem(), async (tx) => {
    const before = await tx.find(table, schoolId, id)
    if (before) await tx.update(table, [{ before, patch }])
  })

describe('GET /api/auth/me', () => {
  test('the profile with its school', async () => {
    expect(await st.as.byrne.auth.me()).toEqual({
      id: people.byrne.id,
      email: people.byrne.email,
      first_name: 'Cathal',
      last_name: 'Byrne',
      role: 'teacher',
      avatar_url: null,
      school_id: stBrigids,
      school: { id: stBrigids, name: 'St Brigid’s' },
      is_onboarded: true,
      pending_join_request: null,
    })
  })

  test('without a school, and before the names are saved', async () => {
    expect(await st.as.nobody.auth.me()).toMatchObject({
      role: null,
      school_id: null,
      school: null,
      is_onboarded: false,
      pending_join_request: null,
    })
  })

  test('a person with a pending request sees it; from the cache the second time', async () => {
    const pending = {
      id: expect.any(String),
      status: 'pending',
      requested_at: '2026-01-10T09:00:00.000Z',
      school: { id: stBrigids, name: 'St Brigid’s' },
    }
    expect(await st.as.tomas.auth.me()).toMatchObject({ is_onboarded: true, school_id: null, pending_join_request: pending })
    const reads = vi.spyOn(st.services.store, 'read')
    expect(await st.as.tomas.auth.me()).toMatchObject({ pending_join_request: pending })
    expect(reads).not.toHaveBeenCalled()
    reads.mockRestore()
  })

  test('a cached profile is never outdated, without being cleared', async () => {
    const [request] = await st.rows('school_join_request')
    st.clock.advance(1_000)
    await changed('school', stBrigids, stBrigids, { name: 'St Brigid’s College' })
    expect(await st.as.tomas.auth.me()).toMatchObject({ pending_join_request: { school: { name: 'St Brigid’s College' } } })
    await changed('user_profile', '', people.tomas.id, { first_name: 'Tom' })
    expect(await st.as.tomas.auth.me()).toMatchObject({ first_name: 'Tom' })
    await changed('school_join_request', stBrigids, request?.id ?? '', { status: 'rejected' })
    expect(await st.as.tomas.auth.me()).toMatchObject({ pending_join_request: null })
    await changed('school_join_request', stBrigids, request?.id ?? '', { status: 'pending' })
    await changed('school', stBrigids, stBrigids, { name: 'St Brigid’s' })
    expect((await st.as.ada.auth.me()).school).toEqual({ id: stBrigids, name: 'St Brigid’s' })
  })

  test('a demotion is visible at once', async () => {
    const id = naturalId('membership', people.quinn.id, stBrigids)
    await changed('school_management', stBrigids, id, { role: 'member' })
    expect(await st.as.quinn.auth.me()).toMatchObject({ role: 'member' })
    await changed('school_management', stBrigids, id, { role: 'teacher' })
  })

  test('the avatar’s URL is the serving node’s, and contains the time of the change', async () => {
    await changed('user_profile', '', people.ada.id, {
      avatar_path: `avatars/${people.ada.id}.png`,
      avatar_updated_at: '2026-01-12T08:00:00.123Z',
    })
    const { avatar_url } = await st.as.ada.auth.me()
    expect(avatar_url).toMatch(/^http:\/\/markbook\.test\/storage\/v1\/object\/public\/images\/avatars\/[\w-]{86}\.png\?t=1768204800123$/)
  })

  test('401 for nobody', async () => {
    expect(await st.anonymous.auth.me.raw()).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  })
})

describe('POST /api/auth/refresh', () => {
  const kept = (cookie: string) => readSessionCookie(cookie, 'sb-local-auth-token')

  test('returns the unchanged session while the access token is valid, and sets no cookie', async () => {
    st.clock.advance(10 * 60_000)
    const tokens = kept(st.cookieOf('byrne'))
    const { status, body, headers } = await st.as.byrne.auth.refresh.raw()
    const left = (tokens?.expires_at ?? 0) - Math.floor(st.clock.now() / 1_000)
    expect({ status, body }).toEqual({
      status: 200,
      body: { access_token: tokens?.access_token, refresh_token: tokens?.refresh_token, expires_in: left, expires_at: tokens?.expires_at },
    })
    expect(left).toBeLessThan(3_600)
    expect(headers.getSetCookie()).toEqual([])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('rotates once the access token has expired, and answers what the cookie holds', async () => {
    const browser = browserOf(st.app, { cookie: st.cookieOf('ada') })
    st.clock.advance(HOUR)
    const renewed = await browser.client.auth.refresh()
    expect(renewed).toMatchObject({ expires_in: 3_600, expires_at: Math.floor(st.clock.now() / 1_000) + 3_600 })
    expect(kept(browser.cookie())).toMatchObject(renewed)
    expect(renewed.refresh_token).not.toBe(kept(st.cookieOf('ada'))?.refresh_token)
    expect(await browser.client.auth.refresh()).toEqual(renewed)
  })

  test.each([
    ['a refresh token that is not of the session', { refresh_token: 'x' }],
    ['the refresh token of somebody else', { refresh_token: 'niamh' }],
  ])('401 with %s', async (_what, wrong) => {
    const browser = browserOf(st.app, { cookie: st.cookieOf('okafor') })
    const { access_token } = await browser.client.auth.refresh()
    const refresh_token = wrong.refresh_token === 'niamh' ? kept(st.cookieOf('niamh'))?.refresh_token : wrong.refresh_token
    const cookie = `sb-local-auth-token=base64-${Buffer.from(JSON.stringify({ access_token, refresh_token, expires_in: 'x', expires_at: {} })).toString('base64url')}`
    const crafted = browserOf(st.app, { cookie })
    expect(await crafted.client.auth.me()).toMatchObject({ email: people.okafor.email })
    expect(await crafted.client.auth.refresh.raw()).toMatchObject({ status: 401 })
  })

  test('the times in a cookie are not trusted', async () => {
    const browser = browserOf(st.app, { cookie: st.cookieOf('okafor') })
    const { access_token, refresh_token, expires_at } = await browser.client.auth.refresh()
    const cookie = `sb-local-auth-token=base64-${Buffer.from(JSON.stringify({ access_token, refresh_token, expires_in: 'x', expires_at: null })).toString('base64url')}`
    expect(await browserOf(st.app, { cookie }).client.auth.refresh()).toMatchObject({ expires_at })
  })

  test('401 without a session', async () => {
    expect(await st.anonymous.auth.refresh.raw()).toMatchObject({ status: 401 })
  })
})

describe('POST /api/auth/logout', () => {
  test('ends this session on the server and clears its cookies; the person’s others stay', async () => {
    const browser = browserOf(st.app)
    await signIn(st, browser, people.niamh.email)
    const old = browserOf(st.app, { cookie: browser.cookie() })
    const { status, headers } = await browser.client.auth.logout.raw()
    expect(status).toBe(200)
    expect(headers.getSetCookie()).toEqual(['sb-local-auth-token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
    expect(browser.cookie()).toBe('')
    expect(await old.client.auth.me.raw()).toMatchObject({ status: 401 })
    expect(await old.client.auth.refresh.raw()).toMatchObject({ status: 401 })
    expect(await old.client.auth.logout.raw()).toMatchObject({ status: 401 })
    st.clock.advance(HOUR)
    expect(await old.client.auth.me.raw()).toMatchObject({ status: 401 })
    expect(await st.as.niamh.auth.me()).toMatchObject({ email: people.niamh.email })
  })
})
