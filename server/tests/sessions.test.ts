import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CookieSession, readSessionCookie } from '../http/cookies.ts'
import { asSystem } from '../store/tx.ts'
import { type Browser, browserOf } from '../testing/browser.ts'
import { type School, school } from '../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const SECOND = 1_000
const HOUR = 3_600_000
const DAY = 86_400_000
const NAME = 'sb-local-auth-token'

const browser = (cookie = st.cookieOf('byrne')): Browser => browserOf(st.app, { cookie })
const statusOf = async ({ client }: Browser) => (await client.auth.me.raw()).status
const tokens = (cookie: string) => readSessionCookie(cookie, NAME) as CookieSession
const cookieOf = (value: unknown) => `${NAME}=base64-${Buffer.from(JSON.stringify(value)).toString('base64url')}`
const byrne = () =>
  st.services.store.read(asSystem(), async (tx) =>
    (await tx.db.select().from(tx.t.session)).filter(({ user_id }) => user_id === people.byrne.id),
  )

describe('a session', () => {
  test('needs no renewal while the access token lives, and sets no cookie', async () => {
    st.clock.advance(HOUR - SECOND)
    const { status, headers } = await st.as.byrne.auth.me.raw()
    expect(status).toBe(200)
    expect(headers.getSetCookie()).toEqual([])
  })

  test('is renewed by any request once the access token has expired, and the request completes', async () => {
    st.clock.advance(HOUR)
    const one = browser()
    const { status, body, headers } = await one.client.auth.me.raw()
    expect({ status, body }).toMatchObject({ status: 200, body: { email: people.byrne.email } })
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sb-local-auth-token=base64-[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    expect(tokens(one.cookie()).expires_at).toBe(Math.floor(st.clock.now() / SECOND) + 3_600)
    expect((await one.client.auth.me.raw()).headers.getSetCookie()).toEqual([])
  })

  test('is renewed on a refused request too', async () => {
    st.clock.advance(HOUR)
    const { status, headers } = await browser().client.terms.get.raw({ params: { id: stBrigids } })
    expect(status).toBe(404)
    expect(headers.getSetCookie()).toHaveLength(1)
  })

  test('fifty requests at once with one expired access token: fifty answers, one renewal', async () => {
    st.clock.advance(HOUR)
    const browsers = Array.from({ length: 50 }, () => browser())
    expect(await Promise.all(browsers.map(statusOf))).toEqual(Array(50).fill(200))
    expect(new Set(browsers.map((one) => tokens(one.cookie()).refresh_token)).size).toBe(1)
    expect(await byrne()).toMatchObject([{ generation: 1, revoked_at: null }])
    expect(await Promise.all(browsers.map(statusOf))).toEqual(Array(50).fill(200))
  })

  test('keeps no token where the database could give it away', async () => {
    st.clock.advance(HOUR)
    const one = browser()
    await statusOf(one)
    const rows = JSON.stringify(await byrne())
    for (const cookie of [st.cookieOf('byrne'), one.cookie()]) {
      expect(rows).not.toContain(tokens(cookie).refresh_token)
      expect(rows).not.toContain(tokens(cookie).access_token)
    }
  })

  test('says the same instants whatever zone the database is in', async () => {
    const [row] = await byrne()
    expect(row).toMatchObject({ created_at: '2026-01-12T08:00:00.000Z', expires_at: '2026-02-11T08:00:00.000Z' })
  })
})

describe('the end of a session', () => {
  test('after 14 days without a request', async () => {
    st.clock.advance(14 * DAY - SECOND)
    const one = browser()
    expect(await statusOf(one)).toBe(200)
    st.clock.advance(14 * DAY)
    expect(await statusOf(one)).toBe(401)
  })

  test('after 30 days, however busy it was', async () => {
    const one = browser()
    for (let days = 0; days < 29; days += 1) {
      st.clock.advance(DAY)
      expect(await statusOf(one)).toBe(200)
    }
    st.clock.advance(DAY - SECOND)
    expect(await statusOf(one)).toBe(200)
    st.clock.advance(SECOND)
    expect(await statusOf(one)).toBe(401)
    expect(await statusOf(browser(st.cookieOf('ada')))).toBe(401)
  })
})

describe('a refresh token that was used before', () => {
  test('answers the same successor for ten seconds, even when that has been used', async () => {
    st.clock.advance(HOUR)
    const [one, two] = [browser(), browser()]
    await statusOf(one)
    await statusOf(one)
    st.clock.advance(10 * SECOND)
    expect(await statusOf(two)).toBe(200)
    expect(tokens(two.cookie()).refresh_token).toBe(tokens(one.cookie()).refresh_token)
  })

  test('answers it later too while nobody has come with it: the reply was lost', async () => {
    st.clock.advance(HOUR)
    const lost = browser()
    await statusOf(lost)
    st.clock.advance(3 * HOUR)
    const again = browser()
    expect(await statusOf(again)).toBe(200)
    expect(tokens(again.cookie()).refresh_token).toBe(tokens(lost.cookie()).refresh_token)
    expect(tokens(again.cookie()).expires_at).toBe(Math.floor(st.clock.now() / SECOND) + 3_600)
    expect(await statusOf(again)).toBe(200)
  })

  test('ends the whole family after that, its newest token included', async () => {
    st.clock.advance(HOUR)
    const one = browser()
    await statusOf(one)
    await statusOf(one)
    st.clock.advance(10 * SECOND + 1)
    expect(await statusOf(one)).toBe(200)
    expect(await statusOf(browser())).toBe(401)
    expect(await statusOf(one)).toBe(401)
    expect(await byrne()).toMatchObject([{ revoked_at: expect.any(String) }])
    expect(await statusOf(browser(st.cookieOf('ada')))).toBe(200)
  })

  test('ends it from any distance', async () => {
    const one = browser()
    for (let hours = 0; hours < 20; hours += 1) {
      st.clock.advance(HOUR)
      expect(await statusOf(one)).toBe(200)
    }
    expect(await byrne()).toMatchObject([{ generation: 20 }])
    expect(await statusOf(browser())).toBe(401)
    expect(await statusOf(one)).toBe(401)
  })

  test('a token that was never of the family ends nothing', async () => {
    st.clock.advance(HOUR)
    const mixed = { ...tokens(st.cookieOf('byrne')), refresh_token: tokens(st.cookieOf('ada')).refresh_token }
    expect(await statusOf(browser(cookieOf(mixed)))).toBe(401)
    expect(await statusOf(browser())).toBe(200)
  })
})

describe('cookies that are none of ours', () => {
  const token = (claims: unknown) =>
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`
  test.each<[string, (good: CookieSession) => string]>([
    ['no base64', () => `${NAME}=base64-!!!`],
    ['wrong base64', () => `${NAME}=base64-${'é'.repeat(3)}`],
    ['junk', () => `${NAME}=junk; ${NAME}.0=more`],
    ['100 KB', () => `${NAME}=base64-${'A'.repeat(100_000)}`],
    ['a hundred chunks', () => Array.from({ length: 100 }, (_, at) => `${NAME}.${at}=base64-AAAA`).join('; ')],
    ['nested JSON', () => cookieOf({ access_token: { access_token: {} }, refresh_token: [[[]]] })],
    [
      'prototype keys',
      () => `${NAME}=base64-${Buffer.from('{"__proto__":{"access_token":"a","refresh_token":"b"},"constructor":1}').toString('base64url')}`,
    ],
    [
      'no algorithm',
      ({ refresh_token }) => cookieOf({ access_token: token({ sub: people.byrne.id, sid: people.byrne.id, exp: 1e12 }), refresh_token }),
    ],
    [
      'another signature',
      ({ access_token, refresh_token }) => cookieOf({ access_token: `${access_token.slice(0, -4)}AAAA`, refresh_token }),
    ],
  ])('%s: 401', async (_what, make) => {
    expect(await statusOf(browser(make(tokens(st.cookieOf('byrne')))))).toBe(401)
  })

  test.each(['', 'x'.repeat(9_000), '\u0000'])('an expired access token with a refresh token that is none: 401', async (refresh_token) => {
    st.clock.advance(HOUR)
    const { access_token } = tokens(st.cookieOf('byrne'))
    expect(await statusOf(browser(cookieOf({ access_token, refresh_token })))).toBe(401)
  })
})

describe('other pages and other versions', () => {
  const send = (init: RequestInit & { headers: Record<string, string> }, path = '/api/auth/otp/send') =>
    st.app.fetch(
      new Request(`http://markbook.test${path}`, { method: 'POST', ...init, headers: { host: 'markbook.test', ...init.headers } }),
    )
  const body = JSON.stringify({ email: 'a@x.org' })

  test('a form of another site cannot send JSON as text: 403, and nothing is sent', async () => {
    const reply = await send({ body, headers: { 'content-type': 'text/plain', origin: 'https://evil.example' } })
    expect(reply.status).toBe(403)
    expect(await reply.json()).toMatchObject({ statusCode: 403, code: 'foreign_origin' })
    expect(st.outbox).toEqual([])
  })

  test('403 for the origin null; 415 for text from nowhere; JSON from ourselves passes', async () => {
    const statuses = [
      await send({ body, headers: { 'content-type': 'application/json', origin: 'null' } }),
      await send({ body, headers: { 'content-type': 'text/plain' } }),
      await send({ body, headers: { 'content-type': 'application/json; charset=utf-8', origin: 'http://markbook.test' } }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([403, 415, 200])
  })

  test('another site cannot sign anybody out', async () => {
    const reply = await send({ headers: { cookie: st.cookieOf('byrne'), origin: 'https://evil.example' } }, '/api/auth/logout')
    expect(reply.status).toBe(403)
    expect(await statusOf(browser())).toBe(200)
  })

  test.each(['abc', '2', '0', '1.0', '', ' ', '1, 1'])('X-API-Version %j: 400', async (version) => {
    const { status, body } = await st.as.byrne.auth.me.raw({ headers: { 'x-api-version': version } })
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'unsupported_version', message: expect.stringContaining('1') } })
  })

  test('X-API-Version 1 is echoed', async () => {
    expect((await st.as.byrne.auth.me.raw({ headers: { 'x-api-version': '1' } })).headers.get('x-api-version')).toBe('1')
    expect((await st.as.byrne.auth.me.raw()).headers.get('x-api-version')).toBe('1')
  })
})
