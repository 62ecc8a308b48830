import { limits } from '@markbook/shared/limits'
import { people } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { enrolled } from '../../testing/authenticator.ts'
import { browserOf, codeFor } from '../../testing/browser.ts'
import { proved } from '../../testing/proved.ts'
import { type School, school } from '../../testing/school.ts'
import { issueConsoleCode } from './issued-codes.ts'
import { refuseFlood } from './otp.ts'

let st: School
beforeEach(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
})
afterEach(() => st.close())

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const STEP = 30_000
const SCHOOL = '192.0.2.1'
const at = (address: string) => browserOf(st.app, { address }).client.auth
const send = (email: string, address: string) => at(address).sendOtp.raw({ body: { email } })
const verify = (email: string, token: string, address: string) => at(address).verifyOtp.raw({ body: { email, token } })
const WRONG = '00000001'
const WRONG_PRINTED = 'AAAA-AAAA-AAAA-AAAA'
const told = ({ status, body, headers }: Awaited<ReturnType<typeof verify>>) => [
  status,
  body,
  [...headers.keys()],
  headers.get('retry-after'),
]
const statuses = (replies: readonly { status: number }[]) => replies.map(({ status }) => status)
/** This many wrong attempts, each from another network. */
async function fromEverywhere(email: string, token: string, times: number) {
  const replies = []
  for (let count = 0; count < times; count += 1) replies.push(await verify(email, token, `10.0.${count >> 8}.${count & 255}`))
  return replies
}

/** A person with every sign-in method. */
async function equipped(who: 'ada' | 'quinn' = 'ada') {
  const { id, email } = people[who]
  const app = await enrolled(st.as[who], st.clock)
  const { codes } = await st.as[who].outage.newRecoveryCodes()
  st.clock.advance(STEP)
  return { id, email, app, printed: codes }
}

describe('a stranger who keeps requesting a person’s codes and trying wrong ones', () => {
  test('five sends and 25 wrong tries an hour do not keep its owner from signing in by mail', async () => {
    const { email } = people.ada
    for (let hour = 0; hour < 12; hour += 1) {
      for (let round = 0; round < 5; round += 1) {
        await send(email, '203.0.113.7')
        for (let tries = 0; tries < 5; tries += 1) await verify(email, WRONG, '203.0.113.7')
        st.clock.advance(11 * MINUTE)
      }
      expect(await send(email, SCHOOL)).toMatchObject({ status: 200 })
      for (let tries = 0; tries < 5; tries += 1) await verify(email, WRONG, '203.0.113.7')
      // Once an hour the stranger's pause may just be over; then the next code is right.
      if ((await verify(email, codeFor(st, email), SCHOOL)).status !== 200) {
        st.clock.advance(MINUTE)
        await send(email, SCHOOL)
        expect(await verify(email, codeFor(st, email), SCHOOL)).toMatchObject({ status: 200 })
      }
      st.clock.advance(5 * MINUTE)
    }
  })

  test('a send by a stranger does not refuse that of its owner; one mail answers both', async () => {
    const { email } = people.ada
    expect(await send(email, '203.0.113.7')).toMatchObject({ status: 200 })
    expect(await send(email, SCHOOL)).toMatchObject({ status: 200 })
    expect(st.outbox).toHaveLength(1)
    expect(await verify(email, codeFor(st, email), SCHOOL)).toMatchObject({ status: 200 })
  })

  test('sends from many networks do not fill a mailbox, and its newest mail always has a valid code', async () => {
    const { email } = people.ada
    for (let minute = 0; minute < 60; minute += 1) {
      for (let network = 0; network < 3; network += 1) expect(await send(email, `10.1.${minute}.${network}`)).toMatchObject({ status: 200 })
      st.clock.advance(MINUTE)
    }
    expect(st.outbox.length).toBeLessThanOrEqual(limits.otp.sendsPerHour + HOUR / limits.otp.lifetimeMs)
    expect(await send(email, SCHOOL)).toMatchObject({ status: 200 })
    expect(await verify(email, codeFor(st, email), SCHOOL)).toMatchObject({ status: 200 })
  })
})

describe('wrong attempts at one method', () => {
  test.each([10, 25, 49])('%i from the school’s own address close no other method there', async (times) => {
    const { id, email, app, printed } = await equipped()
    const bother = async () => {
      await send(email, '198.51.100.9')
      for (let tries = 0; tries < times; tries += 1) await verify(email, WRONG, SCHOOL)
    }
    await bother()
    const { code: desk } = await st.as.okafor.outage.issueDeskCode({ body: { userId: id } })
    expect(await verify(email, desk, SCHOOL)).toMatchObject({ status: 200 })
    await bother()
    expect(await verify(email, app.code(), SCHOOL)).toMatchObject({ status: 200 })
    await bother()
    expect(await verify(email, printed[0] ?? '', SCHOOL)).toMatchObject({ status: 200 })
    await bother()
    const { code: console } = await issueConsoleCode(st.services.store, email, st.services.keys)
    expect(await verify(email, console, SCHOOL)).toMatchObject({ status: 200 })
  })

  test('after ten wrong attempts a desk code is still accepted', async () => {
    const { id, email } = people.ada
    const { code } = await st.as.okafor.outage.issueDeskCode({ body: { userId: id } })
    for (let tries = 0; tries < 10; tries += 1) await verify(email, WRONG, SCHOOL)
    expect(await verify(email, code, SCHOOL)).toMatchObject({ status: 200 })
  })
})

describe('a hundred wrong attempts in a day, over all networks', () => {
  const WAYS = ['app', 'printed'] as const

  test.each(WAYS)('close the method %s for everybody, and another method reopens it', async (way) => {
    const { email, app, printed } = await equipped()
    const [wrong, other] = way === 'app' ? [WRONG, printed[1] ?? ''] : [WRONG_PRINTED, app.code()]
    const right = () => (way === 'app' ? app.code() : (printed[2] ?? ''))
    expect(statuses(await fromEverywhere(email, wrong, 130))).toEqual([...Array(100).fill(400), ...Array(30).fill(429)])
    expect(await verify(email, right(), '198.51.100.1')).toMatchObject({ status: 429, body: { code: 'otp_locked' } })
    expect(await verify(email, other, '198.51.100.2')).toMatchObject({ status: 200 })
    st.clock.advance(STEP)
    expect(await verify(email, right(), '198.51.100.1')).toMatchObject({ status: 200 })
  })

  test.each(WAYS)('close the method %s until an administrator reopens it, or a day is over', async (way) => {
    const { id, email, app, printed } = await equipped()
    const right = () => (way === 'app' ? app.code() : (printed.pop() ?? ''))
    const wrong = way === 'app' ? WRONG : WRONG_PRINTED
    await fromEverywhere(email, wrong, 100)
    expect(await verify(email, right(), '198.51.100.1')).toMatchObject({ status: 429 })
    await st.as.okafor.outage.resetSignIn({ params: { userId: id } })
    expect(await verify(email, right(), '198.51.100.1')).toMatchObject({ status: 200 })
    st.clock.advance(STEP)
    await fromEverywhere(email, wrong, 100)
    st.clock.advance(23 * HOUR)
    expect(await verify(email, right(), '198.51.100.1')).toMatchObject({ status: 429 })
    st.clock.advance(HOUR)
    expect(await verify(email, right(), '198.51.100.1')).toMatchObject({ status: 200 })
  })

  test('at once are no more than one after the other', async () => {
    const { email } = await equipped()
    const replies = await Promise.all(Array.from({ length: 150 }, (_, count) => verify(email, WRONG, `10.0.1.${count}`)))
    expect(statuses(replies).filter((status) => status === 400)).toHaveLength(100)
  })

  test('one network alone cannot use them up', async () => {
    const { email, app } = await equipped()
    for (let tries = 0; tries < 150; tries += 1) await verify(email, WRONG, '203.0.113.7')
    expect(await verify(email, app.code(), '198.51.100.1')).toMatchObject({ status: 200 })
  })

  test('the reply names the methods still open', async () => {
    const { email } = people.ada
    const [last] = (await fromEverywhere(email, WRONG, 101)).slice(-1)
    expect(last).toMatchObject({
      body: { message: expect.stringContaining('a code by mail, or one of your printed codes, or a new code from the desk') },
    })
    expect(last?.headers.get('retry-after')).toBeNull()
    await fromEverywhere(email, WRONG_PRINTED, 100)
    expect((await verify(email, WRONG, SCHOOL)).body).toMatchObject({ message: expect.not.stringContaining('printed') })
  })
})

test('nobody learns from refusals and waits whether an address has an account', async () => {
  const story = async (email: string, net: string) => {
    const replies = []
    for (let round = 0; round < 4; round += 1) {
      replies.push(await send(email, `${net}.1`))
      for (let tries = 0; tries < 7; tries += 1) replies.push(await verify(email, WRONG, `${net}.1`))
      replies.push(await send(email, `${net}.2`), await send(email, `${net}.1`))
      replies.push(await verify(email, WRONG_PRINTED, `${net}.1`))
      st.clock.advance(3 * MINUTE)
    }
    for (let tries = 0; tries < 110; tries += 1) replies.push(await verify(email, WRONG, `${net}.${100 + (tries % 50)}`))
    for (let tries = 0; tries < 110; tries += 1) replies.push(await verify(email, WRONG_PRINTED, `${net}.${100 + (tries % 50)}`))
    return replies.map(told)
  }
  const { email } = await equipped()
  const known = await story(email, '10.2.1')
  expect(new Set(known.map(([status]) => status))).toEqual(new Set([200, 400, 429]))
  expect(await story(people.niamh.email, '10.2.2')).toEqual(known)
  await proved(st, people.okafor)
  await st.as.okafor.outage.issueDeskCode({ body: { userId: people.quinn.id } })
  expect(await story(people.quinn.email, '10.2.3')).toEqual(known)
  expect(await story('no.account@mail.example', '10.2.4')).toEqual(known)
})

describe('clients with IPv6', () => {
  /** An address in another /64 network each time, all within one /48. */
  const ofOneSite = (count: number) => `2001:db8:7:${count.toString(16)}::1`

  test('have at one account what one network has, and their 48 bits half as much again', async () => {
    const { email, app } = await equipped()
    const one = []
    for (let tries = 0; tries < 52; tries += 1) one.push(await verify(email, WRONG, `2001:db8:7:1::${tries.toString(16)}`))
    expect(statuses(one)).toEqual([...Array(50).fill(400), 429, 429])
    const many = []
    for (let tries = 0; tries < 27; tries += 1) many.push(await verify(email, WRONG, ofOneSite(2 + tries)))
    expect(statuses(many)).toEqual([...Array(25).fill(400), 429, 429])
    expect(await verify(email, app.code(), '2001:db8:8::1')).toMatchObject({ status: 200 })
  })

  test('are sent three times as many codes of one account by their 48 bits', async () => {
    const { email } = people.ada
    const replies = []
    for (let sends = 0; sends < 17; sends += 1) {
      replies.push(await send(email, ofOneSite(sends)))
      st.clock.advance(MINUTE)
    }
    expect(statuses(replies)).toEqual([...Array(15).fill(200), 429, 429])
    expect(await send(email, '2001:db8:8::1')).toMatchObject({ status: 200 })
  })

  test('have the calls of a network, and their 48 bits three times as many', async () => {
    const calls = (networks: number, each: number) =>
      st.services.store.write(asSystem(), async (tx) => {
        const refused = []
        for (let count = 0; count < networks * each; count += 1) {
          const network = `2001:db8:7:${(1 + Math.floor(count / each)).toString(16)}::/64`
          if (await refuseFlood(tx, network)) refused.push(count)
        }
        return refused
      })
    expect(await calls(4, 600)).toEqual(Array.from({ length: 600 }, (_, count) => 1_800 + count))
    st.clock.advance(limits.otp.callsWindowMs)
    expect(await calls(1, 601)).toEqual([600])
  })
})
