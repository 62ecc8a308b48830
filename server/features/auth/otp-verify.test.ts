import { naturalId } from '@markbook/shared/ids'
import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { type Browser, browserOf, codeFor, signIn } from '../../testing/browser.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
})
afterAll(() => st.close())

const MINUTE = 60_000
const at = (address: string): Browser => browserOf(st.app, { address })
const send = (email: unknown, browser = at('192.0.2.1')) => browser.client.auth.sendOtp.raw({ body: { email } })
const verify = (email: string, token: unknown, browser = at('192.0.2.1')) => browser.client.auth.verifyOtp.raw({ body: { email, token } })
/** Wrong codes of an address: never the right one. */
const wrong = (email: string) => String((Number(codeFor(st, email)) + 1) % 10 ** 8).padStart(8, '0')
const sessions = () => st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.session))

async function sendAndFail(email: string, times: number, address: string) {
  expect(await send(email, at(address))).toMatchObject({ status: 200 })
  for (let count = 0; count < times; count += 1) await verify(email, wrong(email), at(address))
}

describe('POST /api/auth/otp/verify', () => {
  test('the first verify of an address creates its user, who has no role', async () => {
    const { session, user } = await signIn(st, at('192.0.2.1'), 'first@mail.example')
    expect(session).toEqual({ access_token: expect.any(String), expires_in: 3600, expires_at: Math.floor(st.clock.now() / 1000) + 3600 })
    expect(user).toEqual({
      id: naturalId('user', 'first@mail.example'),
      email: 'first@mail.example',
      first_name: null,
      last_name: null,
      role: null,
      avatar_url: null,
      school_id: null,
      school: null,
      is_onboarded: false,
      pending_join_request: null,
    })
  })

  test('a known person gets their profile', async () => {
    const { user } = await signIn(st, at('192.0.2.1'), people.okafor.email)
    expect(user).toMatchObject({
      id: people.okafor.id,
      role: 'admin',
      school: { id: people.okafor.school_id, name: 'St Brigid’s' },
      is_onboarded: true,
    })
  })

  test('the session is in HTTP-only cookies; Secure in production, except on a plain LAN', async () => {
    const cookieIn = async (env: Record<string, string>) => {
      const other = await school({ env: { TRUST_PROXY: 'local', ...env }, story: false })
      await other.anonymous.auth.sendOtp({ body: { email: 'a@x.org' } })
      const { headers } = await other.anonymous.auth.verifyOtp.raw({ body: { email: 'a@x.org', token: codeFor(other, 'a@x.org') } })
      await other.close()
      return headers.getSetCookie()
    }
    const [development, production, lan] = [
      await cookieIn({}),
      await cookieIn({ NODE_ENV: 'production', COOKIE_PREFIX: 'mb', PROJECT_REF: 'p1' }),
      await cookieIn({ NODE_ENV: 'production', INSECURE_LAN: 'true' }),
    ]
    expect(development).toEqual([
      expect.stringMatching(/^sb-local-auth-token=base64-[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    expect(production).toEqual([
      expect.stringMatching(/^mb-p1-auth-token=base64-[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
    ])
    expect(lan[0]).not.toContain('Secure')
  })

  test('over https the cookie is of this host alone, and an earlier session continues under the new name', async () => {
    const other = await school({ env: { PUBLIC_URL: 'https://marks.school.example', NODE_ENV: 'production' } })
    const me = (cookie: string) =>
      other.app.fetch(new Request('https://marks.school.example/api/auth/me', { headers: { host: 'marks.school.example', cookie } }))
    const held = other.cookieOf('ada')
    expect(held).toMatch(/^__Host-sb-local-auth-token=/)
    expect((await me(held)).headers.getSetCookie()).toEqual([])

    const before = held.replace('__Host-', '')
    const reply = await me(before)
    expect(reply.status).toBe(200)
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-sb-local-auth-token=base64-[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
      expect.stringMatching(/^sb-local-auth-token=; Max-Age=0; /),
    ])

    const planted = `${other.cookieOf('byrne').replace('__Host-', '')}; ${held}`
    expect(await (await me(planted)).json()).toMatchObject({ id: people.ada.id })

    const bye = await other.app.fetch(
      new Request('https://marks.school.example/api/auth/logout', {
        method: 'POST',
        headers: { host: 'marks.school.example', cookie: before },
      }),
    )
    expect(bye.headers.getSetCookie().map((each) => each.split('; ').slice(0, 2))).toEqual([
      ['__Host-sb-local-auth-token=', 'Max-Age=0'],
      ['sb-local-auth-token=', 'Max-Age=0'],
    ])
    await other.close()
  })

  test('A@X.org and a@x.org with spaces around it are one account', async () => {
    expect(await send('A@X.org')).toMatchObject({ status: 200 })
    const { body } = await verify(' a@x.org ', codeFor(st, 'a@x.org'))
    expect(body).toMatchObject({ user: { id: naturalId('user', 'a@x.org'), email: 'a@x.org' } })
    st.clock.advance(MINUTE)
    await send('a@X.ORG')
    expect((await verify('A@x.org', codeFor(st, 'a@x.org'))).body).toMatchObject({ user: { id: naturalId('user', 'a@x.org') } })
    expect((await st.rows('user_profile')).filter(({ email }) => email.endsWith('x.org'))).toHaveLength(1)
  })

  test.each([[12_345_678], ['1234567'], ['123456789'], ['1234-5678'], ['１２３４５６７８'], [null], [undefined], [{}]])(
    '400 where the code is %j',
    async (token) => {
      expect(await verify('a@x.org', token)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', issues: [{ path: 'token' }] },
      })
    },
  )

  test('after five wrong codes the right one is refused; after four it signs in', async () => {
    await sendAndFail('five.wrong@mail.example', 5, '192.0.2.2')
    expect(await verify('five.wrong@mail.example', codeFor(st, 'five.wrong@mail.example'), at('192.0.2.3'))).toMatchObject({
      status: 400,
      body: { code: 'otp_invalid' },
    })
    await sendAndFail('four.wrong@mail.example', 4, '192.0.2.2')
    expect(await verify('four.wrong@mail.example', codeFor(st, 'four.wrong@mail.example'), at('192.0.2.3'))).toMatchObject({ status: 200 })
  })

  test('wrong, used, expired and never sent codes have the same reply', async () => {
    const email = 'alike@mail.example'
    await send(email)
    const code = codeFor(st, email)
    const replies = [await verify(email, wrong(email))]
    await verify(email, code)
    replies.push(await verify(email, code))
    st.clock.advance(2 * MINUTE)
    await send(email)
    st.clock.advance(10 * MINUTE)
    replies.push(await verify(email, codeFor(st, email)), await verify('never.sent@mail.example', code))
    expect(new Set(replies.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    expect(replies[0]).toMatchObject({ status: 400, body: { code: 'otp_invalid' } })
    expect(replies[0]?.headers.getSetCookie()).toEqual([])
  })

  test('a code is valid for just under ten minutes', async () => {
    await send('slow@mail.example')
    st.clock.advance(10 * MINUTE - 1)
    expect(await verify('slow@mail.example', codeFor(st, 'slow@mail.example'))).toMatchObject({ status: 200 })
  })

  test('the same code fifty times at once gives exactly one session', async () => {
    await send(people.marker.email)
    // Connections that still had to be opened would let the first request win alone.
    await Promise.all(Array.from({ length: 50 }, () => st.as.ada.auth.me()))
    const before = (await sessions()).length
    const token = codeFor(st, people.marker.email)
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, count) => verify(people.marker.email, token, at(`198.51.100.${count}`))),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status, body }) => status === 400 && (body as { code: string }).code === 'otp_invalid')).toHaveLength(49)
    expect(await sessions()).toHaveLength(before + 1)
  })

  test.each([5, 50])('%i wrong codes at once, each from another client address, end a code', async (times) => {
    const email = `guessed${times}@mail.example`
    await send(email)
    const guesses = Array.from({ length: times }, (_, count) => verify(email, wrong(email), at(`198.51.100.${count}`)))
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(400)
    expect(await verify(email, codeFor(st, email))).toMatchObject({ status: 400, body: { code: 'otp_invalid' } })
  })

  test('after five wrong codes a client address waits, twice as long each time, up to an hour; another one need not', async () => {
    const email = 'waits@mail.example'
    for (const [round, minutes] of [1, 2, 4, 8, 16, 32, 60, 60, 60].entries()) {
      expect(await send(email, at(`198.51.100.${round}`))).toMatchObject({ status: 200 })
      for (let tries = 0; tries < 5; tries += 1) expect(await verify(email, wrong(email), at('192.0.2.4'))).toMatchObject({ status: 400 })
      const early = await send(email, at('192.0.2.4'))
      expect(early).toMatchObject({ status: 429, body: { code: 'otp_too_soon' } })
      expect(early.headers.get('retry-after')).toBe(String(minutes * 60))
      st.clock.advance(MINUTE)
      const other = at(`198.51.100.${100 + round}`)
      expect(await send(email, other)).toMatchObject({ status: 200 })
      if (minutes > 1) {
        const locked = await verify(email, codeFor(st, email), at('192.0.2.4'))
        expect(locked).toMatchObject({ status: 429, body: { code: 'otp_locked' } })
        expect(locked.headers.get('retry-after')).toBe(String((minutes - 1) * 60))
        expect(await verify(email, codeFor(st, email), other)).toMatchObject({ status: 200 })
      }
      st.clock.advance((minutes - 1) * MINUTE)
    }
    st.clock.advance(MINUTE)
    await signIn(st, at('192.0.2.4'), email)
  })

  test('signing in again in the same browser ends its session before', async () => {
    const browser = at('192.0.2.1')
    await signIn(st, browser, 'again@mail.example')
    const old = browserOf(st.app, { cookie: browser.cookie() })
    st.clock.advance(MINUTE)
    await signIn(st, browser, 'again@mail.example')
    expect(await old.client.auth.me.raw()).toMatchObject({ status: 401 })
    expect(await browser.client.auth.me()).toMatchObject({ email: 'again@mail.example' })
  })
})

describe('a stranger who guesses codes of an account', () => {
  /** Rounds of five wrong codes, each from another address, slow enough to be sent five codes an hour. */
  async function guess(email: string, rounds: number) {
    for (let round = 0; round < rounds; round += 1) {
      st.clock.advance(13 * MINUTE)
      await sendAndFail(email, 5, `203.0.113.${round}`)
    }
    st.clock.advance(13 * MINUTE)
    await send(email)
  }
  const enter = (email: string) => verify(email, codeFor(st, email))

  test('95 wrong in a row close nothing, and a success resets the count', async () => {
    await guess(people.ada.email, 19)
    expect(await enter(people.ada.email)).toMatchObject({ status: 200 })
    await guess(people.ada.email, 1)
    expect(await enter(people.ada.email)).toMatchObject({ status: 200 })
  })

  test('100 in a row close the mailed method of that account only; its sessions stay', async () => {
    await guess(people.quinn.email, 20)
    expect(await enter(people.quinn.email)).toMatchObject({ status: 429, body: { code: 'otp_locked' } })
    expect(await st.as.quinn.auth.me()).toMatchObject({ email: people.quinn.email })
    expect(await signIn(st, at('192.0.2.1'), people.niamh.email)).toMatchObject({ user: { id: people.niamh.id } })
  })

  test('and for no longer than a day', async () => {
    st.clock.advance(14 * 60 * MINUTE)
    await send(people.quinn.email)
    expect(await enter(people.quinn.email)).toMatchObject({ status: 429, body: { code: 'otp_locked' } })
    st.clock.advance(10 * 60 * MINUTE)
    await send(people.quinn.email)
    expect(await enter(people.quinn.email)).toMatchObject({ status: 200 })
  })
})
