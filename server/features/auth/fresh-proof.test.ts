import { contract } from '@markbook/shared/contract/contract'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { limits } from '@markbook/shared/limits'
import { people } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { ask } from '../../testing/ask.ts'
import { enrolled } from '../../testing/authenticator.ts'
import { browserOf, codeFor } from '../../testing/browser.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'
import { issueConsoleCode } from './issued-codes.ts'

let st: School
beforeEach(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
})
afterEach(() => st.close())

const NEEDED = 'auth.fresh_proof_needed'
const ABSENT = '00000000-0000-7000-8000-999999999999'
const { validMs, clockSkewMs } = limits.proof
const { email } = people.okafor

const all: [string, Endpoint][] = Object.entries(contract).flatMap(([resource, endpoints]) =>
  Object.entries(endpoints as Record<string, Endpoint>).map(([key, endpoint]) => [`${resource}.${key}`, endpoint] as [string, Endpoint]),
)
const fresh = all.filter(([, endpoint]) => endpoint.fresh)
const idsOf = ({ path }: Endpoint) => Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name as string, ABSENT]))

/** The reply of an endpoint to a request that names only absent rows. */
const answerOf = async (endpoint: Endpoint, cookie = st.cookieOf('okafor')) =>
  (await ask(st.app, endpoint, { params: idsOf(endpoint), ...(endpoint.body && { body: {} }) }, cookie)).code

/** Another session, with a console code, which is not limited like mails. */
async function signedIn(who = email) {
  const browser = browserOf(st.app)
  const { code } = await issueConsoleCode(st.services.store, who, st.services.keys)
  await browser.client.auth.verifyOtp({ body: { email: who, token: code } })
  return browser
}
const consoleCode = async (who = email) => (await issueConsoleCode(st.services.store, who, st.services.keys)).code
const wrong = (code: string) => String((Number(code) + 1) % 10 ** 8).padStart(8, '0')

describe('what needs a fresh proof', () => {
  test('are endpoints that make another sign-in method, administrator or copy, or that cannot be undone', () => {
    expect(fresh.map(([name]) => name).sort()).toEqual([
      'invitations.invite',
      'outage.askForNoSecond',
      'outage.askForSecond',
      'outage.confirmTotp',
      'outage.enrolTotp',
      'outage.issueDeskCode',
      'outage.newRecoveryCodes',
      'outage.removeTotp',
      'outage.resetSignIn',
      'passkeys.add',
      'passkeys.begin',
      'passkeys.remove',
      'replication.invite',
      'replication.join',
      'reports.sendToMinistry',
      'schools.approve',
      'schools.removeMember',
      'schools.updateMember',
      'sessions.end',
      'sessions.endMembers',
      'sessions.endOthers',
    ])
  })

  test('are never open without a session', () => {
    expect(fresh.filter(([, { guard }]) => guard === 'none')).toEqual([])
  })

  test.each(fresh)(
    '%s: ten minutes after the sign-in it is refused and changes nothing, after a proof it is served',
    async (_name, endpoint) => {
      st.clock.advance(validMs)
      expect(await answerOf(endpoint)).not.toBe(NEEDED)
      st.clock.advance(1)
      const before = await st.digest()
      expect(await answerOf(endpoint)).toBe(NEEDED)
      expect(await st.digest()).toBe(before)
      await st.as.okafor.auth.prove({ body: { token: await consoleCode() } })
      st.clock.advance(validMs)
      expect(await answerOf(endpoint)).not.toBe(NEEDED)
      st.clock.advance(1)
      expect(await answerOf(endpoint)).toBe(NEEDED)
    },
  )

  test('a caller without the right gets that refusal, not the request for a proof', async () => {
    st.clock.advance(validMs + 1)
    const update = contract.schools.updateMember
    expect(await answerOf(update, st.cookieOf('byrne'))).toBe('admin_only')
    expect(await answerOf(update, '')).toBe('unauthenticated')
  })

  test('a sign-in counts: an older client signs in again', async () => {
    st.clock.advance(validMs + 1)
    expect((await (await signedIn()).client.outage.newRecoveryCodes()).codes).toHaveLength(limits.recoveryCodesPerSet)
  })

  test('a session that an earlier program began has none', async () => {
    await st.services.store.write(asSystem(), (tx) => tx.local.update(tx.t.session).set({ proved_at: null }))
    expect(await answerOf(contract.outage.newRecoveryCodes)).toBe(NEEDED)
  })

  test('a proof from the future does not count, except within the differences of several servers’ clocks', async () => {
    st.clock.advance(-clockSkewMs)
    expect(await answerOf(contract.outage.newRecoveryCodes)).not.toBe(NEEDED)
    st.clock.advance(-1)
    expect(await answerOf(contract.outage.newRecoveryCodes)).toBe(NEEDED)
  })
})

describe('POST /api/auth/proof', () => {
  beforeEach(() => void st.clock.advance(3_600_000 - 1))

  test('with a mailed code; the reply has its end', async () => {
    await st.as.okafor.auth.sendOtp({ body: { email } })
    expect(await st.as.okafor.auth.prove({ body: { token: codeFor(st, email) } })).toEqual({
      fresh_until: new Date(st.clock.now() + validMs).toISOString(),
    })
    expect(await answerOf(contract.outage.newRecoveryCodes)).toBeUndefined()
  })

  test('with a code of an app, once, and with a printed one, once', async () => {
    const own = (await signedIn()).client
    const app = await enrolled(own, st.clock)
    const [printed = ''] = (await own.outage.newRecoveryCodes()).codes
    st.clock.advance(validMs + 1)
    for (const token of [app.code(), printed]) {
      await own.auth.prove({ body: { token } })
      expect(await refused(st, () => own.auth.prove.raw({ body: { token } }))).toEqual({ status: 400, code: 'otp_invalid' })
    }
    expect((await own.outage.ownWays()).recovery_codes).toBe(limits.recoveryCodesPerSet - 1)
  })

  test('with a code of the desk, for whom the desk may serve', async () => {
    const admin = (await signedIn()).client
    const { code } = await admin.outage.issueDeskCode({ body: { userId: people.byrne.id } })
    await st.as.byrne.auth.prove({ body: { token: code } })
    expect(await answerOf(contract.outage.newRecoveryCodes, st.cookieOf('byrne'))).toBeUndefined()
  })

  test('another person’s code does not count, and stays theirs', async () => {
    const token = await consoleCode(people.byrne.email)
    await expect(st.as.okafor.auth.prove({ body: { token } })).rejects.toMatchObject({ status: 400, code: 'otp_invalid' })
    expect(await answerOf(contract.outage.newRecoveryCodes)).toBe(NEEDED)
    await st.as.byrne.auth.prove({ body: { token } })
    expect(await answerOf(contract.outage.newRecoveryCodes)).toBe(NEEDED)
  })

  test('in one session it serves no other of the same person', async () => {
    const other = await signedIn()
    st.clock.advance(validMs + 1)
    await st.as.okafor.auth.prove({ body: { token: await consoleCode() } })
    expect(await answerOf(contract.outage.newRecoveryCodes)).toBeUndefined()
    expect(await answerOf(contract.outage.newRecoveryCodes, other.cookie())).toBe(NEEDED)
  })

  test('a stolen cookie allows no more guesses than the sign-in page', async () => {
    const guessing = () => browserOf(st.app, { cookie: st.cookieOf('okafor'), address: '203.0.113.9' }).client
    await st.as.okafor.auth.sendOtp({ body: { email } })
    const token = wrong(codeFor(st, email))
    for (let tries = 0; tries < limits.otp.triesPerCode; tries += 1)
      expect((await guessing().auth.prove.raw({ body: { token } })).body).toMatchObject({ code: 'otp_invalid' })
    // The mailed code has ended, and this network must wait for the next.
    expect((await st.as.okafor.auth.prove.raw({ body: { token: codeFor(st, email) } })).body).toMatchObject({ code: 'otp_invalid' })
    expect((await guessing().auth.sendOtp.raw({ body: { email } })).body).toMatchObject({ code: 'otp_too_soon' })
    const bound = limits.otp.networks[0].wrongPerDay
    for (let tries = 0; tries < bound; tries += 1) await guessing().auth.prove.raw({ body: { token } })
    const stopped = await guessing().auth.prove.raw({ body: { token } })
    expect(stopped).toMatchObject({ status: 429, body: { code: 'otp_locked' } })
    // Its attempts are counted on the sign-in page too.
    const page = browserOf(st.app, { address: '203.0.113.9' }).client
    expect(await page.auth.verifyOtp.raw({ body: { email, token } })).toMatchObject({ status: 429, body: { code: 'otp_locked' } })
  })

  test('needs a session', async () => {
    expect(await refused(st, () => st.anonymous.auth.prove.raw({ body: { token: '12345678' } }))).toEqual({
      status: 401,
      code: 'unauthenticated',
    })
  })
})
