import { createHash } from 'node:crypto'
import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encrypt } from '../../store/encryption.ts'
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

/** Replaces a person's codes by codes of eight digits, hashed and sealed as usual. */
const withOldSet = (userId: string) =>
  st.services.store.write(asSystem(), async (tx) => {
    const codes = Array.from({ length: 10 }, (_, slot) => `1234567${slot}`)
    const rows = (await tx.db.select().from(tx.t.recovery_code)).filter(({ user_id }) => user_id === userId)
    for (const row of rows) {
      const hash = createHash('sha256').update(`${userId}\n${codes[row.slot]}`).digest()
      const kept = await tx.find('recovery_code', '', row.id)
      if (kept) await tx.update('recovery_code', kept, { sealed_hash: encrypt(hash, st.services.keys.seal, userId) })
    }
    return codes
  })

describe('POST /api/auth/recovery-codes', () => {
  test('answers ten different codes of 16 characters of base 32, in groups of four', async () => {
    const { status, body } = await st.as.byrne.outage.newRecoveryCodes.raw()
    const { codes } = body as { codes: string[] }
    expect(status).toBe(201)
    expect(codes).toHaveLength(10)
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/)
    expect(await st.as.byrne.outage.ownWays()).toEqual({ confirmed_at: null, recovery_codes: 10, second_since: null })
  })

  test('each code signs in once, in any order, and the rest are counted', async () => {
    const { codes } = await st.as.ada.outage.newRecoveryCodes()
    for (const [count, code] of [...codes].reverse().entries()) {
      expect(await verify(people.ada.email, code)).toMatchObject({ status: 200, body: { user: { id: people.ada.id } } })
      expect(await st.as.ada.outage.ownWays()).toMatchObject({ recovery_codes: 9 - count })
    }
    for (const code of codes) expect(await verify(people.ada.email, code, '192.0.2.2')).toMatchObject({ body: { code: 'otp_invalid' } })
  })

  test('a code signs in in small letters, without its dashes, and with spaces', async () => {
    const { codes } = await st.as.byrne.outage.newRecoveryCodes()
    const typed = [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replaceAll('-', ''),
      (code: string) => ` ${code.replaceAll('-', ' ').toLowerCase()} `,
    ]
    for (const [at, type] of typed.entries())
      expect(await verify(people.byrne.email, type(codes[at] ?? ''))).toMatchObject({
        status: 200,
        body: { user: { id: people.byrne.id } },
      })
  })

  test('a set of eight digits that an older program printed stays valid, each code once, until it is replaced', async () => {
    const person = await newcomer(st, 'long-ago')
    await person.as.outage.newRecoveryCodes()
    const old = await withOldSet(person.id)
    expect(await verify(person.email, old[2])).toMatchObject({ status: 200 })
    expect(await verify(person.email, old[2])).toMatchObject({ status: 400 })
    expect(await person.as.outage.ownWays()).toMatchObject({ recovery_codes: 9 })
    const { codes } = await person.as.outage.newRecoveryCodes()
    expect(await verify(person.email, old[3])).toMatchObject({ status: 400 })
    expect(await verify(person.email, codes[3])).toMatchObject({ status: 200 })
  })

  test('a new set ends the old one, used or not', async () => {
    const { codes: old } = await st.as.quinn.outage.newRecoveryCodes()
    expect(await verify(people.quinn.email, old[3])).toMatchObject({ status: 200 })
    const { codes } = await st.as.quinn.outage.newRecoveryCodes()
    expect(await st.as.quinn.outage.ownWays()).toMatchObject({ recovery_codes: 10 })
    for (const code of old.slice(0, 5)) expect(await verify(people.quinn.email, code)).toMatchObject({ status: 400 })
    for (const code of codes.slice(0, 5)) expect(await verify(people.quinn.email, code)).toMatchObject({ status: 200 })
  })

  test('of two sets requested at once one is valid', async () => {
    const person = await newcomer(st, 'double')
    const sets = await Promise.all([1, 2, 3].map(() => person.as.outage.newRecoveryCodes()))
    const replies = await Promise.all(sets.map((set) => verify(person.email, set.codes[0])))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(await person.as.outage.ownWays()).toMatchObject({ recovery_codes: 9 })
  })

  test('a code signs in only its owner', async () => {
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
