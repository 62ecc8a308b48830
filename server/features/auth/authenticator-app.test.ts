import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { type Authenticator, authenticator, enrolled } from '../../testing/authenticator.ts'
import { type Browser, browserOf, codeFor, signIn } from '../../testing/browser.ts'
import { newcomer } from '../../testing/newcomers.ts'
import { proved } from '../../testing/proved.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
})
afterAll(() => st.close())

const STEP = 30_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const at = (address: string): Browser => browserOf(st.app, { address })
const verify = (email: string, token: string, address = '192.0.2.1') => at(address).client.auth.verifyOtp.raw({ body: { email, token } })
const wrongOf = (app: Authenticator) => {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => app.code(steps)))
  return ['00000000', '11111111', '22222222', '33333333', '44444444', '55555555'].find((code) => !near.has(code)) ?? ''
}
const everything = () =>
  st.services.store.read(asSystem(), async (tx) => {
    const tables: unknown[] = []
    for (const table of Object.values(tx.t)) tables.push(await tx.db.select().from(table as never))
    return JSON.stringify(tables)
  })
let owners = 0
/** A new person who signs in with an app. */
const appOf = async () => {
  const person = await newcomer(st, `app-owner-${++owners}-`)
  return { ...person, app: await enrolled(person.as, st.clock) }
}

describe('POST /api/auth/totp', () => {
  test('returns a secret of 160 bits, also as a URI for a QR code', async () => {
    const { status, body } = await st.as.byrne.outage.enrolTotp.raw()
    expect(status).toBe(201)
    const { secret, otpauth_uri } = body as { secret: string; otpauth_uri: string }
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(otpauth_uri).toBe(
      `otpauth://totp/Markbook:${encodeURIComponent(people.byrne.email)}?secret=${secret}&issuer=Markbook&algorithm=SHA1&digits=8&period=30`,
    )
  })

  test('does not sign anybody in before it is confirmed', async () => {
    const app = authenticator((await st.as.ada.outage.enrolTotp()).secret, st.clock)
    expect(await verify(people.ada.email, app.code())).toMatchObject({ status: 400, body: { code: 'otp_invalid' } })
    expect(await st.as.ada.outage.ownWays()).toEqual({ confirmed_at: null, recovery_codes: 0, second_since: null })
  })

  test('keeps the present app valid until the new one is confirmed', async () => {
    const { as, email, app } = await appOf()
    const next = authenticator((await as.outage.enrolTotp()).secret, st.clock)
    st.clock.advance(STEP)
    expect(await verify(email, app.code())).toMatchObject({ status: 200 })
    await as.outage.confirmTotp({ body: { token: next.code() } })
    st.clock.advance(STEP)
    expect(await verify(email, app.code())).toMatchObject({ status: 400 })
    expect(await verify(email, next.code())).toMatchObject({ status: 200 })
  })
})

describe('POST /api/auth/totp/confirm', () => {
  test('returns the time, which the caller’s methods then contain', async () => {
    const person = await newcomer(st, 'confirms')
    const app = authenticator((await person.as.outage.enrolTotp()).secret, st.clock)
    const confirmed = { confirmed_at: new Date(st.clock.now()).toISOString(), recovery_codes: 0, second_since: null }
    expect(await person.as.outage.confirmTotp({ body: { token: app.code() } })).toEqual(confirmed)
    expect(await person.as.outage.ownWays()).toEqual(confirmed)
  })

  test('409 without an enrolment, after half an hour, and a second time', async () => {
    const confirm = (token: string) => st.as.quinn.outage.confirmTotp.raw({ body: { token } })
    expect(await refused(st, () => confirm('00000000'))).toEqual({ status: 409, code: 'auth.no_enrolment' })
    const late = authenticator((await st.as.quinn.outage.enrolTotp()).secret, st.clock)
    st.clock.advance(30 * MINUTE)
    await proved(st, people.quinn)
    expect(await refused(st, () => confirm(late.code()))).toEqual({ status: 409, code: 'auth.no_enrolment' })
    const app = await enrolled(st.as.quinn, st.clock)
    st.clock.advance(STEP)
    expect(await refused(st, () => confirm(app.code()))).toEqual({ status: 409, code: 'auth.no_enrolment' })
  })

  test('ten wrong codes an hour; two hundred at once are no more', async () => {
    const person = await newcomer(st, 'guesses')
    const app = authenticator((await person.as.outage.enrolTotp()).secret, st.clock)
    const confirm = (token: string) => person.as.outage.confirmTotp.raw({ body: { token } })
    const replies = await Promise.all(Array.from({ length: 200 }, () => confirm(wrongOf(app))))
    expect(replies.filter((reply) => reply.status === 400)).toHaveLength(10)
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(190)
    expect(await confirm(app.code())).toMatchObject({ status: 429, body: { code: 'otp_locked' } })
    st.clock.advance(HOUR)
    await proved(st, person)
    expect(await person.as.outage.enrolTotp.raw()).toMatchObject({ status: 201 })
  })
})

describe('signing in with an app', () => {
  test.each([-1, 0, 1])('the code of the step %i from now is right', async (steps) => {
    const { id, email, app } = await appOf()
    st.clock.advance(3 * STEP)
    expect(await verify(email, app.code(steps))).toMatchObject({ status: 200, body: { user: { id } } })
  })

  test.each([-2, 2])('the code of the step %i from now is not', async (steps) => {
    const { email, app } = await appOf()
    st.clock.advance(5 * STEP)
    expect(await verify(email, app.code(steps))).toMatchObject({ status: 400, body: { code: 'otp_invalid' } })
  })

  test('each step is accepted once, including the one that confirmed the app; an unused one is still accepted', async () => {
    const { email, app } = await appOf()
    expect(await verify(email, app.code())).toMatchObject({ status: 400 })
    expect(await verify(email, app.code(1))).toMatchObject({ status: 200 })
    expect(await verify(email, app.code(1))).toMatchObject({ status: 400 })
    expect(await verify(email, app.code(-1))).toMatchObject({ status: 200 })
  })

  test('the same code fifty times at once gives exactly one session', async () => {
    const { id, email, app } = await appOf()
    st.clock.advance(STEP)
    const replies = await Promise.all(Array.from({ length: 50 }, (_, count) => verify(email, app.code(), `198.51.100.${count}`)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status, body }) => status === 400 && (body as { code: string }).code === 'otp_invalid')).toHaveLength(49)
    const sessions = await st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.session))
    expect(sessions.filter(({ user_id }) => user_id === id)).toHaveLength(2)
  })

  test('49 wrong codes do not close it; fifty in a day close it for that client address only', async () => {
    const { email, app } = await appOf()
    for (let tries = 0; tries < 49; tries += 1) expect(await verify(email, wrongOf(app), '192.0.2.9')).toMatchObject({ status: 400 })
    st.clock.advance(STEP)
    expect(await verify(email, app.code(), '192.0.2.9')).toMatchObject({ status: 200 })
    for (let tries = 0; tries < 50; tries += 1) expect(await verify(email, wrongOf(app), '192.0.2.9')).toMatchObject({ status: 400 })
    st.clock.advance(STEP)
    const locked = await verify(email, app.code(), '192.0.2.9')
    expect(locked).toMatchObject({ status: 429, body: { code: 'otp_locked' } })
    expect(locked.headers.get('retry-after')).toBe(String((24 * HOUR - STEP) / 1_000))
    expect(await verify(email, app.code(), '192.0.2.10')).toMatchObject({ status: 200 })
  })

  test('somebody else’s app does not', async () => {
    const [one, other] = [await appOf(), await appOf()]
    st.clock.advance(STEP)
    expect(await verify(one.email, other.app.code())).toMatchObject({ status: 400 })
  })

  test('neither does one that was removed', async () => {
    const { as, email, app } = await appOf()
    expect(await as.outage.removeTotp()).toEqual({ message: expect.any(String) })
    expect(await as.outage.ownWays()).toMatchObject({ confirmed_at: null })
    st.clock.advance(STEP)
    expect(await verify(email, app.code())).toMatchObject({ status: 400 })
    const again = await enrolled(as, st.clock)
    st.clock.advance(STEP)
    expect(await verify(email, again.code())).toMatchObject({ status: 200 })
  })

  test('a right code of the app leaves a mailed one alone', async () => {
    const { email, app } = await appOf()
    await at('192.0.2.1').client.auth.sendOtp({ body: { email } })
    for (let tries = 0; tries < 4; tries += 1) await verify(email, wrongOf(app), '192.0.2.11')
    st.clock.advance(STEP)
    expect(await verify(email, app.code())).toMatchObject({ status: 200 })
    expect(await verify(email, codeFor(st, email))).toMatchObject({ status: 200 })
  })
})

describe('nobody learns whether an account has an app', () => {
  const told = async (email: string) => {
    const replies = []
    for (let tries = 0; tries < 52; tries += 1) replies.push(await verify(email, '01234567', '192.0.2.77'))
    return replies.map(({ status, body, headers }) => [status, body, [...headers.keys()], headers.get('retry-after')])
  }

  test('wrong codes are answered, and counted, alike with an app, without one, and for no account', async () => {
    const { email } = await appOf()
    const withApp = await told(email)
    expect(withApp.map(([status]) => status)).toEqual([...Array(50).fill(400), 429, 429])
    expect(await told(people.niamh.email)).toEqual(withApp)
    expect(await told('no.account@mail.example')).toEqual(withApp)
  })
})

describe('after a hundred wrong codes in a row', () => {
  test('the mailed method is closed, the app works, and its success reopens the mailed method', async () => {
    const { email, app } = await appOf()
    for (let round = 0; round < 20; round += 1) {
      st.clock.advance(13 * MINUTE)
      await at('192.0.2.1').client.auth.sendOtp({ body: { email } })
      for (let tries = 0; tries < 5; tries += 1) await verify(email, wrongOf(app), `203.0.113.${round}`)
    }
    st.clock.advance(13 * MINUTE)
    await at('192.0.2.1').client.auth.sendOtp({ body: { email } })
    expect(await verify(email, codeFor(st, email))).toMatchObject({ status: 429, body: { code: 'otp_locked' } })
    expect(await verify(email, app.code())).toMatchObject({ status: 200 })
    expect(await verify(email, codeFor(st, email))).toMatchObject({ status: 200 })
  })
})

test('secrets and codes are stored nowhere in plain text, including the history', async () => {
  const { as, email, app } = await appOf()
  const { codes } = await as.outage.newRecoveryCodes()
  const waiting = await as.outage.enrolTotp()
  const text = await everything()
  for (const word of [app.secret, waiting.secret, ...codes]) expect(text).not.toContain(word)
  const history = await st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.history))
  const entries = history.filter(({ entity }) => entity === 'user_totp' || entity === 'recovery_code')
  expect(entries.length).toBeGreaterThan(10)
  for (const { changes } of entries) expect(Object.keys(changes).filter((name) => name.startsWith('sealed'))).toEqual([])
  await signIn(st, at('192.0.2.1'), email)
})

test('a server with a new secret accepts no app, and does not fail', async () => {
  const { email, app } = await appOf()
  st.clock.advance(STEP)
  const { keys } = st.services
  const before = keys.seal
  keys.seal = Buffer.alloc(32, 1)
  expect(await verify(email, app.code())).toMatchObject({ status: 400, body: { code: 'otp_invalid' } })
  keys.seal = before
  expect(await verify(email, app.code())).toMatchObject({ status: 200 })
})
