import { limits } from '@markbook/shared/limits'
import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { type Browser, browserOf, codeFor } from '../../testing/browser.ts'
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
const codesOf = (email: string) => st.outbox.filter(({ to }) => to === email).length
const storedCodes = () => st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.otp_code))

describe('POST /api/auth/otp/send', () => {
  test('has the same reply for every address, known or not, and mails 8 digits', async () => {
    const known = await send(people.byrne.email)
    const unknown = await send('stranger@mail.example')
    expect(known).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    expect(unknown.body).toEqual(known.body)
    expect([...unknown.headers.keys()]).toEqual([...known.headers.keys()])
    expect(codeFor(st, 'stranger@mail.example')).toMatch(/^\d{8}$/)
    expect(JSON.stringify(known.body)).not.toContain(codeFor(st, people.byrne.email))
  })

  test('mail to a person with a place in a school is sent first; a person with only an account is a stranger', async () => {
    const laneOf = async (email: string) => {
      await send(email, at('192.0.2.200'))
      return st.outbox.findLast(({ to }) => to === email)?.lane
    }
    expect(await laneOf(people.okafor.email)).toBe('members')
    expect(await laneOf(people.tomas.email)).toBe('strangers')
    expect(await laneOf('never.seen@mail.example')).toBe('strangers')
  })

  test('the mail is dropped once its code has expired', async () => {
    expect(st.outbox.at(-1)?.expiresAt).toBe(st.clock.now() + 10 * MINUTE)
  })

  test('the code itself is stored nowhere', async () => {
    const rows = JSON.stringify(await storedCodes())
    expect(rows).toContain('stranger@mail.example')
    expect(rows).not.toContain(codeFor(st, 'stranger@mail.example'))
  })

  test.each([
    ['x'],
    ['a@b@c.org'],
    ['a,b@x.org'],
    ['a@x.org\r\nBcc: b@x.org'],
    ['a@ex%41mple.org'],
    [`${'a'.repeat(250)}@x.org`],
    [`${'😀'.repeat(200)}@x.org`],
    [''],
    [7],
    [null],
    [['a@x.org']],
  ])('400 for the address %j, and no mail', async (email) => {
    const mails = st.outbox.length
    expect(await send(email)).toMatchObject({ status: 400, body: { code: 'validation_failed', issues: [{ path: 'email' }] } })
    expect(st.outbox).toHaveLength(mails)
  })

  test('ten sends in a minute send one mail, and say how long to wait', async () => {
    for (let count = 0; count < 10; count += 1) {
      const { status, body, headers } = await send('ten@mail.example')
      if (count === 0) expect(status).toBe(200)
      else
        expect({ status, body, after: headers.get('retry-after') }).toMatchObject({
          status: 429,
          body: { code: 'otp_too_soon' },
          after: String(60 - count * 6),
        })
      st.clock.advance(6_000)
    }
    expect(codesOf('ten@mail.example')).toBe(1)
    expect(await send('ten@mail.example')).toMatchObject({ status: 200 })
  })

  test('ten sends at once send one mail too', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => send('at.once@mail.example')))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(codesOf('at.once@mail.example')).toBe(1)
  })

  test('at most five an hour', async () => {
    for (let count = 0; count < 5; count += 1) {
      expect(await send('five@mail.example')).toMatchObject({ status: 200 })
      st.clock.advance(2 * MINUTE)
    }
    const sixth = await send('five@mail.example')
    expect(sixth).toMatchObject({ status: 429, body: { code: 'otp_too_soon' } })
    expect(sixth.headers.get('retry-after')).toBe('3000')
    st.clock.advance(50 * MINUTE)
    expect(await send('five@mail.example')).toMatchObject({ status: 200 })
  })

  test('a newer code replaces the one before', async () => {
    await send('twice@mail.example')
    const first = codeFor(st, 'twice@mail.example')
    st.clock.advance(MINUTE)
    await send('twice@mail.example')
    expect(await verify('twice@mail.example', first)).toMatchObject({ status: 400, body: { code: 'otp_invalid' } })
    expect(await verify('twice@mail.example', codeFor(st, 'twice@mail.example'))).toMatchObject({ status: 200 })
  })

  test('600 sends and verifies in five minutes from one client address, and no more', async () => {
    const crowd = at('192.0.2.60')
    const ask = (count: number) =>
      count % 2 === 0 ? send(`pupil${count}@mail.example`, crowd) : verify(`pupil${count}@mail.example`, '00000000', crowd)
    for (let from = 0; from < 600; from += 50) {
      const replies = await Promise.all(Array.from({ length: 50 }, (_, count) => ask(from + count)))
      expect(replies.filter(({ status }) => status === 429)).toEqual([])
    }
    const over = await Promise.all([send('late@mail.example', crowd), verify('late@mail.example', '00000000', crowd)])
    expect(over).toMatchObject([
      { status: 429, body: { code: 'too_many_requests' } },
      { status: 429, body: { code: 'too_many_requests' } },
    ])
    expect(over.map(({ headers }) => headers.get('retry-after'))).toEqual(['300', '300'])
    expect(await send('late@mail.example', at('192.0.2.61'))).toMatchObject({ status: 200 })
    st.clock.advance(5 * MINUTE)
    expect(await send('later@mail.example', crowd)).toMatchObject({ status: 200 })
  })

  test('expired rows are deleted in time', async () => {
    st.clock.advance(60 * MINUTE)
    await send('sweeper@mail.example')
    expect((await storedCodes()).map(({ email }) => email)).toEqual(['sweeper@mail.example'])
  })

  test('after a flood every send deletes more, until only the rows of an ordinary day are left', async () => {
    const rows = Array.from({ length: 2 * limits.sweep.rows }, (_, count) => ({ key: `flood ${count}`, count: 1 }))
    const resets_at = new Date(st.clock.now() - MINUTE).toISOString()
    await st.services.store.write(asSystem(), async (tx) => {
      for (let from = 0; from < rows.length; from += 500)
        await tx.local.insert(tx.t.attempt).values(rows.slice(from, from + 500).map((row) => ({ ...row, resets_at })))
    })
    const left = async () => {
      const kept = await st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.attempt))
      return kept.filter(({ key }) => key.startsWith('flood')).length
    }
    st.clock.advance(limits.sweep.everyMs)
    for (let sends = 0; sends < 3; sends += 1) await send(`sweeps${sends}@mail.example`)
    expect(await left()).toBe(0)
  })
})
