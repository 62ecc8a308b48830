import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { elan, mathsQuiz } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { enrolled } from '../../testing/authenticator.ts'
import { browserOf, codeFor, signIn } from '../../testing/browser.ts'
import { proved } from '../../testing/proved.ts'
import { type School, school } from '../../testing/school.ts'
import { issueConsoleCode } from '../auth/issued-codes.ts'

let st: School
beforeEach(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
})
afterEach(() => st.close())

const { email } = people.byrne
const DAY = 86_400_000
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0'
const PHONE = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36'
const SCHOOL = { address: '192.0.2.1', agent: FIREFOX }
const PHONE_AT_HOME = { address: '198.51.100.7', agent: PHONE }

/** Signs a person in with a console code, which is not limited like mails. */
async function signedIn(where: { address: string; agent: string }, who = email) {
  const browser = browserOf(st.app, where)
  const { code } = await issueConsoleCode(st.services.store, who, st.services.keys)
  await browser.client.auth.verifyOtp({ body: { email: who, token: code } })
  return browser.client
}
const newsFor = (who = email) => st.outbox.filter(({ to }) => to === who)
const sessionRows = () => st.services.store.read(asSystem(), ({ db, t }) => db.select().from(t.session))
type Client = Awaited<ReturnType<typeof signedIn>>
const currentId = async (client: Client) => (await client.sessions.list()).find(({ is_current }) => is_current)?.id ?? ''
const statusOf = async (client: Client) => (await client.auth.me.raw()).status

describe('GET /api/auth/sessions', () => {
  test('the caller’s sessions on this server: device, address, start, and the current one first', async () => {
    const atSchool = await signedIn(SCHOOL)
    st.clock.advance(60_000)
    await signedIn(PHONE_AT_HOME)
    await signedIn(SCHOOL, people.ada.email)
    const [current, phone, before, ...more] = await atSchool.sessions.list()
    expect(more).toEqual([])
    expect(current).toEqual({
      id: expect.any(String),
      device: 'Firefox on Windows',
      program: 'Firefox',
      system: 'Windows',
      address: '192.0.2.1',
      created_at: '2026-01-12T08:00:00.000Z',
      last_used_at: '2026-01-12T08:00:00.000Z',
      is_current: true,
    })
    expect(phone).toMatchObject({ device: 'Chrome on Android', address: '198.51.100.7', is_current: false })
    // For a session of an older program nothing is known.
    expect(before).toMatchObject({ device: 'An unknown device', address: null })
  })

  test('an IPv6 network instead of an address, and no text of the client', async () => {
    const client = await signedIn({ address: '2001:db8:1:2:3:4:5:6', agent: '<b>Evil</b> Firefox/1' })
    expect(await client.sessions.list()).toMatchObject([{ device: 'Firefox', address: '2001:db8:1:2::/64' }, {}])
  })

  test('a session of an older program gets its device at its next use, and keeps it', async () => {
    st.clock.advance(limits.session.lastUseEveryMs)
    const { client } = browserOf(st.app, { cookie: st.cookieOf('byrne'), ...SCHOOL })
    await client.auth.me()
    st.clock.advance(limits.session.lastUseEveryMs)
    const moved = browserOf(st.app, { cookie: st.cookieOf('byrne'), ...PHONE_AT_HOME })
    expect(await moved.client.sessions.list()).toMatchObject([{ device: 'Firefox on Windows', address: '198.51.100.7' }])
  })

  test('the last use is written at most every ten minutes', async () => {
    const client = await signedIn(SCHOOL)
    let writes = 0
    const { store } = st.services
    const { write } = store
    Object.assign(store, {
      write: (...args: Parameters<typeof write>) => {
        writes += 1
        return write(...args)
      },
    })
    for (let minute = 0; minute < 30; minute += 1) {
      await Promise.all(Array.from({ length: 8 }, () => client.auth.me()))
      st.clock.advance(60_000)
    }
    Object.assign(store, { write })
    expect(writes).toBe(2)
    expect(await client.sessions.list()).toMatchObject([{ last_used_at: '2026-01-12T08:30:00.000Z' }, {}])
  })

  test('where the last use cannot be written, the request still succeeds', async () => {
    const client = await signedIn(SCHOOL)
    st.clock.advance(limits.session.lastUseEveryMs)
    const { store } = st.services
    const { write } = store
    Object.assign(store, { write: () => Promise.reject(common.busy()) })
    expect(await statusOf(client)).toBe(200)
    Object.assign(store, { write })
  })

  test('neither ended sessions nor such as nobody used for two weeks', async () => {
    const client = await signedIn(SCHOOL)
    await (await signedIn(PHONE_AT_HOME)).auth.logout()
    for (let day = 0; day < 14; day += 1) {
      st.clock.advance(DAY)
      await client.auth.me()
    }
    expect(await client.sessions.list()).toMatchObject([{ is_current: true }])
  })
})

describe('DELETE /api/auth/sessions/:id', () => {
  test('ends that one, from its next request on', async () => {
    const [here, phone] = [await signedIn(SCHOOL), await signedIn(PHONE_AT_HOME)]
    const id = await currentId(phone)
    await here.sessions.end({ params: { id } })
    expect([await statusOf(phone), await statusOf(here)]).toEqual([401, 200])
    expect((await here.sessions.list()).map((each) => each.id)).not.toContain(id)
    await expect(here.sessions.end({ params: { id } })).rejects.toMatchObject({ status: 404 })
  })

  test('another person’s session is 404, and stays', async () => {
    const [byrne, ada] = [await signedIn(SCHOOL), await signedIn(SCHOOL, people.ada.email)]
    const refused = await byrne.sessions.end.raw({ params: { id: await currentId(ada) } })
    const absent = await byrne.sessions.end.raw({ params: { id: '00000000-0000-7000-8000-999999999999' } })
    expect(refused.status).toBe(404)
    expect(refused.body).toEqual(absent.body)
    expect(await statusOf(ada)).toBe(200)
  })
})

describe('DELETE /api/auth/sessions', () => {
  test('ends all of the caller’s except this one, and no others', async () => {
    const others = [await signedIn(PHONE_AT_HOME), await signedIn(SCHOOL), st.as.byrne]
    const [here, ada] = [await signedIn(SCHOOL), await signedIn(SCHOOL, people.ada.email)]
    await here.sessions.endOthers()
    expect(await Promise.all(others.map(statusOf))).toEqual([401, 401, 401])
    expect([await statusOf(here), await statusOf(ada), await statusOf(st.as.okafor)]).toEqual([200, 200, 200])
    expect(await here.sessions.list()).toMatchObject([{ is_current: true }])
    await here.sessions.endOthers()
  })

  test('and their event streams', async () => {
    const query = { termId: michaelmas.id, subjectId: maths.id, studentGroupId: class3B.id }
    const events = (await (await signedIn(PHONE_AT_HOME)).grades.events({ query }))[Symbol.asyncIterator]()
    expect((await events.next()).done).toBe(false)
    await (await signedIn(SCHOOL)).sessions.endOthers()
    await st.as.okafor.grades.bulk({ body: { assessmentId: mathsQuiz.id, grades: [{ studentId: elan.id, score: 11 }] } })
    expect((await events.next()).done).toBe(true)
  })
})

describe('DELETE /api/schools/members/:userId/sessions', () => {
  test('an administrator ends all of a member, also a stolen one, and the history records it', async () => {
    const stolen = st.clientWith(st.cookieOf('niamh'))
    expect((await stolen.auth.me.raw()).status).toBe(200)
    expect((await st.as.marker.sessions.endMembers.raw({ params: { userId: people.niamh.id } })).status).toBe(404)
    expect((await st.as.byrne.sessions.endMembers.raw({ params: { userId: people.niamh.id } })).status).toBe(403)
    expect((await stolen.auth.me.raw()).status).toBe(200)
    expect(await st.as.okafor.sessions.endMembers({ params: { userId: people.niamh.id } })).toEqual({ message: expect.any(String) })
    expect((await stolen.auth.me.raw()).status).toBe(401)
    expect((await st.as.byrne.auth.me.raw()).status).toBe(200)
    const entries = await st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.history))
    expect(entries.filter(({ entity, action }) => entity === 'sign_in_reset' && action === 'delete')).toMatchObject([
      { actor_id: people.okafor.id, row_id: people.niamh.id },
    ])
  })

  test('for oneself all except the current session', async () => {
    expect((await st.as.okafor.sessions.endMembers.raw({ params: { userId: people.okafor.id } })).status).toBe(200)
    expect((await st.as.okafor.auth.me.raw()).status).toBe(200)
  })
})

describe('notices to the owner of an account', () => {
  test('a sign-in from a device and network that the account did not use, by mail and to its other sessions', async () => {
    await signedIn(SCHOOL)
    expect(newsFor()).toEqual([])
    const here = await signedIn(SCHOOL)
    const phone = await signedIn(PHONE_AT_HOME)
    const [mail, ...more] = newsFor()
    expect(more).toEqual([])
    expect(mail?.subject).toBe('Somebody signed in to Markbook as you')
    for (const said of ['Chrome on Android', '198.51.100.7', '2026-01-12, 08:00 UTC', 'http://markbook.test/account'])
      expect(mail?.text).toContain(said)
    const [notice, ...others] = await here.sessions.notices()
    expect(others).toEqual([])
    expect(notice).toMatchObject({ kind: 'sign_in', device: 'Chrome on Android', address: '198.51.100.7', at: '2026-01-12T08:00:00.000Z' })
    // The session that has just signed in does not see the notice, and cannot dismiss it.
    expect(await phone.sessions.notices()).toEqual([])
    const params = { id: notice?.id ?? '' }
    await expect(phone.sessions.dismiss({ params })).rejects.toMatchObject({ status: 404 })
    await expect(st.as.ada.sessions.dismiss({ params })).rejects.toMatchObject({ status: 404 })
    await here.sessions.dismiss({ params })
    expect(await here.sessions.notices()).toEqual([])
  })

  test.each([
    ['the same device at another network', { ...SCHOOL, address: '203.0.113.4' }],
    ['another device at the same network', { ...SCHOOL, agent: PHONE }],
  ])('%s is new, once', async (_what, where) => {
    await signedIn(SCHOOL)
    await signedIn(where)
    await signedIn(where)
    await signedIn(SCHOOL)
    expect(newsFor()).toHaveLength(1)
  })

  test('a device used in the last 90 days gives no notice, an older one does', async () => {
    await signedIn(SCHOOL)
    st.clock.advance(limits.notices.knownDeviceMs - 1_000)
    await signedIn(SCHOOL)
    st.clock.advance(limits.notices.knownDeviceMs - 1_000)
    await signedIn(SCHOOL)
    expect(newsFor()).toEqual([])
    st.clock.advance(limits.notices.knownDeviceMs)
    await signedIn(SCHOOL)
    expect(newsFor()).toHaveLength(1)
  })

  test('none for the first session of an account', async () => {
    const who = 'first.time@mail.example'
    const client = await signedIn(PHONE_AT_HOME, who)
    expect([newsFor(who), await client.sessions.notices()]).toEqual([[], []])
  })

  test('an app that was set up, and codes that were made', async () => {
    const [here, phone] = [await signedIn(SCHOOL), await signedIn(SCHOOL)]
    await enrolled(phone, st.clock)
    await phone.outage.newRecoveryCodes()
    expect(newsFor().map(({ subject }) => subject)).toEqual([
      'A new app signs you in to Markbook',
      'New codes on paper sign you in to Markbook',
    ])
    expect((await here.sessions.notices()).map(({ kind, device }) => [kind, device]).sort()).toEqual([
      ['recovery_codes', 'Firefox on Windows'],
      ['totp', 'Firefox on Windows'],
    ])
    expect(await phone.sessions.notices()).toEqual([])
  })

  test('none for a wrong code of an app', async () => {
    await st.as.byrne.outage.enrolTotp()
    await expect(st.as.byrne.outage.confirmTotp({ body: { token: '00000000' } })).rejects.toMatchObject({ status: 400 })
    expect([newsFor(), await (await signedIn(SCHOOL)).sessions.notices()]).toEqual([[], []])
  })

  test('such a mail contains no code', async () => {
    await signedIn(SCHOOL)
    const browser = browserOf(st.app, PHONE_AT_HOME)
    await signIn(st, browser, email)
    const { codes } = await browser.client.outage.newRecoveryCodes()
    const [sent, ...news] = newsFor()
    expect(news).toHaveLength(2)
    const code = codeFor({ outbox: sent ? [sent] : [] }, email)
    for (const secret of [code, ...codes]) for (const { text, subject } of news) expect(`${subject} ${text}`).not.toContain(secret)
  })

  test('ten mails an hour, and one notice for a repeated event', async () => {
    const here = await signedIn(SCHOOL)
    for (let count = 0; count < 15; count += 1) await here.outage.newRecoveryCodes()
    expect(newsFor()).toHaveLength(limits.notices.mailsPerHour)
    expect(await (await signedIn(SCHOOL)).sessions.notices()).toHaveLength(1)
    st.clock.advance(3_600_000)
    await proved(st, people.byrne)
    await here.outage.newRecoveryCodes()
    expect(newsFor()).toHaveLength(limits.notices.mailsPerHour + 1)
  })

  test('where no mail is sent at all, nothing is mailed and nothing fails', async () => {
    const sent: unknown[] = []
    const mailer = {
      ...st.services.mailer,
      state: () => ({ kind: 'console' as const, lastFailure: null, queued: 0 }),
      send: (mail: unknown) => void sent.push(mail),
    }
    Object.assign(st.services, { mailer })
    await signedIn(SCHOOL)
    const phone = await signedIn(PHONE_AT_HOME)
    await phone.outage.newRecoveryCodes()
    expect(sent).toEqual([])
    expect(await (await signedIn(SCHOOL)).sessions.notices()).toHaveLength(2)
  })

  test('are dismissed when the session is ended, and deleted after thirty days', async () => {
    const here = await signedIn(SCHOOL)
    const phone = await signedIn(PHONE_AT_HOME)
    await signedIn({ ...SCHOOL, address: '203.0.113.4' })
    await here.sessions.end({ params: { id: await currentId(phone) } })
    expect(await here.sessions.notices()).toMatchObject([{ address: '203.0.113.4' }])
    await here.sessions.endOthers()
    expect(await here.sessions.notices()).toEqual([])
    await signedIn({ ...PHONE_AT_HOME, address: '203.0.113.5' })
    st.clock.advance(limits.notices.retentionMs)
    expect(await (await signedIn(SCHOOL)).sessions.notices()).toEqual([])
    await browserOf(st.app).client.auth.sendOtp({ body: { email } })
    expect(await st.services.store.read(asSystem(), ({ db, t }) => db.select().from(t.account_notice))).toEqual([])
  })
})

test('sessions and notices are local to one server, without history', async () => {
  await signedIn(SCHOOL)
  await signedIn(PHONE_AT_HOME)
  const [history, synced] = await st.services.store.read(asSystem(), async ({ db, t }) => [
    await db.select({ entity: t.history.entity }).from(t.history),
    await db.select({ entity: t.sync_row.table_name }).from(t.sync_row),
  ])
  for (const { entity } of [...(history ?? []), ...(synced ?? [])]) expect(['session', 'account_notice']).not.toContain(entity)
  expect((await sessionRows()).length).toBeGreaterThan(1)
})
