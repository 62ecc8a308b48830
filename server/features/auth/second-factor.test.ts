import { limits } from '@markbook/shared/limits'
import { people } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Authenticator, enrolled } from '../../testing/authenticator.ts'
import { browserOf, codeFor } from '../../testing/browser.ts'
import { proved } from '../../testing/proved.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'
import { SoftwareAuthenticator } from '../../testing/software-authenticator.ts'
import { issueConsoleCode } from './issued-codes.ts'

let st: School
let app: Authenticator
beforeEach(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
  app = await enrolled(st.as.byrne, st.clock)
  await st.as.byrne.outage.askForSecond()
  st.clock.advance(60_000)
})
afterEach(() => st.close())

const { email } = people.byrne
const HERE = { origin: 'http://markbook.test' }
const NEEDED = { status: 401, code: 'auth.second_needed' }
const INVALID = { status: 400, code: 'auth.second_invalid' }
const page = (address = '192.0.2.1') => browserOf(st.app, { address }).client
type Client = School['anonymous']
const said = ({ status, body }: { status: number; body: unknown }) => ({ status, code: (body as { code?: string }).code })
const mailed = async (client: Client, to = email) => {
  await client.auth.sendOtp({ body: { email: to } })
  return codeFor(st, to)
}
const enter = (client: Client, token: string, second?: object) =>
  client.auth.verifyOtp.raw({ body: { email, token, ...(second && { second }) } })
const wrong = (code: string) => String((Number(code) + 1) % 10 ** 8).padStart(8, '0')
const withPasskey = async (client: Client) => {
  const phone = new SoftwareAuthenticator()
  const credential = phone.create(await client.passkeys.begin(), HERE)
  const { id } = await client.passkeys.add({ body: { name: 'My telephone', credential } })
  return { phone, id }
}

describe('signing in by mail with a required second factor', () => {
  test('a right code alone is not enough; it stays valid, and signs in with a code of the app', async () => {
    const client = page()
    const code = await mailed(client)
    for (let time = 0; time < 7; time += 1) expect(said(await enter(client, code))).toEqual(NEEDED)
    expect((await enter(client, code, { token: app.code() })).status).toBe(200)
    expect(said(await enter(page(), code, { token: app.code(1) }))).toEqual({ status: 400, code: 'otp_invalid' })
  })

  test('it signs in with a printed code, which is used up', async () => {
    await proved(st, people.byrne)
    const [printed = ''] = (await st.as.byrne.outage.newRecoveryCodes()).codes
    const client = page()
    expect((await enter(client, await mailed(client), { token: printed })).status).toBe(200)
    expect((await st.as.byrne.outage.ownWays()).recovery_codes).toBe(limits.recoveryCodesPerSet - 1)
  })

  test('it signs in with a passkey of the same person, once', async () => {
    await proved(st, people.byrne, people.ada)
    const [mine, adas] = [await withPasskey(st.as.byrne), await withPasskey(st.as.ada)]
    const client = page()
    const code = await mailed(client)
    expect(said(await enter(client, code, { credential: adas.phone.get(await client.passkeys.ask(), HERE) }))).toEqual(INVALID)
    const credential = mine.phone.get(await client.passkeys.ask(), HERE)
    expect((await enter(client, code, { credential })).status).toBe(200)
    st.clock.advance(limits.otp.resendAfterMs)
    const again = page('192.0.2.2')
    expect(said(await enter(again, await mailed(again), { credential }))).toEqual(INVALID)
  })

  test('a wrong second factor is counted at its own method, and the holder of the mailbox has no more guesses than a stranger', async () => {
    const client = page('203.0.113.9')
    let code = await mailed(client)
    const [{ wrongPerDay: most }] = limits.otp.networks
    for (let tries = 0; tries < most; tries += 1) {
      if (tries === 25) {
        st.clock.advance(limits.otp.lifetimeMs)
        code = await mailed(client)
      }
      expect(said(await enter(client, code, { token: wrong(app.code()) }))).toEqual(INVALID)
    }
    expect(said(await enter(client, code, { token: app.code() }))).toEqual({ status: 429, code: 'otp_locked' })
    // Its owner signs in from elsewhere, also with only the app, which reopens the method.
    expect((await enter(page('192.0.2.7'), app.code())).status).toBe(200)
  })

  test('neither the mailed code nor a code of another person’s app is a second factor', async () => {
    const adas = await enrolled(st.as.ada, st.clock)
    st.clock.advance(60_000)
    const client = page()
    const code = await mailed(client)
    for (const token of [code, adas.code()]) expect(said(await enter(client, code, { token }))).toEqual(INVALID)
  })

  test('a wrong mailed code has the usual reply, with any second factor', async () => {
    const client = page()
    const code = await mailed(client)
    for (const second of [undefined, { token: app.code() }])
      expect(said(await enter(client, wrong(code), second))).toEqual({ status: 400, code: 'otp_invalid' })
    // The second factor was not tried.
    expect((await enter(client, code, { token: app.code() })).status).toBe(200)
  })

  test('other methods are unchanged: app, desk, console', async () => {
    expect((await enter(page(), app.code())).status).toBe(200)
    await proved(st, people.okafor)
    const desk = await st.as.okafor.outage.issueDeskCode({ body: { userId: people.byrne.id } })
    expect((await enter(page(), desk.code)).status).toBe(200)
    const { code } = await issueConsoleCode(st.services.store, email, st.services.keys)
    expect((await enter(page(), code)).status).toBe(200)
  })

  test('without the choice people sign in as before, and an old client gets a message', async () => {
    const code = await mailed(page(), people.ada.email)
    expect((await page().auth.verifyOtp({ body: { email: people.ada.email, token: code } })).user.id).toBe(people.ada.id)
    expect((await enter(page(), await mailed(page()))).body).toMatchObject({ message: expect.stringContaining('second factor') })
  })
})

describe('a fresh proof with a required second factor', () => {
  test('is not a mailed code, which stays valid for signing in', async () => {
    st.clock.advance(limits.proof.validMs)
    const token = await mailed(st.as.byrne)
    expect(said(await st.as.byrne.auth.prove.raw({ body: { token } }))).toEqual({ status: 403, code: 'auth.mail_is_not_enough' })
    expect(said(await st.as.byrne.outage.newRecoveryCodes.raw())).toEqual({ status: 403, code: 'auth.fresh_proof_needed' })
    await st.as.byrne.auth.prove({ body: { token: app.code() } })
    expect((await st.as.byrne.outage.newRecoveryCodes.raw()).status).toBe(201)
  })
})

describe('POST and DELETE /api/auth/second-factor', () => {
  test('needs an app or a passkey, and a fresh proof', async () => {
    await st.as.quinn.outage.newRecoveryCodes()
    expect(await refused(st, () => st.as.quinn.outage.askForSecond.raw())).toEqual({ status: 409, code: 'auth.nothing_to_ask_for' })
    await withPasskey(st.as.quinn)
    expect(await st.as.quinn.outage.askForSecond()).toMatchObject({ second_since: new Date(st.clock.now()).toISOString() })
    st.clock.advance(limits.proof.validMs + 1)
    for (const call of [st.as.byrne.outage.askForSecond, st.as.byrne.outage.askForNoSecond])
      expect(await refused(st, () => call.raw())).toEqual({ status: 403, code: 'auth.fresh_proof_needed' })
  })

  test('the last second factor cannot be removed while it is required', async () => {
    await proved(st, people.byrne)
    expect(await refused(st, () => st.as.byrne.outage.removeTotp.raw())).toEqual({ status: 409, code: 'auth.last_second' })
    const { id } = await withPasskey(st.as.byrne)
    await st.as.byrne.outage.removeTotp()
    expect(await refused(st, () => st.as.byrne.passkeys.remove.raw({ params: { id } }))).toEqual({ status: 409, code: 'auth.last_second' })
    expect(await st.as.byrne.outage.askForNoSecond()).toMatchObject({ second_since: null })
    await st.as.byrne.passkeys.remove({ params: { id } })
    expect((await enter(page(), await mailed(page()))).status).toBe(200)
  })

  test('switching it off gives its owner a notice', async () => {
    await proved(st, people.byrne)
    await st.as.byrne.outage.askForNoSecond()
    await st.as.byrne.outage.askForNoSecond()
    const subjects = st.outbox.filter(({ to }) => to === email).map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject === 'A code by mail alone signs you in to Markbook again')).toHaveLength(1)
  })
})

describe('POST /api/schools/members/:userId/reset-sign-in', () => {
  const reset = (userId: string) => st.as.okafor.outage.resetSignIn({ params: { userId } })

  test('helps a person who lost their telephone: mail alone works again, with a notice', async () => {
    await proved(st, people.okafor)
    await reset(people.byrne.id)
    const client = page()
    expect((await enter(client, await mailed(client))).status).toBe(200)
    expect((await client.sessions.notices()).map(({ kind }) => kind)).toContain('second_factor_off')
  })

  test('does not weaken an administrator’s account, which needs the console', async () => {
    await proved(st, people.okafor)
    await withPasskey(st.as.okafor)
    await st.as.okafor.outage.askForSecond()
    await reset(people.okafor.id)
    expect((await st.as.okafor.outage.ownWays()).second_since).not.toBeNull()
  })
})
