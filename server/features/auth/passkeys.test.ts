import { limits } from '@markbook/shared/limits'
import { people } from '@markbook/shared/story/people'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { browserOf } from '../../testing/browser.ts'
import { proved } from '../../testing/proved.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'
import { SoftwareAuthenticator } from '../../testing/software-authenticator.ts'

let st: School
let phone: SoftwareAuthenticator
beforeEach(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
  phone = new SoftwareAuthenticator()
})
afterEach(() => st.close())

const ORIGIN = 'http://markbook.test'
const HERE = { origin: ORIGIN }
const REFUSED = { status: 400, code: 'passkeys.refused' }
type Client = School['anonymous']
type How = Parameters<SoftwareAuthenticator['get']>[1]

const makeWith = async (client: Client, on = phone, how: How = HERE) => on.create(await client.passkeys.begin(), how)
const setUp = async (client: Client, on = phone, name = 'My telephone') =>
  client.passkeys.add({ body: { name, credential: await makeWith(client, on) } })
const page = () => browserOf(st.app).client
const assertionOf = async (client: Client, on = phone, how: How = HERE) => on.get(await client.passkeys.ask(), how)
const signInWith = async (on = phone, how: How = HERE, client = page()) =>
  client.passkeys.signIn.raw({ body: { credential: await assertionOf(client, on, how) } })
const said = ({ status, body }: { status: number; body: unknown }) => ({ status, code: (body as { code?: string }).code })
const notices = (client: Client) => client.sessions.notices()

/** Sends a POST as a page of that origin does, possibly under another host name. */
const post = async (origin: string, path: string, body: object = {}, cookie = '') => {
  const request = new Request(`${origin}${path}`, {
    method: 'POST',
    headers: { origin, host: new URL(origin).host, 'content-type': 'application/json', ...(cookie && { cookie }) },
    body: path.endsWith('/ask') || path.endsWith('/begin') ? null : JSON.stringify(body),
  })
  const reply = await st.app.fetch(request)
  return { status: reply.status, body: (await reply.json()) as never as Record<string, never> }
}

describe('a passkey', () => {
  test('is set up, listed with its name and last use, signs in, and is removed', async () => {
    const made = await setUp(st.as.byrne)
    const shown = { id: made.id, name: 'My telephone', host: 'markbook.test', created_at: '2026-01-12T08:00:00.000Z' }
    expect(await st.as.byrne.passkeys.list()).toEqual([{ ...shown, last_used_at: null }])
    st.clock.advance(3_600_000)
    const browser = browserOf(st.app)
    const entered = await browser.client.passkeys.signIn({ body: { credential: await assertionOf(browser.client) } })
    expect(entered.user).toMatchObject({ id: people.byrne.id, email: people.byrne.email })
    expect(await browser.client.auth.me()).toMatchObject({ id: people.byrne.id })
    expect(await browser.client.passkeys.list()).toEqual([{ ...shown, last_used_at: '2026-01-12T09:00:00.000Z' }])
    expect(await st.as.ada.passkeys.list()).toEqual([])
    // Signing in with it counts as a fresh proof.
    await browser.client.passkeys.remove({ params: { id: made.id } })
    expect(said(await signInWith())).toEqual(REFUSED)
  })

  test('gives its owner a notice, by mail and in their other sessions', async () => {
    const other = browserOf(st.app, { cookie: st.cookieOf('byrne') })
    const phoneSession = browserOf(st.app)
    await setUp(st.as.byrne)
    await phoneSession.client.passkeys.signIn({ body: { credential: await assertionOf(phoneSession.client) } })
    const mails = st.outbox.filter(({ to }) => to === people.byrne.email).map(({ subject }) => subject)
    expect(mails).toContain('A new passkey signs you in to Markbook')
    expect((await notices(phoneSession.client)).map(({ kind }) => kind)).toEqual(['passkey'])
    expect(await notices(other.client)).toEqual([])
  })

  test('works with other authenticators too: one without a counter, one with self attestation', async () => {
    const quiet = new SoftwareAuthenticator(false)
    await setUp(st.as.byrne, quiet)
    for (let time = 0; time < 3; time += 1) expect((await signInWith(quiet)).status).toBe(200)
    const proud = new SoftwareAuthenticator()
    const credential = await makeWith(st.as.byrne, proud, { ...HERE, signsItself: true })
    await st.as.byrne.passkeys.add({ body: { name: 'A stick', credential } })
    expect((await signInWith(proud)).status).toBe(200)
  })

  test('is a fresh proof, for that session only', async () => {
    await setUp(st.as.byrne)
    const other = browserOf(st.app)
    await other.client.passkeys.signIn({ body: { credential: await assertionOf(other.client) } })
    st.clock.advance(limits.proof.validMs + 1)
    await st.as.byrne.passkeys.prove({ body: { credential: await assertionOf(st.as.byrne) } })
    expect((await st.as.byrne.outage.newRecoveryCodes.raw()).status).toBe(201)
    expect(said(await other.client.outage.newRecoveryCodes.raw())).toEqual({ status: 403, code: 'auth.fresh_proof_needed' })
  })

  test('is created and removed only with a fresh proof', async () => {
    const credential = await makeWith(st.as.byrne)
    const { id } = await setUp(st.as.byrne, new SoftwareAuthenticator())
    st.clock.advance(limits.proof.validMs + 1)
    for (const call of [
      () => st.as.byrne.passkeys.begin.raw(),
      () => st.as.byrne.passkeys.add.raw({ body: { name: 'x', credential } }),
      () => st.as.byrne.passkeys.remove.raw({ params: { id } }),
    ])
      expect(await refused(st, call)).toEqual({ status: 403, code: 'auth.fresh_proof_needed' })
  })

  test('there are ten of one person, however many are set up at once', async () => {
    const begun = []
    for (let count = 0; count < limits.passkeys.perPerson + 5; count += 1)
      begun.push(await makeWith(st.as.byrne, new SoftwareAuthenticator()))
    const replies = await Promise.all(begun.map((credential) => st.as.byrne.passkeys.add.raw({ body: { name: 'One', credential } })))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(limits.passkeys.perPerson)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(5)
    expect(await refused(st, () => st.as.byrne.passkeys.begin.raw())).toEqual({ status: 409, code: 'passkeys.too_many' })
    await setUp(st.as.ada)
  })

  test('is not requested again from an authenticator that has one', async () => {
    await setUp(st.as.byrne)
    await expect(makeWith(st.as.byrne)).rejects.toThrow('it has a key already')
    const credential = phone.clone()
    await expect(makeWith(st.as.byrne, credential)).rejects.toThrow('it has a key already')
  })

  test('reveals nothing about accounts: the options are the same for everybody', async () => {
    await setUp(st.as.byrne)
    const asked = await page().passkeys.ask()
    expect(asked).toEqual({
      challenge: expect.any(String),
      rpId: 'markbook.test',
      timeout: limits.passkeys.challengeMs,
      userVerification: 'required',
    })
    expect(said(await signInWith())).toMatchObject({ status: 200 })
  })

  test('floods are refused as on the sign-in page', async () => {
    const { client } = browserOf(st.app, { address: '203.0.113.7' })
    const [{ callsPerWindow }] = limits.otp.networks
    const replies = []
    for (let call = 0; call <= callsPerWindow; call += 1) replies.push((await client.passkeys.ask.raw()).status)
    expect([replies.filter((status) => status === 200).length, replies.at(-1)]).toEqual([callsPerWindow, 429])
  })
})

describe('where passkeys are', () => {
  const cookie = () => st.cookieOf('byrne')

  test.each(['http://192.168.1.10:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'not at an address without a name: %s',
    async (origin) => {
      for (const path of ['ask', 'begin'])
        expect(said(await post(origin, `/api/auth/passkeys/${path}`, {}, cookie()))).toEqual({ status: 409, code: 'passkeys.needs_a_name' })
    },
  )

  test('one for the school’s name does not sign in under another name of the same server', async () => {
    await setUp(st.as.byrne)
    const other = 'https://markbook.local'
    const { body: asked } = await post(other, '/api/auth/passkeys/ask')
    expect(asked['rpId']).toBe('markbook.local')
    // A manipulated authenticator and browser.
    const credential = phone.get(asked as never, { origin: other, host: 'markbook.test' })
    expect(said(await post(other, '/api/auth/passkeys/sign-in', { credential }))).toEqual(REFUSED)
  })
})

describe('what does not sign in', () => {
  beforeEach(() => setUp(st.as.byrne))

  test('an assertion that was made for a phishing host', async () => {
    const evil = 'https://markbook.test.evil.example'
    for (const how of [{ origin: evil }, { origin: evil, host: 'markbook.test' }, { origin: `${ORIGIN}.evil.example` }])
      expect(said(await signInWith(phone, how))).toEqual(REFUSED)
    // Nor can a page there get one: no browser makes an assertion with another host’s key.
    await expect(signInWith(phone, { origin: evil, host: 'markbook.test.evil.example' })).rejects.toThrow('it has no key')
  })

  test('an assertion a second time, also where it comes twenty times at once', async () => {
    const credential = await assertionOf(page())
    const replies = await Promise.all(Array.from({ length: 20 }, () => page().passkeys.signIn.raw({ body: { credential } })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    const again = await page().passkeys.signIn.raw({ body: { credential } })
    expect(said(again)).toEqual(REFUSED)
  })

  test('a second assertion for one challenge', async () => {
    const asked = await page().passkeys.ask()
    const [first, second] = [phone.get(asked, HERE), phone.get(asked, HERE)]
    expect((await page().passkeys.signIn.raw({ body: { credential: first } })).status).toBe(200)
    expect(said(await page().passkeys.signIn.raw({ body: { credential: second } }))).toEqual(REFUSED)
  })

  test('an expired challenge, an invented one, one for another purpose', async () => {
    const client = page()
    const late = await assertionOf(client)
    st.clock.advance(limits.passkeys.challengeMs)
    const made = await st.as.byrne.passkeys.begin()
    const inSession = await st.as.byrne.passkeys.ask()
    const asked = await client.passkeys.ask()
    const altered = (challenge: string) => phone.get({ ...asked, challenge }, HERE)
    const invented = Buffer.alloc(56, 1).toString('base64url')
    for (const credential of [late, altered(made.challenge), altered(inSession.challenge), altered(invented), altered(''), altered('A')])
      expect(said(await client.passkeys.signIn.raw({ body: { credential } }))).toEqual(REFUSED)
  })

  test('an authenticator that has not verified its user', async () => {
    expect(said(await signInWith(phone, { ...HERE, verified: false }))).toEqual(REFUSED)
  })

  test('a ceremony of an embedded page of another site', async () => {
    for (const extra of [{ crossOrigin: true }, { crossOrigin: true, topOrigin: 'https://evil.example' }, { type: 'webauthn.create' }])
      expect(said(await signInWith(phone, { ...HERE, said: extra }))).toEqual(REFUSED)
  })

  test('an unknown key, and another key’s signature under a known id', async () => {
    const stranger = new SoftwareAuthenticator()
    stranger.create({ challenge: '', rp: { id: 'markbook.test' }, user: { id: '' }, excludeCredentials: [] }, HERE)
    expect(said(await signInWith(stranger))).toEqual(REFUSED)
    const client = page()
    const asked = await client.passkeys.ask()
    const [mine, theirs] = [phone.get(asked, HERE), stranger.get(asked, HERE)]
    const credential = { ...mine, response: { ...mine.response, signature: theirs.response.signature } }
    expect(said(await client.passkeys.signIn.raw({ body: { credential } }))).toEqual(REFUSED)
  })

  test('a copy of an authenticator: the one whose counter is behind is refused with the reason', async () => {
    const copy = phone.clone()
    expect((await signInWith(phone)).status).toBe(200)
    expect(said(await signInWith(copy))).toEqual({ status: 400, code: 'passkeys.used_elsewhere' })
    for (let time = 0; time < 3; time += 1) await signInWith(copy)
    expect(said(await signInWith(phone))).toEqual({ status: 400, code: 'passkeys.used_elsewhere' })
  })

  test('another person’s passkey is no proof', async () => {
    st.clock.advance(limits.proof.validMs + 1)
    const asked = await st.as.okafor.passkeys.ask()
    expect(asked.allowCredentials).toEqual([])
    const credential = phone.get({ ...asked, allowCredentials: undefined }, HERE)
    expect(said(await st.as.okafor.passkeys.prove.raw({ body: { credential } }))).toEqual(REFUSED)
    expect(said(await st.as.okafor.outage.newRecoveryCodes.raw())).toEqual({ status: 403, code: 'auth.fresh_proof_needed' })
  })
})

describe('what is not set up', () => {
  const adding = (credential: unknown, client = st.as.byrne) =>
    refused(st, () => client.passkeys.add.raw({ body: { name: 'x', credential } }))

  test('a key made for another page, without user verification, for another session, or twice', async () => {
    expect(await adding(await makeWith(st.as.byrne, phone, { origin: 'https://evil.example' }))).toEqual(REFUSED)
    expect(await adding(await makeWith(st.as.byrne, new SoftwareAuthenticator(), { ...HERE, verified: false }))).toEqual(REFUSED)
    const ofAda = await makeWith(st.as.ada, new SoftwareAuthenticator())
    expect(await adding(ofAda)).toEqual(REFUSED)
    const credential = await makeWith(st.as.byrne, new SoftwareAuthenticator())
    await st.as.byrne.passkeys.add({ body: { name: 'x', credential } })
    expect(await adding(credential)).toEqual(REFUSED)
  })

  test('a key after five minutes', async () => {
    const credential = await makeWith(st.as.byrne)
    st.clock.advance(limits.passkeys.challengeMs)
    await proved(st, people.byrne)
    expect(await adding(credential)).toEqual(REFUSED)
  })

  test('one with a maker’s certificates: none of their URLs is fetched', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    const credential = await makeWith(st.as.byrne)
    const bytes = new Uint8Array(Buffer.from(credential.response.attestationObject, 'base64url'))
    const decoded = isoCBOR.decodeFirst<Map<string, unknown>>(bytes)
    for (const [fmt, statement] of [
      [
        'packed',
        new Map<string, unknown>([
          ['alg', -7],
          ['sig', new Uint8Array(8)],
          ['x5c', [new Uint8Array(64)]],
        ]),
      ],
      ['tpm', new Map()],
      ['apple', new Map()],
    ] as const) {
      decoded.set('fmt', fmt).set('attStmt', statement)
      const attestationObject = Buffer.from(isoCBOR.encode(decoded as never)).toString('base64url')
      expect(await adding({ ...credential, response: { ...credential.response, attestationObject } })).toEqual(REFUSED)
    }
    expect(fetched).not.toHaveBeenCalled()
    fetched.mockRestore()
  })

  test('what is no credential at all, however long', async () => {
    for (const attestationObject of ['', 'AAAA', 'A'.repeat(limits.passkeys.fieldLength)])
      expect(
        await adding({
          ...(await makeWith(st.as.byrne, new SoftwareAuthenticator())),
          response: { clientDataJSON: 'e30', attestationObject },
        }),
      ).toEqual(REFUSED)
    expect(await st.services.store.read(asSystem(), ({ db, t }) => db.select().from(t.passkey))).toEqual([])
  })
})
