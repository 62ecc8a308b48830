import { naturalId } from '@markbook/shared/ids'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { browserOf, codeFor } from '../../testing/browser.ts'
import { newcomer } from '../../testing/newcomers.ts'
import { proved } from '../../testing/proved.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
})
afterAll(() => st.close())

const MINUTE = 60_000
const HOUR = 60 * MINUTE
type Who = 'okafor' | 'marker' | 'byrne'
const issue = async (userId: string, who: Who = 'okafor') => {
  await proved(st, people[who])
  return st.as[who].outage.issueDeskCode({ body: { userId } })
}
const tryToIssue = async (userId: string, who: Who = 'okafor') => {
  await proved(st, people[who])
  return refused(st, () => st.as[who].outage.issueDeskCode.raw({ body: { userId } }))
}
const verify = (email: string, token: string, address = '192.0.2.1') =>
  browserOf(st.app, { address }).client.auth.verifyOtp.raw({ body: { email, token } })
const wrong = (code: string) => String((Number(code) + 1) % 10 ** 8).padStart(8, '0')

/** A new member of a school. */
async function member(name: string, role: 'admin' | 'teacher' | 'member' = 'teacher', schools: string[] = [stBrigids]) {
  const person = await newcomer(st, name)
  await st.services.store.write(asSystem(), async (tx) => {
    for (const school_id of schools)
      await tx.insert('school_management', [
        { id: naturalId('membership', person.id, school_id), school_id, user_id: person.id, role, is_active: true },
      ])
  })
  return person
}

/** An administrator who works at the school. */
async function issuerNamed(name: string) {
  const person = await member(name, 'admin')
  await st.services.store.write(asSystem(), async (tx) => {
    const before = await tx.find('user_profile', '', person.id)
    if (before) await tx.update('user_profile', before, { school_id: stBrigids })
  })
  return person
}

describe('POST /api/auth/desk-codes', () => {
  test('returns a code of 8 digits with which a member signs in within ten minutes', async () => {
    const { status, body } = await st.as.okafor.outage.issueDeskCode.raw({ body: { userId: people.byrne.id } })
    expect({ status, body }).toEqual({
      status: 201,
      body: { code: expect.stringMatching(/^\d{8}$/), expires_at: new Date(st.clock.now() + 10 * MINUTE).toISOString() },
    })
    st.clock.advance(10 * MINUTE - 1)
    expect(await verify(people.byrne.email, (body as { code: string }).code)).toMatchObject({
      status: 200,
      body: { user: { id: people.byrne.id } },
    })
  })

  test('not after ten minutes', async () => {
    const { code } = await issue(people.byrne.id)
    st.clock.advance(10 * MINUTE)
    expect(await verify(people.byrne.email, code)).toMatchObject({ status: 400, body: { code: 'otp_invalid' } })
  })

  test('once, also where it comes fifty times at once', async () => {
    const { code } = await issue(people.ada.id)
    const replies = await Promise.all(Array.from({ length: 50 }, (_, count) => verify(people.ada.email, code, `198.51.100.${count}`)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(400)])
  })

  test('a newer one replaces it; a mailed one does not, nor the other way round', async () => {
    const { code: old } = await issue(people.quinn.id)
    const { code } = await issue(people.quinn.id)
    await st.anonymous.auth.sendOtp({ body: { email: people.quinn.email } })
    if (old !== code) expect(await verify(people.quinn.email, old)).toMatchObject({ status: 400 })
    expect(await verify(people.quinn.email, code)).toMatchObject({ status: 200 })
    expect(await verify(people.quinn.email, codeFor(st, people.quinn.email))).toMatchObject({ status: 200 })
  })

  test('wrong codes do not end it, so that nobody can be kept out', async () => {
    const { code } = await issue(people.niamh.id)
    for (let tries = 0; tries < 30; tries += 1) await verify(people.niamh.email, wrong(code), `203.0.113.${tries % 4}`)
    expect(await verify(people.niamh.email, code)).toMatchObject({ status: 200 })
  })

  test('only for the named member', async () => {
    const { code } = await issue(people.niamh.id)
    expect(await verify(people.ada.email, code)).toMatchObject({ status: 400 })
  })

  test('never for an administrator, the caller, a suspended member, or a member of another school', async () => {
    const other = await member('other-admin', 'admin')
    const abroad = await member('abroad', 'teacher')
    await st.services.store.write(asSystem(), (tx) =>
      tx.insert('school_management', [
        { id: naturalId('membership', abroad.id, hilltop), school_id: hilltop, user_id: abroad.id, role: 'admin', is_active: true },
      ]),
    )
    for (const id of [people.okafor.id, people.doyle.id, other.id, abroad.id])
      expect(await tryToIssue(id)).toEqual({ status: 403, code: 'auth.not_at_the_desk' })
  })

  test('nor for a teacher of two schools: neither can sign in the other’s', async () => {
    const both = await member('both', 'teacher', [stBrigids, hilltop])
    for (const who of ['okafor', 'marker'] as const)
      expect(await tryToIssue(both.id, who)).toEqual({ status: 403, code: 'auth.not_at_the_desk' })
  })

  test('404 for somebody of another school, of none, and for nobody', async () => {
    for (const id of [people.markerTeacher.id, people.nobody.id, people.tomas.id, '00000000-0000-7000-8000-999999999999'])
      expect(await tryToIssue(id)).toEqual({ status: 404, code: 'not_found' })
  })

  test('403 for a teacher', async () => {
    expect(await tryToIssue(people.niamh.id, 'byrne')).toEqual({ status: 403, code: 'admin_only' })
  })

  test('is refused for a person who has become an administrator, or was suspended, since', async () => {
    const rising = await member('rising')
    const leaving = await member('leaving')
    const codes = [await issue(rising.id), await issue(leaving.id)]
    await st.as.okafor.schools.updateMember({ params: { userId: rising.id }, body: { role: 'admin' } })
    await st.as.okafor.schools.updateMember({ params: { userId: leaving.id }, body: { isActive: false } })
    expect(await verify(rising.email, codes[0]?.code ?? '')).toMatchObject({ status: 400 })
    expect(await verify(leaving.email, codes[1]?.code ?? '')).toMatchObject({ status: 400 })
  })

  test('is refused once its issuer is no administrator any more', async () => {
    st.clock.advance(HOUR)
    await proved(st, people.okafor)
    const fates: { role?: 'teacher'; isActive?: false }[] = [{ role: 'teacher' }, { isActive: false }]
    for (const [at, fate] of fates.entries()) {
      const issuer = await issuerNamed(`issuer-${at}`)
      const owner = await member(`owner-${at}`)
      const { code: old } = await issuer.as.outage.issueDeskCode({ body: { userId: owner.id } })
      await st.as.okafor.schools.updateMember({ params: { userId: issuer.id }, body: fate })
      expect(await verify(owner.email, old)).toMatchObject({ status: 400, body: { code: 'otp_invalid' } })
      const { code } = await issue(owner.id)
      expect(await verify(owner.email, code)).toMatchObject({ status: 200 })
    }
    const gone = await issuerNamed('issuer-gone')
    const owner = await member('owner-gone')
    const { code } = await gone.as.outage.issueDeskCode({ body: { userId: owner.id } })
    await st.as.okafor.schools.removeMember({ params: { userId: gone.id } })
    expect(await verify(owner.email, code)).toMatchObject({ status: 400 })
  })

  test('at most thirty an hour of a school, however many are asked for at once; another school goes on', async () => {
    st.clock.advance(HOUR)
    await proved(st, people.okafor)
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => st.as.okafor.outage.issueDeskCode.raw({ body: { userId: people.niamh.id } })),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(30)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(170)
    st.clock.advance(HOUR - 60_000)
    await proved(st, people.okafor)
    const late = await st.as.okafor.outage.issueDeskCode.raw({ body: { userId: people.byrne.id } })
    expect(late).toMatchObject({ status: 429, body: { code: 'auth.desk_limit' } })
    expect(late.headers.get('retry-after')).toBe('60')
    expect(await issue(people.markerTeacher.id, 'marker')).toMatchObject({ code: expect.any(String) })
    st.clock.advance(MINUTE)
    expect(await issue(people.byrne.id)).toMatchObject({ code: expect.any(String) })
  })
})

describe('GET /api/auth/desk-codes', () => {
  test('who issued a code for whom, when, and that it was used; newest first, and never the code', async () => {
    st.clock.advance(HOUR)
    const { code } = await issue(people.ada.id)
    st.clock.advance(MINUTE)
    await verify(people.ada.email, code)
    const { body } = await st.as.okafor.outage.deskCodes.raw({ query: { limit: 2 } })
    expect(body).toEqual([
      {
        id: expect.any(String),
        at: new Date(st.clock.now()).toISOString(),
        action: 'update',
        actor: null,
        user_id: people.ada.id,
        email: people.ada.email,
      },
      {
        id: expect.any(String),
        at: new Date(st.clock.now() - MINUTE).toISOString(),
        action: 'create',
        actor: { id: people.okafor.id, first_name: 'Ngozi', last_name: 'Okafor' },
        user_id: people.ada.id,
        email: people.ada.email,
      },
    ])
    expect(JSON.stringify(await st.as.okafor.outage.deskCodes())).not.toContain(code)
  })

  test('those of the own school', async () => {
    const theirs = await st.as.marker.outage.deskCodes()
    expect(new Set(theirs.map(({ email }) => email))).toEqual(new Set([people.markerTeacher.email]))
  })
})

describe('POST /api/schools/members/:userId/reset-sign-in', () => {
  test('reopens the mailed method after a hundred wrong codes', async () => {
    const { email, id } = people.quinn
    for (let round = 0; round < 20; round += 1) {
      st.clock.advance(13 * MINUTE)
      await st.anonymous.auth.sendOtp({ body: { email } })
      for (let tries = 0; tries < 5; tries += 1) await verify(email, wrong(codeFor(st, email)), `203.0.113.${100 + round}`)
    }
    st.clock.advance(13 * MINUTE)
    await st.anonymous.auth.sendOtp({ body: { email } })
    expect(await verify(email, codeFor(st, email))).toMatchObject({ status: 429, body: { code: 'otp_locked' } })
    await proved(st, people.okafor, people.marker)
    expect(await st.as.marker.outage.resetSignIn.raw({ params: { userId: id } })).toMatchObject({ status: 404 })
    expect(await verify(email, codeFor(st, email))).toMatchObject({ status: 429 })
    expect(await st.as.okafor.outage.resetSignIn({ params: { userId: id } })).toEqual({ message: expect.any(String) })
    expect(await verify(email, codeFor(st, email))).toMatchObject({ status: 200 })
  })

  test('a desk code reopens it too', async () => {
    const { email, id } = people.ada
    for (let round = 0; round < 20; round += 1) {
      st.clock.advance(13 * MINUTE)
      await st.anonymous.auth.sendOtp({ body: { email } })
      for (let tries = 0; tries < 5; tries += 1) await verify(email, wrong(codeFor(st, email)), `203.0.113.${150 + round}`)
    }
    st.clock.advance(13 * MINUTE)
    await st.anonymous.auth.sendOtp({ body: { email } })
    expect(await verify(email, codeFor(st, email))).toMatchObject({ status: 429 })
    const { code } = await issue(id)
    expect(await verify(email, code)).toMatchObject({ status: 200 })
    expect(await verify(email, codeFor(st, email))).toMatchObject({ status: 200 })
  })
})
