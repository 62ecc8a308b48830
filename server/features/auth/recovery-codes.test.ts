import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { browserOf } from '../../testing/browser.ts'
import { newcomer } from '../../testing/newcomers.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
})
afterAll(() => st.close())

const verify = (email: string, token: string | undefined, address = '192.0.2.1') =>
  browserOf(st.app, { address }).client.auth.verifyOtp.raw({ body: { email, token: token ?? '' } })
const sessionsOf = async (userId: string) => {
  const sessions = await st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.session))
  return sessions.filter(({ user_id }) => user_id === userId).length
}

describe('POST /api/auth/recovery-codes', () => {
  test('answers ten different codes of 8 digits', async () => {
    const { status, body } = await st.as.byrne.outage.newRecoveryCodes.raw()
    const { codes } = body as { codes: string[] }
    expect(status).toBe(201)
    expect(codes).toHaveLength(10)
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^\d{8}$/)
    expect(await st.as.byrne.outage.ownWays()).toEqual({ confirmed_at: null, recovery_codes: 10 })
  })

  test('each code signs in once, in any order, and the rest are counted', async () => {
    const { codes } = await st.as.ada.outage.newRecoveryCodes()
    for (const [count, code] of [...codes].reverse().entries()) {
      expect(await verify(people.ada.email, code)).toMatchObject({ status: 200, body: { user: { id: people.ada.id } } })
      expect(await st.as.ada.outage.ownWays()).toMatchObject({ recovery_codes: 9 - count })
    }
    for (const code of codes) expect(await verify(people.ada.email, code, '192.0.2.2')).toMatchObject({ body: { code: 'otp_invalid' } })
  })

  test('a new set ends the old one, used or not', async () => {
    const { codes: old } = await st.as.quinn.outage.newRecoveryCodes()
    expect(await verify(people.quinn.email, old[3])).toMatchObject({ status: 200 })
    const { codes } = await st.as.quinn.outage.newRecoveryCodes()
    expect(await st.as.quinn.outage.ownWays()).toMatchObject({ recovery_codes: 10 })
    for (const code of old.slice(0, 5)) expect(await verify(people.quinn.email, code)).toMatchObject({ status: 400 })
    for (const code of codes.slice(0, 5)) expect(await verify(people.quinn.email, code)).toMatchObject({ status: 200 })
  })

  test('two sets asked for at once: one of them is the set', async () => {
    const person = await newcomer(st, 'double')
    const sets = await Promise.all([1, 2, 3].map(() => person.as.outage.newRecoveryCodes()))
    const replies = await Promise.all(sets.map((set) => verify(person.email, set.codes[0])))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(await person.as.outage.ownWays()).toMatchObject({ recovery_codes: 9 })
  })

  test('a code is its owner’s alone', async () => {
    const { codes } = await st.as.niamh.outage.newRecoveryCodes()
    expect(await verify(people.quinn.email, codes[0])).toMatchObject({ status: 400 })
    expect(await verify('nobody.yet@mail.example', codes[0])).toMatchObject({ status: 400 })
    expect(await verify(people.niamh.email, codes[0])).toMatchObject({ status: 200 })
  })

  test('the same code fifty times at once gives exactly one session', async () => {
    const person = await newcomer(st, 'printed')
    const { codes } = await person.as.outage.newRecoveryCodes()
    const before = await sessionsOf(person.id)
    const replies = await Promise.all(Array.from({ length: 50 }, (_, count) => verify(person.email, codes[7], `198.51.100.${count}`)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(49)
    expect(await sessionsOf(person.id)).toBe(before + 1)
  })

  test('all ten at once give ten sessions', async () => {
    const person = await newcomer(st, 'family')
    const { codes } = await person.as.outage.newRecoveryCodes()
    const replies = await Promise.all(codes.map((code, count) => verify(person.email, code, `198.51.100.${count}`)))
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await person.as.outage.ownWays()).toMatchObject({ recovery_codes: 0 })
  })
})
